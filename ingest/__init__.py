"""Workers: parse, embed and publish documents."""
