"""Files of any kind to clean text, without letting a bad file do harm."""

from ingest.parse.limits import Limits
from ingest.parse.result import Heading, Parsed, Refused
from ingest.parse.sandbox import Sandbox

__all__ = ["Heading", "Limits", "Parsed", "Refused", "Sandbox"]
