"""The folder the bytes of uploads lie in until a worker has read them."""

import re
import time
from pathlib import Path

import psycopg

from ingest.uploads import calls

_NAME = re.compile(r"[0-9a-f]{32}")
# A file that is being received is not known to the database yet, and is written to all the time.
_UNKNOWN_FOR = 3600.0
_AT_ONCE = 1000


def tidy_spool(db: psycopg.Connection, folder: Path) -> int:
    """Remove what was received and is needed no more; how many files went.

    Only files of our own naming that nobody has touched for an hour.
    """
    if not folder.is_dir():
        return 0
    untouched = time.time() - _UNKNOWN_FOR
    old = [
        path.name
        for path in folder.iterdir()
        if _NAME.fullmatch(path.name) and path.lstat().st_mtime < untouched
    ]
    unwanted = [
        name
        for start in range(0, len(old), _AT_ONCE)
        for name in calls.unwanted_spools(db, names=old[start : start + _AT_ONCE])
    ]
    for name in unwanted:
        (folder / name).unlink(missing_ok=True)
    return len(unwanted)
