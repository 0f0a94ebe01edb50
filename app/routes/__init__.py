"""One controller per noun of the API."""
