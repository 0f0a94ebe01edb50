"""Bring a pack into the database: all of it in one transaction, or nothing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import psycopg

from ingest.crawl.sites.calls import load_policy_pages
from ingest.packs import calls
from ingest.packs.files import Pack, Table, read_pack
from ingest.packs.settings import PackError

__all__ = ["PackError", "PackReport", "load_pack"]

Rows = Sequence[Mapping[str, object]]
# our own refusals, unreadable data, broken constraints: the row's fault, not the server's
_FAULTS_OF_A_ROW = ("PL", "TE", "KB", "22", "23")


@dataclass(frozen=True, slots=True)
class PackReport:
    """Which pack was loaded and how many rows of each kind it brought."""

    pack: str
    title: str
    authorities: int
    districts: int
    schools: int
    synonyms: int
    topics: int
    ranks: int
    domains: int
    policy_pages: int


def load_pack(conn: psycopg.Connection, pack_dir: Path) -> PackReport:
    """Load a pack's places, words and publishers; loading it again changes nothing.

    Raises `PackError`, one line naming file and line, and then nothing of the pack is stored.
    """
    pack = read_pack(pack_dir)
    name = pack.settings.name
    with conn.transaction():
        report = PackReport(
            pack=name,
            title=pack.settings.title,
            **_load_places(conn, pack),
            synonyms=load_table(
                conn, pack.synonyms, lambda rows: calls.load_synonyms(conn, pack=name, rows=rows)
            ),
            topics=load_table(
                conn, pack.topics, lambda rows: calls.load_topics(conn, pack=name, rows=rows)
            ),
            ranks=load_table(
                conn, pack.ranks, lambda rows: calls.load_ranks(conn, pack=name, rows=rows)
            ),
            domains=load_table(
                conn, pack.domains, lambda rows: calls.load_domains(conn, pack=name, rows=rows)
            ),
            policy_pages=load_table(
                conn,
                pack.policy_pages,
                lambda rows: load_policy_pages(conn, pack=name, rows=rows),
            ),
        )
        calls.load_wording(conn, pack=name, texts=asdict(pack.settings.chat))
        return report


def _load_places(conn: psycopg.Connection, pack: Pack) -> dict[str, int]:
    return {
        "authorities": load_table(
            conn, pack.authorities, lambda rows: calls.load_authorities(conn, rows=rows)
        ),
        "districts": load_table(
            conn, pack.districts, lambda rows: calls.load_districts(conn, rows=rows)
        ),
        "schools": load_table(conn, pack.schools, lambda rows: calls.load_schools(conn, rows=rows)),
    }


def load_table(conn: psycopg.Connection, table: Table, store: Callable[[Rows], int]) -> int:
    """Store the rows of a file; raises `PackError`, one line naming file and line."""
    try:
        with conn.transaction():
            return store([row.values for row in table])
    except psycopg.Error as error:
        if not _is_fault_of_a_row(error):
            raise
        raise PackError(_blame(conn, table, store, error)) from None


def _blame(
    conn: psycopg.Connection, table: Table, store: Callable[[Rows], int], error: psycopg.Error
) -> str:
    """The line for people: the server names no file, so each row is tried alone."""
    for row in table:
        try:
            with conn.transaction(force_rollback=True):
                store([row.values])
        except psycopg.Error as alone:
            if _is_fault_of_a_row(alone):
                return f"{table.path}:{row.line}: {_words(alone)}"
    return f"{table.path}: {_words(error)}"


def _is_fault_of_a_row(error: psycopg.Error) -> bool:
    return (error.sqlstate or "").startswith(_FAULTS_OF_A_ROW)


def _words(error: psycopg.Error) -> str:
    said = (error.diag.message_primary, error.diag.message_detail, error.diag.message_hint)
    parts = [" ".join(part.split()).rstrip(".") for part in said if part]
    return ". ".join(parts)
