"""`pgkb doctor`: one line per thing that has to be right, and what to do where it is not."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from cli import endpoint, wiring
from cli.errors import line_for
from cli.output import plural, print_json, say

if TYPE_CHECKING:
    from app.calls import ActiveSet, Difference, Health
    from app.doctor.calls import Diagnosis, Surface, UnusableSetting

_ROOM_WANTED = 500 * 1024 * 1024
# so many chunks are counted again in about a second
_RECOUNTED_UNASKED = 20_000


@dataclass(frozen=True, slots=True)
class Check:
    """One finding: `state` is ok, warn or fail; `todo` is empty when there is nothing to do."""

    name: str
    state: str
    finding: str
    todo: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What one look at the database brought."""

    health: "Health"
    active: "ActiveSet | None" = None
    diagnosis: "Diagnosis | None" = None
    # None: nobody counted
    differences: "list[Difference] | None" = None
    # None: an older schema, or a login that may not read it
    surface: "Surface | None" = None
    outdated_packs: Sequence[str] = ()
    unusable: "Sequence[UnusableSetting]" = ()


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor", help="Check everything pgkb needs and say what to do.")(doctor)


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    statistics: Annotated[
        bool,
        typer.Option("--statistics", help="Count the words of a large corpus again, too."),
    ] = False,
) -> int:
    """Print every check; exit code 1 when one failed."""
    surveyed: list[Surface] = []
    checks = list(examine(statistics=statistics, surveyed=surveyed))
    failed = any(check.state == "fail" for check in checks)
    if as_json:
        print_json({"ok": not failed, "checks": checks, "dba": next(iter(surveyed), None)})
        return int(failed)
    for check in checks:
        say(f"{check.state:<5}{check.name:<12}{check.finding}")
        if check.todo:
            say(f"{'':<17}→ {check.todo}")
    return int(failed)


def examine(*, statistics: bool, surveyed: "list[Surface]") -> Iterator[Check]:
    """Every check in the order in which a failure explains the later ones; what the views of
    schema dba say is put into `surveyed`.
    """
    yield from _guarded("home", _home)
    yield from _guarded("settings", _settings)
    try:
        url = wiring.database_url()
        facts = wiring.run(_look(url, statistics=statistics))
    except Exception as error:
        yield Check("server", "fail", line_for(error))
        return
    yield from _guarded("server", lambda: _server(url, facts))
    yield from _guarded("pgvector", lambda: _pgvector(facts.health.pgvector_version))
    yield from _guarded("schema", lambda: _schema(url))
    yield from _guarded("plpython3u", lambda: _plpython(facts))
    yield from _guarded("kb settings", lambda: _unusable(facts.unusable))
    if facts.diagnosis is None:
        return
    found = facts.diagnosis
    yield from _guarded("roles", lambda: _roles(found))
    yield from _guarded("pack", lambda: _pack(found, facts.outdated_packs))
    yield from _guarded("indexes", lambda: _indexes(found))
    if facts.surface is not None:
        surface = facts.surface
        surveyed.append(surface)
        yield from _guarded("upkeep", lambda: _upkeep(surface))
        yield from _guarded("recall", lambda: _recall(surface))
        yield from _guarded("tuning", lambda: _tuning(surface))
        yield from _guarded("storage", lambda: _storage(surface))
    yield from _guarded("vectors", lambda: _vectors(found, facts.active))
    yield from _guarded("statistics", lambda: _statistics(found, facts.differences))
    yield from _guarded("records", lambda: _records(found))
    yield from _guarded("queue", lambda: _queue(found))
    if facts.active is not None:
        active = facts.active
        yield from _guarded("provider", lambda: _provider(active))
        yield from _guarded("endpoint", lambda: _endpoint(active))


def _guarded(name: str, examine_one: Callable[[], Check]) -> Iterator[Check]:
    """A check that breaks is a finding, not the end of the examination."""
    try:
        yield examine_one()
    except Exception as error:
        yield Check(name, "fail", line_for(error))


async def _look(url: str, *, statistics: bool) -> Facts:
    import asyncpg

    from app import calls
    from app.doctor import calls as doctor_calls
    from app.settings import usable_url

    # the login's own rights, not the app's: some of this only the owner may read
    db = await asyncpg.connect(usable_url(url), timeout=5, command_timeout=60)
    try:
        health = await calls.health(db)
        if not health.deployed:
            return Facts(health=health)
        unusable: list[UnusableSetting] = []
        with suppress(asyncpg.InvalidSchemaNameError, asyncpg.UndefinedFunctionError):
            unusable = await doctor_calls.unusable_settings(db)
        active = await calls.find_active_set(db)
        found = await doctor_calls.diagnose(db)
        differences = None
        if statistics or found.chunks <= _RECOUNTED_UNASKED:
            # an older schema, which another check reports, does not know how
            with suppress(asyncpg.UndefinedFunctionError):
                differences = await calls.check_statistics(db)
        outdated: list[str] = []
        with suppress(asyncpg.InvalidSchemaNameError, asyncpg.UndefinedTableError):
            outdated = await doctor_calls.packs_without_wording(db)
        surface = None
        with suppress(
            asyncpg.InvalidSchemaNameError,
            asyncpg.UndefinedTableError,
            asyncpg.UndefinedFunctionError,
            asyncpg.InsufficientPrivilegeError,
        ):
            surface = await doctor_calls.survey(db)
        return Facts(
            health=health,
            active=active,
            diagnosis=found,
            outdated_packs=outdated,
            differences=differences,
            surface=surface,
            unusable=unusable,
        )
    finally:
        await db.close()


