"""Any failure as one line: what, why, what to do."""

import os
import socket
import sys
from typing import Any
from urllib.parse import urlsplit

BAD_INPUT = 2
INTERRUPTED = 130


class CliError(Exception):
    """A refusal in words for people; ends the command with exit code 2."""


def not_blank(option: str, value: str | None) -> str | None:
    """The value of an option; a blank one, as of an unset variable, is no "everywhere"."""
    if value is not None and not value.strip():
        raise CliError(f"{option} is blank. Give it a value, or leave it out")
    return value


def debugging() -> bool:
    """Whether tracebacks are wanted (`PGKB_DEBUG=1`)."""
    return os.environ.get("PGKB_DEBUG", "") not in {"", "0"}


def line_for(error: BaseException) -> str:
    """One line for an error, with no traceback, no secret and no line break in it."""
    from app.masking import mask_secrets

    return " ".join(mask_secrets(_words_for(error)).split())


def _words_for(error: BaseException) -> str:
    if isinstance(error, CliError) or _speaks_for_itself(error):
        return str(error)
    if _is_a(error, "psycopg", "Error"):
        return _words_for_psycopg(error)
    if _is_a(error, "asyncpg", "PostgresError") or _is_a(error, "asyncpg", "InterfaceError"):
        return _words_for_asyncpg(error)
    if isinstance(error, ConnectionError | TimeoutError | socket.gaierror):
        return _UNREACHABLE.format(where=_database_place(), why=_reason(error))
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}. Check the path and its permissions"
    if isinstance(error, OSError):
        return f"the system refused: {error}. Check permissions and free space"
    return (
        f"unexpected {type(error).__name__}: {error}. "
        "Run again with PGKB_DEBUG=1 to see where it happened"
    )


_UNREACHABLE = (
    "the database{where} cannot be reached, {why}. "
    "Start it with `pgkb up`, or correct PGKB_DATABASE_URL"
)


def _reason(error: OSError) -> str:
    if isinstance(error, socket.gaierror):
        return "its host name is not known"
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    return os.strerror(error.errno).lower() if error.errno else str(error)


def _database_place() -> str:
    """` at host:port` of a database of one's own; the embedded one needs no telling."""
    parts = urlsplit(os.environ.get("PGKB_DATABASE_URL", ""))
    return f" at {parts.netloc.rpartition('@')[2]}" if parts.netloc else ""


# errors of our own rooms whose message already is the line for people
_OWN_WORDS = (
    ("app.settings", "SettingsError"),
    ("db.server", "ServerError"),
    ("db.tree", "DeployError"),
    ("ingest.errors", "IngestError"),
    ("ingest.packs.settings", "PackError"),
    ("ingest.samples.source", "SampleError"),
    ("providers.protocols", "ProviderError"),
)


def _speaks_for_itself(error: BaseException) -> bool:
    return any(_is_a(error, module, name) for module, name in _OWN_WORDS)


def _is_a(error: BaseException, module: str, name: str) -> bool:
    """isinstance without importing: a module never loaded cannot have raised."""
    loaded = sys.modules.get(module)
    kind = getattr(loaded, name, None) if loaded is not None else None
    return isinstance(kind, type) and isinstance(error, kind)


def _words_for_psycopg(error: Any) -> str:  # noqa: ANN401 - psycopg may not be loaded
    diag = getattr(error, "diag", None)
    state = getattr(error, "sqlstate", None)
    if state is None:
        first = str(error).strip().splitlines()[:1] or [type(error).__name__]
        return _UNREACHABLE.format(where="", why=first[0])
    return _with_hint(
        getattr(diag, "message_primary", None) or str(error),
        getattr(diag, "message_hint", None),
        state,
    )


def _words_for_asyncpg(error: Any) -> str:  # noqa: ANN401 - asyncpg may not be loaded
    from app.errors import STATUS_BY_SQLSTATE

    state = getattr(error, "sqlstate", None)
    if state is None or state[:2] in {"08", "28", "3D", "57"}:
        return _UNREACHABLE.format(where=_database_place(), why=error)
    hint = getattr(error, "hint", None)
    if state == "42501":
        hint = "Grant the login the role pgkb_app"
    elif hint is None and state not in STATUS_BY_SQLSTATE and state[:2] == "42":
        hint = "Bring the database up to date with `pgkb up`"
    return _with_hint(getattr(error, "message", None) or str(error), hint, state)


def _with_hint(message: str, hint: str | None, state: str) -> str:
    line = f"{message} ({state})"
    return f"{line}. {hint}" if hint else line
