"""Visits to web sites, for those who look after the content."""
