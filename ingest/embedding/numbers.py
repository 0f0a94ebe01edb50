"""Vectors on their way to the server, in binary: as text each number costs both sides far more."""

import struct
import sys
from array import array
from collections.abc import Sequence
from typing import NamedTuple

import psycopg
from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format

_REAL, _REALS = 700, 1021
_BYTES = 4


class Numbers(NamedTuple):
    """The numbers of these vectors, one vector behind the other: a `real[]`."""

    vectors: Sequence[Sequence[float]]


class _NumbersDumper(Dumper):
    """Writes them as PostgreSQL sends arrays: a header, then each number behind its length."""

    format = Format.BINARY
    oid = _REALS

    def dump(self, obj: Numbers) -> Buffer:
        numbers = array("f")
        for vector in obj.vectors:
            numbers.extend(vector)
        lengths_and_numbers = array("I", [_BYTES]) * (2 * len(numbers))
        lengths_and_numbers[1::2] = array("I", numbers.tobytes())
        if sys.byteorder == "little":
            lengths_and_numbers.byteswap()
        # how many dimensions, nulls: none, of what; then of each its length and its first index
        header = struct.pack("!3I", 1, 0, _REAL) + struct.pack("!2I", len(numbers), 1)
        if not numbers:
            header = struct.pack("!3I", 0, 0, _REAL)
        return header + lengths_and_numbers.tobytes()


psycopg.adapters.register_dumper(Numbers, _NumbersDumper)
