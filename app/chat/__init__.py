"""From a question to a cited answer: what is said, on what it rests, and what is kept of it."""
