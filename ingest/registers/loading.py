"""Load the public registers: schools, postcodes, authorities. One transaction, or nothing.

This side knows what the files look like; what their rows mean is decided in SQL (schema place).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

import psycopg

from ingest.packs import calls as packs
from ingest.packs.files import authority_table
from ingest.packs.loading import load_table
from ingest.registers import calls
from ingest.registers.calls import MergeReport
from ingest.registers.files import (
    MOST_PROBLEMS,
    Line,
    OnProgress,
    Problem,
    Register,
    RegisterError,
    open_register,
)

__all__ = ["LoadReport", "RegisterError", "load_authorities", "load_postcodes", "load_schools"]

# what a column is called: in the register of schools (both generations), in its reduced forms,
# in a pack
_SCHOOL = {
    "urn": ("urn",),
    "name": ("establishmentname", "name"),
    "dfe_code": ("la (code)", "la_dfe_code_by_postcode"),
    "gss": ("gsslacode (name)", "gsslacode (code)", "la_code", "la_gss_by_postcode"),
    "phase": ("phaseofeducation (name)", "phase"),
    "postcode": ("postcode",),
    "website": ("schoolwebsite", "website"),
    "status": ("establishmentstatus (code)", "establishmentstatus (name)", "status"),
    "opened": ("opendate", "open_date"),
    "closed": ("closedate", "close_date"),
}
_SCHOOL_PLACES = ("dfe_code", "gss", "postcode")
_LINK = {"urn": ("urn",), "link_urn": ("linkurn",), "link_type": ("linktype",)}
_POSTCODE = {
    "postcode": ("pcds", "postcode", "pcd8", "pcd7", "pcd"),
    "lad_gss": ("lad_gss", "oslaua", "laua", "lad"),
    "ended": ("doterm", "ended"),
}
_AUTHORITY = {
    "gss": ("gss",),
    "dfe_code": ("dfe_code",),
    "name": ("name",),
    "kind": ("kind",),
    "region": ("region",),
    "status": ("status",),
    "start_date": ("start_date", "start"),
    "end_date": ("end_date", "end"),
    "successors": ("successors", "successor_gss"),
    "website": ("website", "homepage"),
}


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What a load did, in rows; `problems` names the first thousand refused ones.

    `outside` are rows of other countries or, of links, other kinds; `dry_run` means that nothing
    was kept.
    """

    register: str
    read: int
    added: int
    changed: int
    unchanged: int
    closed: int
    removed: int
    outside: int
    refused: int
    problems: list[Problem]
    dry_run: bool


def load_schools(
    conn: psycopg.Connection,
    path: Path,
    *,
    dry_run: bool = False,
    on_progress: OnProgress | None = None,
) -> LoadReport:
    """Load a register of schools, or of the links between them, whichever the file is."""
    with (
        open_register(path, on_progress) as register,
        conn.transaction(force_rollback=dry_run),
    ):
        calls.open_registers(conn)
        if register.has(_LINK["link_urn"]):
            lines = register.rows(_LINK, required=tuple(_LINK))
            read = calls.copy_school_links(conn, rows=((n.number, *n.cells) for n in lines))
            merged = calls.merge_school_links(conn)
            return _report("school links", read, merged, register, dry_run)
        if not any(register.has(_SCHOOL[name]) for name in _SCHOOL_PLACES):
            raise RegisterError(
                f"{path} says of no school where it is: it has neither LA (code), "
                "GSSLACode (name) nor Postcode. Is it another file?"
            )
        lines = register.rows(_SCHOOL, required=("urn", "name"))
        read = calls.copy_schools(conn, rows=_schools(register, lines))
        merged = calls.merge_schools(conn)
        return _report("schools", read, merged, register, dry_run)


def load_postcodes(
    conn: psycopg.Connection,
    path: Path,
    *,
    shrink: bool = False,
    dry_run: bool = False,
    on_progress: OnProgress | None = None,
) -> LoadReport:
    """Load a whole register of postcodes in the place of the one that is known."""
    with (
        open_register(path, on_progress) as register,
        conn.transaction(force_rollback=dry_run),
    ):
        calls.open_registers(conn)
        wanted = _POSTCODE | {"lad_gss": _district_columns(register)}
        lines = register.rows(wanted, required=("postcode", "lad_gss"))
        read = calls.copy_postcodes(
            conn, rows=((n.number, n.cells[0], n.cells[1], n.cells[2].strip() != "") for n in lines)
        )
        merged = calls.merge_postcodes(conn, shrink=shrink)
        return _report("postcodes", read, merged, register, dry_run)


def load_authorities(conn: psycopg.Connection, path: Path, *, dry_run: bool = False) -> LoadReport:
    """Load education authorities and their successors: all of them, or a `PackError`.

    They refer to each other, so half of them would be worse than none.
    """
    with open_register(path) as register:
        lines = register.rows(_AUTHORITY, required=("gss", "name", "status"))
        table = authority_table(path, [(n.number, _authority_cells(n.cells)) for n in lines])
        for first in register.problems:
            raise RegisterError(f"{path}:{first.line}: {first.reason}. Correct the line")
    with conn.transaction(force_rollback=dry_run):
        before = calls.authorities(conn)
        load_table(conn, table, lambda rows: packs.load_authorities(conn, rows=rows))
        after = calls.authorities(conn)
    listed = table.keys("gss")
    added = len(after.keys() - before.keys())
    changed = sum(after[gss] != before[gss] for gss in before)
    return LoadReport(
        register="authorities",
        read=len(table),
        added=added,
        changed=changed,
        unchanged=len(listed) - added - changed,
        closed=0,
        removed=0,
        outside=0,
        refused=0,
        problems=[],
        dry_run=dry_run,
    )


def _report(
    name: str, read: int, merged: MergeReport, register: Register, dry_run: bool
) -> LoadReport:
    problems = [*register.problems, *(Problem(**problem) for problem in merged.problems)]
    return LoadReport(
        register=name,
        read=read + register.refused,
        added=merged.added,
        changed=merged.changed,
        unchanged=merged.unchanged,
        closed=merged.closed,
        removed=merged.removed,
        outside=merged.outside,
        refused=merged.refused + register.refused,
        problems=sorted(problems, key=lambda problem: problem.line)[:MOST_PROBLEMS],
        dry_run=dry_run,
    )


def _schools(register: Register, lines: Iterable[Line]) -> Iterator[tuple[object, ...]]:
    # a file without a status column says by the closing day, also when it is empty
    day_tells = not register.has(_SCHOOL["status"]) and register.has(_SCHOOL["closed"])
    for line in lines:
        *cells, status, opened, closed = line.cells
        if day_tells and not closed.strip():
            status = "open"
        yield line.number, *cells, status, _day(opened), _day(closed)


def _district_columns(register: Register) -> tuple[str, ...]:
    # the register names this column by the year of its codes: lad25cd
    dated = [c for c in register.columns if c.startswith("lad") and c.endswith("cd")]
    return (*_POSTCODE["lad_gss"], *dated)


def _authority_cells(cells: Iterable[str]) -> dict[str, str]:
    told = {name: cell.strip() for name, cell in zip(_AUTHORITY, cells, strict=True)}
    if told["status"] == "terminated":
        told["status"] = "ended"
    return told


def _day(text: str) -> date | None:
    """A day as registers write it; None for what is none."""
    for shape in ("%d-%m-%Y", "%Y-%m-%d", "%d/%m/%Y"):
        try:
            return datetime.strptime(text.strip(), shape).date()
        except ValueError:
            continue
    return None
