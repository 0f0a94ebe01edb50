"""What curators look at and decide; every rule of it is SQL (schema corpus)."""
