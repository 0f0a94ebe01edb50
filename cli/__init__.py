"""`pgkb`: parse arguments, call a room, print. No rule and no SQL lives here."""
