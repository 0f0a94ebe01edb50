"""What the provider bills, charged to the documents whose texts were sent."""

from ingest.spending.counting import embed_counted

__all__ = ["embed_counted"]
