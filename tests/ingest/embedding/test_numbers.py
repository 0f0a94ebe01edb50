"""Vectors arrive at the server as they left, to the last bit of a real."""

import math
import struct

import psycopg
from hypothesis import given, settings
from hypothesis import strategies as st

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
