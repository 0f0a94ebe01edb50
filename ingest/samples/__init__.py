"""How the documents of a pack's sample corpus are written and what they are built into."""
