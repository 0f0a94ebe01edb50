"""Reading what was cited: one passage word for word, or a document whole."""
