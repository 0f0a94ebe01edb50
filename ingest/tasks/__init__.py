"""One module per kind of task in the queue."""
