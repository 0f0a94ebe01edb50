"""A small corpus with one document of every kind of scope, named by its source."""

from typing import Any

import psycopg

from tests.corpus import add, load_reference, near

BIRMINGHAM, KENT, BARNSLEY, BARNSLEY_OLD = "E08000025", "E10000016", "E08000038", "E08000016"
CUMBERLAND, WESTMORLAND, CUMBRIA = "E06000063", "E06000064", "E10000006"
HOLLYBROOK, WEALD_VIEW = "990001", "990003"

# every document is about dimension 3, each a little less than the one before
_FACTS: dict[str, dict[str, Any]] = {
    "national": {},
    "birmingham": {"la_code": BIRMINGHAM},
    "kent": {"la_code": KENT},
    "barnsley": {"la_code": BARNSLEY_OLD},
    "cumbria": {"la_code": CUMBRIA},
    "hollybrook": {"school_urn": HOLLYBROOK},
    "weald": {"school_urn": WEALD_VIEW},
    "ann": {"owner": "ann"},
    "ann-bob": {"owner": "ann", "principals": ["bob", "team:x"]},
    "cid": {"owner": "cid", "la_code": KENT},
}
SOURCES = tuple(_FACTS)


def fill(db: psycopg.Connection[Any]) -> None:
    """Add the documents; each speaks of transport and of itself."""
    load_reference(db)
    for n, (source, facts) in enumerate(_FACTS.items()):
        add(
            db,
            f"School transport in the text called {source}.",
            source=source,
            vector=near(3, 0.95 - n / 50, towards=100 + n),
            **facts,
        )