def _home() -> Check:
    from db import server

    home = server.home()
    if wiring.own_database():
        return Check("home", "ok", "not used: PGKB_DATABASE_URL names a server")
    nearest = next(path for path in (home, *home.parents) if path.exists())
    if not os.access(nearest, os.W_OK | os.X_OK):
        return Check(
            "home", "fail", f"{nearest} cannot be written", "Set PGKB_HOME to a directory you own."
        )
    free = shutil.disk_usage(nearest).free
    if free < _ROOM_WANTED:
        return Check(
            "home",
            "warn",
            f"{home} has {free // 2**20} MB left",
            "Free some space, or set PGKB_HOME to a larger disk.",
        )
    return Check("home", "ok", f"{home}, {free // 2**30} GB free")


def _settings() -> Check:
    from app.settings import from_environ

    chosen = from_environ(database_url="postgresql://checked-later")
    given = ", ".join(f"{name} = {value}" for name, value in chosen.database_settings.items())
    return Check("settings", "ok", given or "none set, the database's defaults apply")


def _unusable(found: "Sequence[UnusableSetting]") -> Check:
    if not found:
        return Check("kb settings", "ok", "all can be used")
    named = "; ".join(f'{each.name} cannot be "{each.value}" ({each.given_by})' for each in found)
    how = " ".join(f"{each.name}: {each.legal}" for each in found)
    return Check("kb settings", "fail", named, f"Set or reset it there, then restart. {how}")


def _server(url: str, facts: Facts) -> Check:
    from db.preflight import OLDEST_SERVER

    version = facts.health.server_version
    shown = f"PostgreSQL {version} at {wiring.shown_url(url)}"
    if int(version.split(".")[0]) < OLDEST_SERVER:
        return Check("server", "fail", shown, f"Upgrade to PostgreSQL {OLDEST_SERVER} or newer.")
    return Check("server", "ok", shown)


def _pgvector(version: str | None) -> Check:
    from db.preflight import vector_refusal, vector_warning

    if version is None:
        return Check("pgvector", "fail", "is not installed in this database", "Run `pgkb up`.")
    if refusal := vector_refusal(version):
        return Check("pgvector", "fail", refusal, "Install pgvector 0.8.4 or newer.")
    if warning := vector_warning(version):
        return Check("pgvector", "warn", warning, "Install pgvector 0.8.4 or newer.")
    return Check("pgvector", "ok", version)


def _schema(url: str) -> Check:
    from db import deploy

    problems = deploy.check(url)
    if not problems:
        return Check("schema", "ok", "deployed, and nothing in it that no file knows")
    more = f" (and {len(problems) - 1} more, see `python -m db check`)" if problems[1:] else ""
    return Check("schema", "fail", problems[0] + more, "Run `pgkb up`.")


def _plpython(facts: Facts) -> Check:
    if facts.health.plpython:
        return Check("plpython3u", "ok", "SQL can embed a question (embed_text)")
    offered = facts.diagnosis is not None and facts.diagnosis.plpython_offered
    return Check(
        "plpython3u",
        "warn",
        "not deployed: search_text in psql finds by keyword only",
        "Run `pgkb up` as a superuser."
        if offered
        else "Install plpython3u on the server (libpython3.11 for the embedded one) and run "
        "`pgkb up`.",
    )


def _roles(found: "Diagnosis") -> Check:
    from db.preflight import ROLES

    missing = sorted(set(ROLES) - set(found.roles))
    if missing:
        return Check("roles", "fail", f"missing: {', '.join(missing)}", "Run `pgkb up`.")
    return Check("roles", "ok", ", ".join(found.roles))


def _pack(found: "Diagnosis", outdated: Sequence[str]) -> Check:
    if not found.packs:
        return Check("pack", "fail", "no domain is loaded", "Run `pgkb pack load packs/send`.")
    if outdated:
        return Check(
            "pack",
            "warn",
            f"{', '.join(outdated)} was loaded by an older pgkb: the texts of its chat and the "
            "policies to look for on schools' sites are missing",
            "Run `pgkb pack load DIR` again, e.g. with packs/send.",
        )
    return Check("pack", "ok", ", ".join(found.packs))


def _indexes(found: "Diagnosis") -> Check:
    if found.invalid_indexes:
        named = ", ".join(found.invalid_indexes)
        return Check("indexes", "fail", f"invalid: {named}", "Run `pgkb rebuild-index NAME`.")
    return Check("indexes", "ok", "all valid")


