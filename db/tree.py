"""The SQL files under db/, read once and named the way messages name them."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent
MIGRATION_NAME = re.compile(r"^(\d{4})_[a-z0-9]+(?:_[a-z0-9]+)*$")
_HEADER_MARK = re.compile(r"^--\s*(.*?)\s*$")


class DeployError(Exception):
    """Something was refused; the message is one line that says what, why and what to do."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One SQL file: `path` is relative to the tree, `label` is what people are shown."""

    path: str
    label: str
    text: str
    sha256: str

    @property
    def stem(self) -> str:
        """The file name without its ending."""
        return self.path.rsplit("/", 1)[-1].removesuffix(".sql")

    @property
    def schema(self) -> str:
        """The folder of a function or trigger file, which is the schema's name."""
        return self.path.split("/")[-2]

    @property
    def header(self) -> tuple[str, ...]:
        """The comment lines the file opens with, without their dashes."""
        lines: list[str] = []
        for line in self.text.splitlines():
            found = _HEADER_MARK.match(line)
            if found is None:
                break
            lines.append(found[1])
        return tuple(lines)

    def says(self, mark: str) -> bool:
        """True when a header line is exactly this mark."""
        return any(line == mark for line in self.header)

    @property
    def requires_plpython(self) -> bool:
        """An optional file: deployed by a superuser, and only where plpython3u loads."""
        return self.says("requires plpython3u")

    @property
    def outside_transaction(self) -> bool:
        """A migration whose one statement cannot run inside a transaction block."""
        return self.says("transaction: none")

    @property
    def defines_functions(self) -> bool:
        """A migration whose table definitions need a function, which therefore lives in it."""
        return any(line.startswith("definition needs") for line in self.header)

    def line_of(self, position: int) -> int:
        """The line (from 1) of a character position (from 0)."""
        return self.text.count("\n", 0, max(position, 0)) + 1


@dataclass(frozen=True, slots=True)
class Tree:
    """Everything a deploy needs, in the order the files sort."""

    root: Path
    migrations: tuple[SourceFile, ...]
    functions: tuple[SourceFile, ...]
    triggers: tuple[SourceFile, ...]
    grants: SourceFile | None

    @property
    def repeatable(self) -> tuple[SourceFile, ...]:
        """The files that are run again whenever one of them changed."""
        last = () if self.grants is None else (self.grants,)
        return (*self.functions, *self.triggers, *last)


def digest(text: str) -> str:
    """The sha256 that the ledger and frozen.txt keep of a file's text."""
    return hashlib.sha256(text.encode()).hexdigest()


def read_file(root: Path, path: Path) -> SourceFile:
    """Read one file of the tree; raises DeployError when it is not readable UTF-8 text."""
    relative = path.relative_to(root).as_posix()
    label = f"{root.name}/{relative}"
    try:
        # a checkout may translate line ends; the hash must not notice
        text = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise DeployError(
            f"{label}: not UTF-8 text (byte {error.start}); save the file as UTF-8"
        ) from None
    except OSError as error:
        raise DeployError(f"{label}: cannot be read: {error.strerror}") from None
    return SourceFile(path=relative, label=label, text=text, sha256=digest(text))


def read_tree(root: Path = ROOT) -> Tree:
    """Read every SQL file; raises DeployError when the folder is no tree of ours."""
    if not (root / "migrations").is_dir():
        raise DeployError(f"{root}: no migrations folder here; run from a complete checkout")

    def files(pattern: str) -> tuple[SourceFile, ...]:
        return tuple(read_file(root, path) for path in sorted(root.glob(pattern)))

    grants = root / "grants.sql"
    return Tree(
        root=root,
        migrations=files("migrations/*.sql"),
        functions=files("functions/*/*.sql"),
        triggers=files("triggers/*/*.sql"),
        grants=read_file(root, grants) if grants.is_file() else None,
    )
