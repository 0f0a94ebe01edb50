"""What keeps the database well: plans that people run, and what a worker does by the way."""
