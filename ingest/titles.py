"""What a document is called when nobody says so."""

import re
from pathlib import PurePath

from ingest.parse.clean import clean_line

_LONGEST = 300
_NAME_BREAKS = re.compile(r"[_\s]+|(?<=[^\W\d])-(?=[^\W\d])")


def title_of(name: str, *titles: str | None) -> str:
    """The first title that says something, else the file's name as words."""
    for title in titles:
        if title and (cleaned := clean_line(title)):
            return cleaned[:_LONGEST].rstrip()
    words = clean_line(_NAME_BREAKS.sub(" ", PurePath(name).stem))
    return (words[:1].upper() + words[1:])[:_LONGEST] or "Untitled"
