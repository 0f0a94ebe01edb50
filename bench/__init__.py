"""A small, seeded bench of the search: ratios measured in one run on one server."""
