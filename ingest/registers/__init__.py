"""Public registers: their files read, their rows copied in and merged by SQL."""
