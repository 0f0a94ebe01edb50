"""The database of pgkb as files, and the engine that brings them to a server."""