def _upkeep(surface: "Surface") -> Check:
    due = f"{plural(len(surface.vacuum_plan), 'table')} to vacuum or analyze"
    if surface.upkeep_due:
        first, others = surface.upkeep_due[0], len(surface.upkeep_due) - 1
        more = f" and {plural(others, 'more step')}" if others else ""
        return Check(
            "upkeep",
            "warn",
            f"{first['target']}: {first['why']}{more}; {due}",
            "Searches are right, but slower than they need be. Run `pgkb upkeep`.",
        )
    # the server's own autovacuum comes for them, later
    return Check(
        "upkeep", "ok", f"nothing to list or to build, {due}",
        "Run `pgkb upkeep`, best every night." if surface.vacuum_plan else "",
    )  # fmt: skip


def _recall(surface: "Surface") -> Check:
    measured = [band for band in surface.recall if band["mean_recall"] is not None]
    if not measured:
        return Check("recall", "ok", "never audited", "In psql: select * from dba.recall_audit();")
    means = ", ".join(f"{band['band']} {band['mean_recall']:.2f}" for band in measured)
    worst = min(band["worst_recall"] for band in measured)
    shown = f"{means}; worst question {worst:.2f} ({measured[0]['at']:%Y-%m-%d})"
    if any(band["alert"] for band in measured):
        return Check(
            "recall", "warn", shown, "Run `pgkb upkeep`; if it stays so, raise kb.ef_search."
        )
    return Check("recall", "ok", shown)


def _tuning(surface: "Surface") -> Check:
    poor = [row for row in surface.settings if row["state"] != "ok"]
    if not poor:
        return Check("tuning", "ok", f"{len(surface.settings)} settings of the server are good")
    named = ", ".join(f"{row['name']} is {row['value']}" for row in poor)
    return Check("tuning", "warn", named, "Read why, in psql: select * from dba.settings;")


def _storage(surface: "Surface") -> Check:
    total = next(row for row in surface.storage if row["part"] == "total")
    return Check(
        "storage",
        "ok",
        f"{total['size']}, {total['bytes_per_chunk']:,.0f} bytes for each of "
        f"{total['live_rows']:,} chunks",
    )


def _vectors(found: "Diagnosis", active: "ActiveSet | None") -> Check:
    if active is None:
        return Check(
            "vectors",
            "fail",
            "no embedding set is active",
            "In psql: select embedding.activate('local-minilm');",
        )
    shown = f"{found.chunks:,} chunks in set {active.name} ({active.model}, {active.width})"
    if found.chunks_without_vector:
        return Check(
            "vectors",
            "warn",
            f"{found.chunks_without_vector:,} of {shown} have no vector",
            "They are found by keyword only; ingest their files again.",
        )
    return Check("vectors", "ok", shown)


def _statistics(found: "Diagnosis", differences: "list[Difference] | None") -> Check:
    waiting = f"{found.unfolded:,} changes not folded yet"
    if differences is None:
        return Check(
            "statistics", "ok", f"not counted again, {waiting}", "Run `pgkb doctor --statistics`."
        )
    if differences:
        first = differences[0]
        return Check(
            "statistics",
            "fail",
            f"{len(differences):,} numbers are wrong, the first is {first.statistic} of "
            f"{first.subject}: {first.kept:,} kept, {first.counted:,} counted",
            "In psql, as owner: select search.rebuild_statistics();",
        )
    return Check("statistics", "ok", f"equal to a recount, {waiting}")


def _records(found: "Diagnosis") -> Check:
    return Check(
        "records",
        "ok",
        f"{found.records:,} searches of at most {found.record_days} days, "
        f"{found.record_bytes / 2**20:.1f} MB",
    )


def _queue(found: "Diagnosis") -> Check:
    shown = f"{found.tasks_waiting:,} waiting, {found.tasks_dead:,} given up"
    if found.tasks_dead:
        return Check(
            "queue",
            "warn",
            shown,
            "Read the reasons: `pgkb jobs list --state dead`; then `pgkb jobs retry JOB`.",
        )
    if found.tasks_waiting:
        return Check("queue", "ok", shown, "Run `pgkb worker --once` if they do not go.")
    return Check("queue", "ok", shown)


def _provider(active: "ActiveSet") -> Check:
    from providers.embed import embedder_for
    from providers.protocols import ProviderError

    try:
        embedder_for(active.provider, active.model, active.width)
    except ProviderError as error:
        return Check("provider", "fail", str(error), "Questions are searched by keyword only.")
    return Check("provider", "ok", f"{active.provider} is set up")


def _endpoint(active: "ActiveSet") -> Check:
    if active.endpoint_url is None:
        return Check(
            "endpoint", "ok", "none: the app embeds; search_text in psql finds by keyword only"
        )
    if endpoint.answers(active):
        return Check("endpoint", "ok", f"{active.endpoint_url} answers")
    return Check(
        "endpoint",
        "warn",
        f"{active.endpoint_url} does not answer: search_text in psql finds by keyword only",
        "Run `pgkb up`.",
    )
