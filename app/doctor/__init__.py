"""What `pgkb doctor` looks at in a database."""
