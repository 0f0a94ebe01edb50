"""What is in the queue, for people who look after it."""
