"""A database with a few places and topics, and an embedder that costs nothing."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from ingest.packs import calls
from providers.embed import embedder_for
from providers.protocols import Embedder
from tests.ingest.library import BIRMINGHAM, KENT, SCHOOL
from tests.providers.fake_openai import FakeServer, fake_openai


@pytest.fixture
def places(db: psycopg.Connection) -> psycopg.Connection:
    """The test's database with two authorities, a school, two topics and the publishers."""
    calls.load_authorities(
        db,
        rows=[
            _authority(BIRMINGHAM, "330", "Birmingham"),
            _authority(KENT, "886", "Kent"),
        ],
    )
    calls.load_schools(
        db,
        rows=[
            {
                "urn": SCHOOL,
                "name": "Hawthorn School",
                "la_code": BIRMINGHAM,
                "phase": "primary",
                "postcode": "B1 1AA",
                "website": None,
                "status": "open",
            }
        ],
    )
    calls.load_topics(
        db,
        pack="test",
        rows=[
            {"slug": slug, "name": slug.title(), "pattern": slug, "citation": None, "fact": None}
            for slug in ("transport", "exclusion")
        ],
    )
    calls.load_ranks(
        db,
        pack="test",
        rows=[
            {"authority": name, "weight": weight, "meaning": name}
            for name, weight in (
                ("statutory", 1.2),
                ("national", 1.1),
                ("la", 1.0),
                ("school", 0.9),
                ("user_upload", 0.8),
            )
        ],
    )
    db.commit()
    return db


def _authority(gss: str, dfe_code: str, name: str) -> dict[str, object]:
    return {
        "gss": gss,
        "dfe_code": dfe_code,
        "name": name,
        "kind": "UA",
        "region": "England",
        "status": "live",
        "start_date": None,
        "end_date": None,
        "successors": [],
        "website": None,
    }


@pytest.fixture
def url(places: psycopg.Connection, db_url: str) -> str:
    """The URL of the database with places."""
    return db_url


@pytest.fixture
def provider() -> Iterator[FakeServer]:
    """A provider over HTTP whose faults a test may set."""
    with fake_openai() as server:
        yield server


@pytest.fixture
def embedder(provider: FakeServer) -> Iterator[Embedder]:
    """An embedder that asks the provider, made like the active set's."""
    one = embedder_for(
        "compatible",
        "all-MiniLM-L6-v2-int8",
        384,
        {
            "PGKB_EMBED_BASE_URL": provider.url,
            "PGKB_EMBED_SEND_DIMENSIONS": "1",
            "PGKB_EMBED_ATTEMPTS": "1",
        },
    )
    yield one
    one.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder for a test's files."""
    path = tmp_path / "files"
    path.mkdir()
    return path
