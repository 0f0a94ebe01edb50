"""Rows of registers for tests, put in the way a load puts them."""

from collections.abc import Mapping, Sequence
from typing import Any

import psycopg

Report = dict[str, Any]


def merge_postcodes(
    db: psycopg.Connection[Any],
    districts: Mapping[str, str] | Sequence[tuple[str, str]],
    *,
    ended: Sequence[str] = (),
    shrink: bool = False,
) -> Report:
    """Make these postcodes, with their districts, the known ones; what the load reports."""
    pairs = list(districts.items()) if isinstance(districts, Mapping) else districts
    db.execute("select place.open_registers()")
    for line, (postcode, district) in enumerate(pairs, start=2):
        db.execute(
            "insert into pg_temp.arriving_postcode values (%s, %s, %s, %s)",
            [line, postcode, district, postcode in ended],
        )
    return _report(db, "place.merge_postcodes(%s)", [shrink])


def merge_schools(db: psycopg.Connection[Any], *schools: Mapping[str, Any]) -> Report:
    """Merge these rows of the register of schools; what the load reports."""
    db.execute("select place.open_registers()")
    for line, school in enumerate(schools, start=2):
        db.execute(
            "insert into pg_temp.arriving_school (line, urn, name, dfe_code, gss, phase, postcode,"
            " website, status, opened, closed) values (%(line)s, %(urn)s, %(name)s, %(dfe_code)s,"
            " %(gss)s, %(phase)s, %(postcode)s, %(website)s, %(status)s, %(opened)s, %(closed)s)",
            dict.fromkeys(
                ("dfe_code", "gss", "phase", "postcode", "website", "status", "opened", "closed")
            )
            | {"line": line, "name": "A school"}
            | dict(school),
        )
    return _report(db, "place.merge_schools()", [])


def merge_school_links(
    db: psycopg.Connection[Any], *links: tuple[str | None, str | None, str | None]
) -> Report:
    """Merge these links (URN, the other's URN, type); what the load reports."""
    db.execute("select place.open_registers()")
    for line, link in enumerate(links, start=2):
        db.execute(
            "insert into pg_temp.arriving_school_link values (%s, %s, %s, %s)", [line, *link]
        )
    return _report(db, "place.merge_school_links()", [])


def counts(report: Report) -> dict[str, int]:
    """What is not nothing in a report, less the problems."""
    return {name: count for name, count in report.items() if name != "problems" and count}


def _report(db: psycopg.Connection[Any], call: str, values: list[Any]) -> Report:
    row = db.execute(f"select to_jsonb(r) from {call} as r".encode(), values).fetchone()
    assert row is not None
    report: Report = row[0]
    return report
