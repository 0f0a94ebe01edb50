"""The bench's own database: made, deployed, handed out and dropped."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, LiteralString

import psycopg
from pgvector.psycopg import register_vector
from psycopg import conninfo, sql

from db import deploy, server

NAME = "pgkb_bench"
MARK = "made by python -m bench, which drops and rebuilds it"

Connection = psycopg.Connection[tuple[Any, ...]]
Say = Callable[[str], None]
Statement = LiteralString | sql.Composed
Arguments = Sequence[object] | Mapping[str, object] | None


class BenchError(Exception):
    """The bench cannot run; the message is one line: what, why, what to do."""


@dataclass(frozen=True, slots=True)
class Bed:
    """A fresh database; `restart` restarts its server, None where that is not ours to do."""

    url: str
    restart: Callable[[], None] | None


@contextmanager
def bench_database(*, keep: bool, say: Say, name: str = NAME) -> Iterator[str]:
    """The URL of a `bench_bed`."""
    with bench_bed(keep=keep, say=say, name=name) as bed:
        yield bed.url


@contextmanager
def bench_bed(*, keep: bool, say: Say, name: str = NAME, reuse: bool = False) -> Iterator[Bed]:
    """A fresh database with the product deployed; dropped at the end unless kept.

    On the server of PGKB_DATABASE_URL, else on the embedded one, which is stopped again if it
    did not run before. With `reuse` the database that an earlier run kept, where there is one, with
    the product of now. Raises BenchError, ServerError and DeployError.
    """
    with _server(name, keep=keep) as (admin_url, restart):
        where = conninfo.make_conninfo(admin_url, dbname=name)
        with _connect(admin_url) as admin:
            if not (reuse and _is_ours(admin, name)):
                _drop(admin, name)
                admin.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
                admin.execute(
                    sql.SQL("comment on database {} is {}").format(
                        sql.Identifier(name), sql.Literal(MARK)
                    )
                )
        try:
            deploy.deploy(where, notice=say)
            yield Bed(where, restart)
        finally:
            if not keep:
                with _connect(admin_url) as admin:
                    # an interrupted run leaves sessions behind
                    _drop(admin, name, force=True)


@contextmanager
def connect(url: str) -> Iterator[Connection]:
    """A connection for measuring, with the vector types; the same settings whoever runs it."""
    with psycopg.connect(url, application_name="pgkb bench") as db:
        register_vector(db)
        db.execute("set client_min_messages = warning")
        # on two cores a helper process costs more than it brings, and its start is noise
        db.execute("set max_parallel_workers_per_gather = 0")
        # a graph that does not fit is built several times slower: both sides' graphs shall fit
        db.execute("select set_config('maintenance_work_mem', %s, false)", [f"{_quarter()}MB"])
        db.commit()
        yield db


def _quarter() -> int:
    """A quarter of the machine's memory, in MB; of this machine, as the server is mostly here."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4 // 2**20


def whole_number(db: Connection, statement: Statement, arguments: Arguments = None) -> int:
    """The first column of the first row."""
    return int(_only(db, statement, arguments))


def text(db: Connection, statement: Statement, arguments: Arguments = None) -> str:
    """The first column of the first row."""
    return str(_only(db, statement, arguments))


def _only(db: Connection, statement: Statement, arguments: Arguments) -> Any:  # noqa: ANN401
    row = db.execute(statement, arguments).fetchone()
    if row is None:
        raise LookupError("the statement returned no row")
    return row[0]


@contextmanager
def _server(name: str, *, keep: bool) -> Iterator[tuple[str, Callable[[], None] | None]]:
    """A URL for creating databases, and how to restart the server when nobody else uses it."""
    if named := os.environ.get("PGKB_DATABASE_URL"):
        try:
            database = conninfo.conninfo_to_dict(named).get("dbname")
        except psycopg.ProgrammingError:
            # what libpq says of it would repeat the password
            raise BenchError(
                "PGKB_DATABASE_URL cannot be read; write it as "
                "postgresql://user:password@host/database"
            ) from None
        yield (
            conninfo.make_conninfo(named, dbname="postgres") if database == name else named,
            None,
        )
        return
    ran_before = server.status().running
    server.start()
    try:
        yield server.url(database="postgres"), None if ran_before else _restart
    finally:
        if not ran_before and not keep:
            server.stop()


def _restart() -> None:
    server.stop()
    server.start()


@contextmanager
def _connect(url: str) -> Iterator[Connection]:
    try:
        opened = psycopg.connect(url, autocommit=True, connect_timeout=10)
    except psycopg.Error as problem:
        raise BenchError(
            f"the server cannot be reached: {str(problem).strip().splitlines()[0]}; "
            "check PGKB_DATABASE_URL, or unset it to use the embedded server"
        ) from None
    with opened as db:
        yield db


def _drop(admin: Connection, name: str, *, force: bool = False) -> None:
    """Drop a run's database, and never one that only has the same name.

    `force` ends the sessions that use it: right for a run's own, not for what may be another's.
    """
    if not _is_ours(admin, name):
        return
    try:
        admin.execute(
            sql.SQL("drop database {} {}").format(
                sql.Identifier(name), sql.SQL("with (force)" if force else "")
            )
        )
    except psycopg.errors.ObjectInUse:
        raise BenchError(
            f"the database {name} is in use; end the other bench or session, then run again"
        ) from None


def _is_ours(admin: Connection, name: str) -> bool:
    """Whether a run left a database of this name; BenchError where somebody else made it."""
    found = admin.execute(
        "select shobj_description(oid, 'pg_database') from pg_database where datname = %s", [name]
    ).fetchone()
    if found is not None and found[0] != MARK:
        raise BenchError(
            f"the database {name} was not made by the bench, so it is not dropped; rename it"
        )
    return found is not None
