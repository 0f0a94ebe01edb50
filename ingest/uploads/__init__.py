"""Files handed in over HTTP: their bytes lie in a spool, the database says what they are."""
