"""A schema as pg_dump writes it, cut into objects and freed of what differs by accident."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from db.deploy import connect
from db.tree import DeployError

_HEAD = re.compile(
    r"^--\n-- Name: (?P<name>.*); Type: (?P<kind>[A-Z ]+); Schema: (?P<schema>.*); "
    r"Owner: .*\n--\n",
    re.MULTILINE,
)
# settings pg_dump repeats between objects, and its last lines
_NOISE = re.compile(
    r"SET default_(?:tablespace|table_access_method) = .*;"
    r"|\\(?:un)?restrict .*|-- PostgreSQL database dump complete|--"
)
_ORDER = (
    "SCHEMA",
    "DOMAIN",
    "TYPE",
    "TABLE",
    "SEQUENCE",
    "DEFAULT",
    "TABLE ATTACH",
    "CONSTRAINT",
    "FK CONSTRAINT",
    "INDEX",
    "INDEX ATTACH",
    "STATISTICS",
    "VIEW",
    "MATERIALIZED VIEW",
    "PROCEDURE",
    "FUNCTION",
    "AGGREGATE",
    "TRIGGER",
    "ROW SECURITY",
    "POLICY",
    "DEFAULT ACL",
)
_ABOUT_ANOTHER = ("COMMENT", "ACL")


@dataclass(frozen=True, slots=True)
class Program:
    """A pg_dump that is ready to run on one database."""

    path: str
    target: tuple[str, ...]
    environment: dict[str, str]

    def dump(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run it on its database; text comes back as UTF-8."""
        return self._run(*self.target, *arguments)

    def version(self) -> str:
        """What it says of itself, as in "pg_dump (PostgreSQL) 18.1"; '' when it fails."""
        return self._run("--version").stdout.strip()

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.path, *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=self.environment | {"PGCLIENTENCODING": "UTF8", "LC_ALL": "C"},
            check=False,
        )


@dataclass(frozen=True, slots=True)
class Block:
    """One object of a dump: its kind and name as pg_dump titles it, and its statements."""

    kind: str
    schema: str
    name: str
    text: str

    @property
    def about(self) -> tuple[str, str]:
        """Kind and bare name of the object this is, or is a comment or grant on."""
        kind, name = self.kind, self.name
        if kind in _ABOUT_ANOTHER:
            for word in (*sorted(_ORDER, key=len, reverse=True), "COLUMN"):
                if name.startswith(word + " "):
                    kind, name = word, name.removeprefix(word + " ")
                    break
        if kind == "COLUMN":
            name = name.rpartition(".")[0]
        return kind, re.split(r"[( ]", name, maxsplit=1)[0].strip('"')


def _embedded_program(url: str) -> Program | None:
    from db import server

    try:
        command, environment = server.client_command("pg_dump", url)
    except server.ServerError:
        return None
    return Program(path=command[0], target=tuple(command[1:]), environment=environment)


def _program_on_path(url: str) -> Program | None:
    found = shutil.which("pg_dump")
    if found is None:
        return None
    target = conninfo_to_dict(url)
    password = target.pop("password", None)
    # never on the command line, where every user of the machine could read it
    secret = {} if password is None else {"PGPASSWORD": str(password)}
    return Program(
        path=found,
        target=(f"--dbname={make_conninfo('', **target)}",),
        environment=dict(os.environ) | secret,
    )


def find_pg_dump(url: str, *, server_major: int) -> Program:
    """A pg_dump at least as new as the server; raises DeployError when there is none."""
    seen: list[str] = []
    for candidate in (_embedded_program(url), _program_on_path(url)):
        if candidate is None:
            continue
        version = candidate.version()
        if version_major(version) >= server_major:
            return candidate
        seen.append(version or f"{candidate.path}, which does not run")
    raise DeployError(
        f"no pg_dump for PostgreSQL {server_major} here (found: {', '.join(seen) or 'none'}); "
        f"install postgresql-client-{server_major} or put its pg_dump on PATH"
    )


def version_major(shown: str) -> int:
    """The major number in what `pg_dump --version` prints; 0 when there is none."""
    found = re.search(r"\) (\d+)", shown)
    return 0 if found is None else int(found[1])


def dump_schemas(url: str, schemas: Collection[str]) -> list[Block]:
    """The objects of these schemas and of public, without owners; raises DeployError."""
    with connect(url) as conn:
        program = find_pg_dump(url, server_major=conn.info.server_version // 10000)
    wanted = [f"--schema={schema}" for schema in sorted({*schemas, "public"})]
    done = program.dump("--schema-only", "--no-owner", "--no-tablespaces", *wanted)
    if done.returncode != 0:
        raise DeployError(f"pg_dump failed: {' '.join(done.stderr.split())}")
    return blocks_of(done.stdout)


def blocks_of(text: str) -> list[Block]:
    """Cut a plain dump into its objects, in an order that does not depend on the server."""
    heads = list(_HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    found: list[Block] = []
    for head, end in zip(heads, ends, strict=True):
        lines = text[head.end() : end].split("\n")
        while lines and (not lines[-1] or _NOISE.fullmatch(lines[-1])):
            lines.pop()
        found.append(
            Block(
                kind=head["kind"],
                schema="" if head["schema"] == "-" else head["schema"],
                name=head["name"],
                text="\n".join(lines).strip(),
            )
        )
    return _sorted(found)


def _sorted(blocks: list[Block]) -> list[Block]:
    kinds = {
        (block.schema, block.about[1]): block.kind
        for block in blocks
        if block.kind in ("TABLE", "VIEW", "MATERIALIZED VIEW", "TYPE", "SEQUENCE")
    }

    def key(block: Block) -> tuple[str, int, str, int, str, str]:
        kind, name = block.about
        schema = name if kind == "SCHEMA" else block.schema
        if kind in ("COLUMN", "TABLE"):
            kind = kinds.get((block.schema, name), kind)
        rank = _ORDER.index(kind) if kind in _ORDER else len(_ORDER)
        after = ("", *_ABOUT_ANOTHER).index(block.kind if block.kind in _ABOUT_ANOTHER else "")
        return (schema, rank, name, after, block.name, block.text)

    return sorted(blocks, key=key)


def ours(
    blocks: Iterable[Block],
    *,
    schemas: Collection[str],
    public_names: Collection[str] | None,
    without: Collection[tuple[str, str]] = (),
) -> list[Block]:
    """Keep what belongs to us: our schemas whole, and in public only the names given.

    `public_names` None keeps all of public except the schema itself, which is never ours.
    `without` names objects (schema, name) to leave out.
    """
    kept: list[Block] = []
    for block in blocks:
        kind, name = block.about
        schema = name if kind == "SCHEMA" else block.schema
        if (schema, name) in without:
            continue
        if schema in schemas or (
            schema == "public"
            and kind != "SCHEMA"
            and (public_names is None or name in public_names)
        ):
            kept.append(block)
    return kept


def as_text(blocks: Iterable[Block]) -> str:
    """The objects as one text, a blank line between two."""
    return "".join(f"{block.text}\n\n" for block in blocks).rstrip("\n") + "\n"
