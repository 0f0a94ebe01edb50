"""Bring the files under db/ to a database: one transaction, one deploy at a time.

Migrations run exactly once; functions, triggers and grants run again whenever one of them
changed or is missing. Nothing is kept unless every step, and the check for ghosts, went well.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import errors, sql

from db import catalog, ledger, preflight, rooms
from db.preflight import OWNER, Connection, Notice, one_line
from db.syntax import concurrent_index
from db.tree import ROOT, DeployError, SourceFile, Tree, read_tree

__all__ = ["DeployError", "DeployReport", "check", "connect", "deploy"]

# one deploy at a time per database; the number is "pgkb" in ASCII
LOCK_KEY = 0x70676B62
LOCK_WAIT_SECONDS = 600.0
_VALIDATORS = {"sql": b"fmgr_sql_validator", "plpgsql": b"plpgsql_validator"}
# a migration may change these with "set local"; they are put back before every file
_SETTINGS = b"""
set local search_path = public, pg_temp;
set local check_function_bodies = off;
set local lock_timeout = '5s';
set local statement_timeout = '10min';
set local client_min_messages = warning;
set local role pgkb_owner;
"""


@dataclass(frozen=True, slots=True)
class DeployReport:
    """What a deploy did: migrations it ran, optional files it left out (by their path)."""

    changed: bool
    migrations: list[str]
    skipped: list[str]


@contextmanager
def connect(url: str) -> Iterator[Connection]:
    """A connection in autocommit; raises DeployError with one line when there is none."""
    try:
        conn = psycopg.connect(
            url, autocommit=True, connect_timeout=10, application_name="pgkb deploy"
        )
    except psycopg.Error as error:
        raise DeployError(
            # the driver's further lines guess at the cause; the first one names it
            f"the database cannot be reached: {str(error).strip().splitlines()[0]}; "
            "check that the server runs and that the URL is right"
        ) from None
    with conn:
        yield conn


def deploy(url: str, *, notice: Notice, root: Path = ROOT, force: bool = False) -> DeployReport:
    """Bring a database up to the files; a second run changes nothing.

    `notice` is given each line for people. `force` runs functions, triggers and grants even
    when the ledger says they are as they should be (after a change made by hand).
    Raises DeployError, and then nothing of the failing transaction is kept.
    """
    tree = read_tree(root)
    problems = rooms.statement_problems(tree)
    if problems:
        raise DeployError(_first_of(problems))
    with connect(url) as conn:
        # only problems are worth a line: "already exists, skipping" is how every deploy goes
        conn.add_notice_handler(lambda d: notice(f"{str(d.severity).lower()}: {d.message_primary}"))
        try:
            return _Run(conn=conn, tree=tree, notice=notice, force=force).go()
        except psycopg.Error as error:
            raise DeployError(f"deploy failed: {one_line(error)}") from error


class _Run:
    """One deploy over one connection."""

    def __init__(self, *, conn: Connection, tree: Tree, notice: Notice, force: bool) -> None:
        self.conn = conn
        self.tree = tree
        self.notice = notice
        self.force = force
        self.changed = False
        self.migrated: list[str] = []
        self.skipped: list[str] = []

    def go(self) -> DeployReport:
        holding = False
        while True:
            with self._locked_transaction():
                prepared = preflight.prepare(self.conn, notice=self.notice)
                self.changed |= prepared.changed
                outside = self._run_migrations()
                if outside is None:
                    self._run_files(superuser=prepared.superuser, again=prepared.changed)
                    break
                if not holding:
                    # the transaction's lock ends with its commit; this one bridges the gap
                    self.conn.execute("select pg_catalog.pg_advisory_lock(%s)", [LOCK_KEY])
                    holding = True
            self._run_outside(outside)
        # closing the connection would do, were it never a pooler's
        if holding:
            self.conn.execute("select pg_catalog.pg_advisory_unlock(%s)", [LOCK_KEY])
        for schema, name in catalog.invalid_indexes(self.conn, self.tree):
            self.notice(f"warning: {_invalid_line(schema, name)}")
        if not self.changed:
            self.notice("nothing to do")
        return DeployReport(
            changed=self.changed, migrations=self.migrated, skipped=sorted(self.skipped)
        )

    @contextmanager
    def _locked_transaction(self) -> Iterator[None]:
        """A transaction that holds the deploy lock.

        Waiting happens between short transactions, because a waiter that held a snapshot would
        block the index build of the deploy it waits for.
        """
        deadline = time.monotonic() + LOCK_WAIT_SECONDS
        told = False
        while True:
            with self.conn.transaction():
                row = self.conn.execute(
                    "select pg_catalog.pg_try_advisory_xact_lock(%s)", [LOCK_KEY]
                ).fetchone()
                if row is not None and row[0]:
                    yield
                    return
            if time.monotonic() > deadline:
                raise DeployError(
                    f"another deploy has held this database for {LOCK_WAIT_SECONDS:.0f} s; "
                    "wait for it or end its session, then run this again"
                )
            if not told:
                self.notice("another deploy is at work in this database; waiting for it")
                told = True
            time.sleep(0.1)

    def _become_owner(self) -> None:
        self.conn.execute(_SETTINGS)

    def _run_migrations(self) -> SourceFile | None:
        """Run what is pending; returns the first that must run outside a transaction."""
        self._become_owner()
        # the server refuses "set hnsw...." on a function until the library is in the session
        self.conn.execute("select '[1]'::public.vector")
        applied: dict[str, str] = {}
        if ledger.exists(self.conn):
            applied = ledger.migrations(self.conn)
        else:
            ledger.create(self.conn)
            self.changed = True
        for file in pending_migrations(self.tree, applied):
            if file.outside_transaction:
                return file
            self._execute(file)
            self._become_owner()
            ledger.record_migration(self.conn, file)
            self._migrated(file)
        return self._broken_index()

    def _migrated(self, file: SourceFile) -> None:
        self.changed = True
        self.migrated.append(file.stem)
        self.notice(f"migration {file.stem}")

    def _broken_index(self) -> SourceFile | None:
        """A migration whose concurrent index is invalid: it runs again."""
        broken = set(catalog.invalid_indexes(self.conn, self.tree))
        for file in self.tree.migrations:
            if file.outside_transaction and concurrent_index(file) in broken:
                if file.stem in self.migrated:
                    raise DeployError(f"{file.label}: the index is still invalid after a rebuild")
                return file
        return None

    def _run_outside(self, file: SourceFile) -> None:
        """One statement in autocommit, then its ledger row."""
        conn = self.conn
        conn.execute(sql.SQL("set role {}").format(sql.Identifier(OWNER)))
        conn.execute("set search_path = public, pg_temp")
        conn.execute("set lock_timeout = '60s'")
        conn.execute("set client_min_messages = warning")
        index = concurrent_index(file)
        if index is not None and index in catalog.invalid_indexes(conn, self.tree):
            self.notice(f"index {'.'.join(index)} is invalid after a broken build; rebuilding")
            conn.execute(
                sql.SQL("drop index concurrently if exists {}").format(sql.Identifier(*index))
            )
        self._execute(file)
        ledger.record_migration(conn, file)
        for setting in ("role", "search_path", "lock_timeout", "client_min_messages"):
            conn.execute(sql.SQL("reset {}").format(sql.Identifier(setting)))
        self._migrated(file)

    def _run_files(self, *, superuser: bool, again: bool) -> None:
        """Functions, triggers, grants, optional files and ledger, when anything differs."""
        refusal = self._plpython_refusal(superuser=superuser)
        optional = [file for file in self.tree.functions if file.requires_plpython]
        left_out = optional if refusal else []
        for file in left_out:
            self.skipped.append(file.path)
            self.notice(f"left out {file.label}: {refusal}")
        recorded = ledger.files(self.conn)
        wanted = [file for file in self.tree.repeatable if file not in left_out]
        kept = {f.path: recorded[f.path] for f in left_out if f.path in recorded}
        missing = [f for f in catalog.missing_files(self.conn, self.tree) if f not in left_out]
        # before the files run: "comment on function x" fails on a stale overload, less clearly
        self._refuse_ghosts()
        same = recorded == kept | {file.path: file.sha256 for file in wanted}
        if self.force or again or missing or self.migrated or not same:
            self.changed = True
            plain = [file for file in wanted if not file.requires_plpython]
            extra = [file for file in wanted if file.requires_plpython]
            self._run_all(plain)
            self.conn.execute("set local role none")
            self.conn.execute("set local check_function_bodies = on")
            self._run_all(extra)
            self._become_owner()
            self._validate()
            self._become_owner()
            ledger.record_files(self.conn, wanted, kept=kept)
            self.notice(_counted(self.tree, left_out))

    def _plpython_refusal(self, *, superuser: bool) -> str | None:
        if not any(file.requires_plpython for file in self.tree.functions):
            return None
        self.conn.execute("set local role none")
        refusal = preflight.plpython_refusal(self.conn, superuser=superuser)
        self._become_owner()
        return refusal

    def _run_all(self, files: list[SourceFile]) -> None:
        for file in files:
            self._execute(file)

    def _validate(self) -> None:
        """Let PostgreSQL read every body, now that all they mention is in place.

        Each is read under the search_path it will run with; a function without one is read
        under none of ours, because it must work whatever its caller's path is.
        """
        self.conn.execute("set local check_function_bodies = on")
        by_path = {file.path: file for file in self.tree.repeatable}
        for path, live in catalog.find_functions(self.conn, self.tree).items():
            row = self.conn.execute(
                "select l.lanname::text, coalesce((select pg_catalog.substr(c, 13) from "
                "unnest(p.proconfig) as c where c like 'search_path=%%'), 'pg_catalog, pg_temp') "
                "from pg_catalog.pg_proc as p "
                "join pg_catalog.pg_language as l on l.oid = p.prolang where p.oid = %s",
                [live.oid],
            ).fetchone()
            if row is None or row[0] not in _VALIDATORS:
                continue
            file = by_path[path]
            with _blaming(file):
                self.conn.execute("select pg_catalog.set_config('search_path', %s, true)", [row[1]])
                self.conn.execute(
                    b"select pg_catalog." + _VALIDATORS[row[0]] + b"(%s::oid)", [live.oid]
                )

    def _refuse_ghosts(self) -> None:
        found = catalog.ghosts(self.conn, self.tree)
        if found:
            raise DeployError(_first_of(found))

    def _execute(self, file: SourceFile) -> None:
        with _blaming(file):
            self.conn.execute(file.text.encode(), prepare=False)


@contextmanager
def _blaming(file: SourceFile) -> Iterator[None]:
    """Turn a database error into a line that names the file, and its line when known."""
    try:
        yield
    except errors.InvalidFunctionDefinition as error:
        raise DeployError(
            f"{file.label}: {one_line(error)}; drop the old one in a migration first"
        ) from error
    except psycopg.Error as error:
        raise DeployError(f"{file.label}{_line_of(error, file)}: {one_line(error)}") from error


def _line_of(error: psycopg.Error, file: SourceFile) -> str:
    """':12' when the server said where, in the file or in a body that is part of it."""
    diag = error.diag
    if diag.statement_position is not None:
        return f":{file.line_of(int(diag.statement_position) - 1)}"
    body = file.text.find(diag.internal_query) if diag.internal_query else -1
    if body >= 0 and diag.internal_position is not None:
        return f":{file.line_of(body + int(diag.internal_position) - 1)}"
    return ""


def _first_of(lines: list[str]) -> str:
    more = f" (and {len(lines) - 1} more: python -m db check)" if len(lines) > 1 else ""
    return lines[0] + more


def _counted(tree: Tree, left_out: list[SourceFile]) -> str:
    def several(count: int, noun: str) -> str:
        return f"{count} {noun}{'' if count == 1 else 's'}"

    functions = len([file for file in tree.functions if file not in left_out])
    parts = [several(functions, "function"), several(len(tree.triggers), "trigger")]
    return ", ".join([*parts, "grants"] if tree.grants is not None else parts)


def _invalid_line(schema: str, name: str) -> str:
    return (
        f"index {schema}.{name} is invalid, so no query uses it; "
        f"run: reindex index concurrently {schema}.{name}"
    )


def pending_migrations(tree: Tree, applied: dict[str, str]) -> list[SourceFile]:
    """The migrations still to run; raises DeployError when files and ledger contradict."""
    on_disk = {file.stem: file for file in tree.migrations}
    for name, sha256 in applied.items():
        if name not in on_disk:
            raise DeployError(
                f"the database ran migration {name}, which is not among these files: it is newer "
                "or from another branch; update this checkout"
            )
        if on_disk[name].sha256 != sha256:
            raise DeployError(
                f"{on_disk[name].label}: was edited after it ran here; "
                "restore its text and put the change in a new migration"
            )
    pending = [file for file in tree.migrations if file.stem not in applied]
    last = max(applied, default="")
    if pending and pending[0].stem < last:
        raise DeployError(
            f"{pending[0].label}: never ran here, though the later {last} did; "
            "give it the next free number"
        )
    return pending


def check(url: str, *, root: Path = ROOT) -> list[str]:
    """What is wrong with a live database, one line each; reads only, changes nothing."""
    tree = read_tree(root)
    problems: list[str] = []
    with connect(url) as conn, conn.transaction():
        conn.execute("set transaction read only")
        conn.execute("set local search_path = public, pg_temp")
        refusal = preflight.server_refusal(conn.info.server_version)
        if refusal:
            return [refusal]
        if not ledger.exists(conn):
            return ["nothing was deployed to this database yet; run: python -m db up"]
        problems += _ledger_problems(conn, tree)
        problems += catalog.ghosts(conn, tree)
        problems += [_invalid_line(*index) for index in catalog.invalid_indexes(conn, tree)]
    return problems


def _ledger_problems(conn: Connection, tree: Tree) -> list[str]:
    try:
        pending = pending_migrations(tree, ledger.migrations(conn))
    except DeployError as error:
        return [str(error)]
    problems = [f"{file.label}: has not run here yet; run: python -m db up" for file in pending]
    recorded = ledger.files(conn)
    for file in tree.repeatable:
        if file.requires_plpython and file.path not in recorded:
            continue
        if recorded.get(file.path) != file.sha256:
            problems.append(f"{file.label}: differs from what ran here; run: python -m db up")
    present = {file.path for file in tree.repeatable}
    problems += [
        f"{path}: ran here but its file is gone; run: python -m db up"
        for path in recorded
        if path not in present
    ]
    for file in catalog.missing_files(conn, tree):
        if file.path in recorded:
            problems.append(
                f"{file.label}: its function or trigger is gone from the database; "
                "run: python -m db up"
            )
    return problems
