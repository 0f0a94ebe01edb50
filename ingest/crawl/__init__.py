"""Crawling sites politely: what is decided without a database, as plain functions."""
