"""Whom the server runs as: never root, because PostgreSQL refuses it."""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

SYSTEM_USER = "pgkb"
FALLBACK_USER = "nobody"


class Identity(TypedDict, total=False):
    """The arguments of `subprocess` that make a child run as somebody else."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class Account:
    """The operating-system user that owns the data directory and runs the server."""

    name: str
    uid: int
    gid: int
    notice: str | None = None

    def identity(self) -> Identity:
        """Empty when we are that user already; otherwise what drops root's rights, all of them."""
        if self.uid == os.geteuid():
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def server_account(data: Path, *, system_user: str = SYSTEM_USER) -> Account:
    """Who runs the server on this data directory.

    A normal user runs it as themselves. For root it is the owner of an existing data directory,
    else the system user, made when missing, else `nobody` with a notice that says so.

    Raises OSError when the machine has no user to run it as.
    """
    if os.geteuid() != 0:
        return _numbered(os.geteuid(), os.getegid())
    if data.exists():
        found = data.stat()
        return _numbered(found.st_uid, found.st_gid)
    return _named(system_user) or _created(system_user)


def _numbered(uid: int, gid: int) -> Account:
    try:
        return Account(name=pwd.getpwuid(uid).pw_name, uid=uid, gid=gid)
    except KeyError:  # a container may run under a number that has no name
        return Account(name=str(uid), uid=uid, gid=gid)


def _named(name: str) -> Account | None:
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(name=name, uid=entry.pw_uid, gid=entry.pw_gid) if entry.pw_uid else None


def _created(name: str) -> Account:
    reason = "useradd is not installed"
    if useradd := shutil.which("useradd"):
        made = subprocess.run(
            [useradd, "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent",
             "--shell", "/usr/sbin/nologin", name],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        reason = " ".join(made.stderr.split()) or f"useradd ended with code {made.returncode}"
    # asked again whatever the code was: another process may have made the user meanwhile
    if account := _named(name):
        return account
    fallback = _named(FALLBACK_USER)
    if fallback is None:
        raise OSError(f"user {name} could not be created ({reason})")
    return Account(
        name=fallback.name,
        uid=fallback.uid,
        gid=fallback.gid,
        notice=(
            f"user {name} could not be created ({reason}), so the database server runs as "
            f"{fallback.name}, which other services may share; create a system user {name} "
            "before the first start to keep its files apart"
        ),
    )
