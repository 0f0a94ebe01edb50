"""How searches went, what is missing, and the state of the indexes."""
