"""Tasks of the queue: claimed, kept, finished or given back."""
