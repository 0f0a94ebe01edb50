"""Vectors arrive at the server as they left, to the last bit of a real."""

import math
import struct
from pathlib import Path

import psycopg
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.embedding import calls
from ingest.embedding.numbers import Numbers
from tests.ingest.library import one


def test_numbers_arrive_as_they_are(places: psycopg.Connection) -> None:
    vector = st.lists(st.floats(width=32, allow_nan=False), min_size=3, max_size=3)

    @settings(max_examples=50, deadline=None)
    @given(st.lists(vector, max_size=4))
    def arrive(vectors: list[list[float]]) -> None:
        sent = [number for vector in vectors for number in vector]
        arrived = one(places, "select %s", Numbers(vectors))
        assert struct.pack(f"{len(sent)}f", *arrived) == struct.pack(f"{len(sent)}f", *sent)

    arrive()


def test_what_is_too_large_for_a_real_arrives_as_infinity(places: psycopg.Connection) -> None:
    assert one(places, "select %s", Numbers([[1e300, -1e300]])) == [math.inf, -math.inf]


def test_a_fill_sends_its_vectors_in_binary(places: psycopg.Connection, tmp_path: Path) -> None:
    """Four bytes for each number and four for its length; as text it takes a dozen and more."""
    vectors = [[1 / (3 + n) for n in range(384)] for _ in range(20)]
    with (tmp_path / "sent").open("w+") as sent:
        places.pgconn.trace(sent.fileno())
        calls.store_filled(places, set_name="local-minilm", chunk_ids=range(20), vectors=vectors)
        places.pgconn.untrace()
        sent.seek(0)
        messages = [line.split("\t") for line in sent]
    size = sum(int(length) for _, side, length, *_ in messages if side == "F")
    assert 8 * 20 * 384 < size < 8 * 20 * 384 + 1000
