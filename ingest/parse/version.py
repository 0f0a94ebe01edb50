"""Which extractor this is."""

# Counts up when the same bytes would give another text, so that old documents can be found.
EXTRACTOR_VERSION = 3
