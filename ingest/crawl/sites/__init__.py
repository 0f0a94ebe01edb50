"""Web sites that are visited, and runs over them as operators see and steer them."""
