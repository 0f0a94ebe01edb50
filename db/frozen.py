"""Migrations that left a branch never change again: their hashes are kept in frozen.txt."""

from __future__ import annotations

import re
from pathlib import Path

from db.tree import DeployError, read_tree

_NAME = re.compile(r"^[a-z0-9]+(?:_[a-z0-9]+)*$")
_SKELETON = """\
-- {name}
-- why
-- lock
-- undo
set local lock_timeout = '2s';
set local statement_timeout = '60s';

"""


def _list_path(root: Path) -> Path:
    return root / "migrations" / "frozen.txt"


def frozen_hashes(root: Path) -> dict[str, str]:
    """Migration name to hash, as frozen.txt has it; raises DeployError on a broken line."""
    path = _list_path(root)
    if not path.is_file():
        return {}
    found: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        parts = line.split()
        if len(parts) != 2 or len(parts[0]) != 64:
            raise DeployError(
                f"{root.name}/migrations/frozen.txt:{number}: expected a sha256 and a file name; "
                "restore the file from version control"
            )
        found[parts[1].removesuffix(".sql")] = parts[0]
    return found


def frozen_problems(root: Path) -> list[str]:
    """Frozen migrations that changed or vanished, and migrations nobody froze yet."""
    frozen = frozen_hashes(root)
    tree = read_tree(root)
    on_disk = {file.stem: file for file in tree.migrations}
    problems = _changed(root, frozen)
    problems += [
        f"{file.label}: not in frozen.txt yet; run: python -m db snapshot"
        for name, file in on_disk.items()
        if name not in frozen
    ]
    return problems


def _changed(root: Path, frozen: dict[str, str]) -> list[str]:
    on_disk = {file.stem: file for file in read_tree(root).migrations}
    problems: list[str] = []
    for name, sha256 in frozen.items():
        if name not in on_disk:
            problems.append(f"{root.name}/migrations/{name}.sql: is frozen but gone; restore it")
        elif on_disk[name].sha256 != sha256:
            problems.append(
                f"{on_disk[name].label}: changed after it was frozen; write a new migration, or, "
                "if it never left your branch, delete its line from frozen.txt"
            )
    return problems


def freeze(root: Path) -> list[str]:
    """Append every migration that is not in frozen.txt yet; returns their names.

    Raises DeployError when one that is in it has changed.
    """
    frozen = frozen_hashes(root)
    problems = _changed(root, frozen)
    if problems:
        raise DeployError(problems[0])
    fresh = [file for file in read_tree(root).migrations if file.stem not in frozen]
    if fresh:
        with _list_path(root).open("a", encoding="utf-8") as target:
            target.writelines(f"{file.sha256}  {file.stem}.sql\n" for file in fresh)
    return [file.stem for file in fresh]


def new_migration(root: Path, name: str) -> Path:
    """Freeze what is there and start the next migration; returns its path."""
    if not _NAME.match(name):
        raise DeployError(
            f'"{name}" is no migration name: use lower-case words joined by _, '
            "as in add_document_language"
        )
    freeze(root)
    number = len(read_tree(root).migrations) + 1
    path = root / "migrations" / f"{number:04d}_{name}.sql"
    path.write_text(_SKELETON.format(name=path.stem), encoding="utf-8")
    return path
