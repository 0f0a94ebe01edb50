"""db/schema.sql: what the files make, written down so that a review sees every effect."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from db import dump
from db.shadow import shadow_database
from db.syntax import functions_in, our_schemas
from db.tree import Tree, read_tree

_HEADER = """\
-- Derived from the files beside it by: python -m db snapshot
-- Never edited, never run: it shows in review what a change does to the database.
-- Functions that require plpython3u are left out, because not every server has them. Of the others
-- the body stands in its own file; its digest here shows that a database would get another one.

"""
_BODY = re.compile(r"^    AS (\$\w*\$)(.*)\1;$", re.DOTALL | re.MULTILINE)


def snapshot_text(url: str, *, root: Path) -> str:
    """The normalised dump of a database freshly built on the server of `url`."""
    tree = read_tree(root)
    with shadow_database(url, root=root) as shadow:
        schemas = our_schemas(tree)
        blocks = dump.ours(
            dump.dump_schemas(shadow.url, schemas),
            schemas=schemas,
            public_names=None,
            without=optional_functions(tree),
        )
    return _HEADER + dump.as_text(_with_digests(blocks))


def _with_digests(blocks: Iterable[dump.Block]) -> Iterable[dump.Block]:
    """Every function with the digest of its body in place of the body."""
    for block in blocks:
        routine = block.kind in ("FUNCTION", "PROCEDURE")
        yield replace(block, text=_BODY.sub(_digest, block.text)) if routine else block


def _digest(body: re.Match[str]) -> str:
    return f"    AS 'sha256 {hashlib.sha256(body[2].encode()).hexdigest()[:16]}';"


def optional_functions(tree: Tree) -> set[tuple[str, str]]:
    """(schema, name) of the functions that exist only where plpython3u does."""
    return {
        (found.schema, found.name)
        for file in tree.functions
        if file.requires_plpython
        for found in functions_in(file)
    }


def write_snapshot(url: str, *, root: Path) -> Path:
    """Write schema.sql; returns its path."""
    path = root / "schema.sql"
    path.write_text(snapshot_text(url, root=root), encoding="utf-8")
    return path


def stale_lines(url: str, *, root: Path) -> list[str]:
    """A unified diff from schema.sql to what the files make; empty when they agree."""
    path = root / "schema.sql"
    written = path.read_text(encoding="utf-8") if path.is_file() else ""
    made = snapshot_text(url, root=root)
    if written == made:
        return []
    label = f"{root.name}/schema.sql"
    lines = difflib.unified_diff(
        written.splitlines(), made.splitlines(), label, "what the files make", lineterm=""
    )
    return [f"{label}: is stale; run: python -m db snapshot", *lines]
