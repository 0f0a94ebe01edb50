"""What the app reads from its environment: checked once, at start, never again."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

_MEGABYTE = 1024 * 1024


class SettingsError(ValueError):
    """A setting cannot be used; the message is the one line a person reads."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything `create_app` needs to know.

    `database_settings` are server settings of every pooled connection (`kb.rrf_k` and friends);
    times are seconds. `max_retries` is how often a question that found nothing is rewritten and
    asked again. With `anonymous` nobody has to sign in to ask.
    `token_keys` sign access tokens, the first new ones; without any a key is made that ends with
    this process. What is uploaded waits in `upload_dir` for a worker; an upload is answered as soon
    as it was read, after `upload_wait` at the latest.
    this process. What proxies in `trusted_proxies` say about where a request comes from counts.

    `pooler` is `transaction` behind a pooler that lends a connection per transaction, else `none`.
    `metrics_token` opens /metrics to whoever sends it; without one only this machine may read it.
    `cors_origins` are the sites whose pages may call the API. `migration` is the newest one that
    this program knows, when whoever starts it can tell.
    """

    database_url: str = field(repr=False)
    pool_size: int = 10
    connect_timeout: float = 5.0
    statement_timeout: float = 30.0
    embed_timeout: float = 20.0
    max_retries: int = 0
    chat_timeout: float = 120.0
    database_settings: Mapping[str, str] = field(default_factory=dict)
    anonymous: bool = False
    token_keys: tuple[str, ...] = field(default=(), repr=False)
    upload_dir: Path | None = None
    upload_wait: float = 5.0
    max_file_bytes: int = 50 * _MEGABYTE
    max_zip_bytes: int = 200 * _MEGABYTE
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    pooler: str = "none"
    metrics_token: str | None = field(default=None, repr=False)
    cors_origins: tuple[str, ...] = ()
    shutdown_seconds: float = 20.0
    migration: str | None = None


@dataclass(frozen=True, slots=True)
class Knob:
    """One environment variable that becomes one setting of the database session."""

    variable: str
    setting: str
    read: Callable[[str], object]
    wants: str


_ON = frozenset({"1", "true", "yes", "on"})
_OFF = frozenset({"0", "false", "no", "off"})


def _switch(text: str) -> bool:
    if text.lower() not in _ON | _OFF:
        raise ValueError
    return text.lower() in _ON


# the kind is checked here, so that a slip is told without a database; the bounds are the
# database's own (config.setting) and checked against it at start
KNOBS = (
    Knob("RAG_RRF_K", "kb.rrf_k", float, "a number"),
    Knob("RAG_RELEVANCE_THRESHOLD", "kb.relevance_threshold", float, "a number"),
    Knob("RAG_TOP_K", "kb.top_k", int, "a whole number"),
    Knob("CHUNK_EXPANSION_ENABLED", "kb.chunk_expansion_enabled", _switch, "on or off"),
)

# libpq reads these from a URL; asyncpg would send them to the server, which refuses them
_LIBPQ_ONLY = frozenset(
    {
        "channel_binding",
        "connect_timeout",
        "fallback_application_name",
        "gssencmode",
        "keepalives",
        "keepalives_count",
        "keepalives_idle",
        "keepalives_interval",
        "tcp_user_timeout",
    }
)


def from_environ(
    environ: Mapping[str, str] = os.environ, *, database_url: str | None = None
) -> Settings:
    """Read the settings; `database_url` wins over `PGKB_DATABASE_URL`.

    Raises `SettingsError` with one line naming the variable, its value and what it may be.
    """
    url = database_url or environ.get("PGKB_DATABASE_URL", "").strip()
    if not url:
        raise SettingsError(
            "PGKB_DATABASE_URL is not set, so there is no database to ask. "
            "Set it, or start with `pgkb serve`, which brings its own server"
        )
    chosen = {
        knob.setting: text.lower()
        for knob in KNOBS
        if (text := _read(environ, knob.variable, knob.read, knob.wants)) is not None
    }
    pool_size = _read(environ, "PGKB_POOL_SIZE", _at_least(1), "a whole number from 1")
    proxies = _read(
        environ, "PGKB_TRUSTED_PROXIES", _networks, "addresses or networks, with commas between"
    )
    anonymous = _read(environ, "PGKB_ANONYMOUS", _switch, "on or off")
    upload_wait = _read(environ, "PGKB_UPLOAD_WAIT_SECONDS", _at_least(0), "a whole number from 0")
    max_file = _read(environ, "PGKB_MAX_FILE_MB", _at_least(1), "a whole number from 1")
    max_zip = _read(environ, "PGKB_MAX_ZIP_MB", _at_least(1), "a whole number from 1")
    upload_dir = environ.get("PGKB_UPLOAD_DIR", "").strip()
    pooler = _read(environ, "PGKB_POOLER", _one_of("none", "transaction"), "none or transaction")
    shutdown = _read(environ, "PGKB_SHUTDOWN_SECONDS", _at_least(0), "a whole number from 0")
    metrics_token = _read(
        environ, "PGKB_METRICS_TOKEN", _secret, "a secret of 16 characters or more", shown=False
    )
    max_retries = _read(environ, "RAG_MAX_RETRIES", _at_least(0), "a whole number from 0")
    chat_timeout = _read(environ, "PGKB_CHAT_TIMEOUT", _at_least(1), "a whole number from 1")
    return Settings(
        database_url=usable_url(url),
        pool_size=int(pool_size or 10),
        max_retries=int(max_retries or 0),
        chat_timeout=float(chat_timeout or 120),
        database_settings=chosen,
        anonymous=anonymous is not None and _switch(anonymous),
        token_keys=_words(environ.get("PGKB_TOKEN_KEY", "")),
        upload_dir=Path(upload_dir) if upload_dir else None,
        upload_wait=float(upload_wait or 5),
        max_file_bytes=int(max_file or 50) * _MEGABYTE,
        max_zip_bytes=int(max_zip or 200) * _MEGABYTE,
        trusted_proxies=_networks(proxies or ""),
        pooler=pooler or "none",
        metrics_token=metrics_token,
        cors_origins=_list(
            environ, "PGKB_CORS_ORIGINS", _origin, "a site such as https://www.example.org"
        ),
        shutdown_seconds=float(shutdown or 20),
    )


def _words(text: str) -> tuple[str, ...]:
    """The parts of a list with commas, without blanks around them."""
    return tuple(word for part in text.split(",") if (word := part.strip()))


def _networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(word) for word in _words(text))


def _at_least(low: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = int(text)
        if number < low:
            raise ValueError
        return number

    return read


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    return read


def _secret(text: str) -> str:
    if len(text) < 16:
        raise ValueError
    return text


def _origin(text: str) -> str:
    """A site as browsers name it: scheme, host and port, nothing after them."""
    parts = urlsplit(text)
    _ = parts.port
    if parts.scheme not in {"http", "https"} or not parts.hostname or "*" in text:
        raise ValueError
    if text != f"{parts.scheme}://{parts.netloc}" or parts.username is not None:
        raise ValueError
    return text


def usable_url(url: str) -> str:
    """The URL without the parameters only libpq knows; raises `SettingsError` if it is none.

    The URL itself is never repeated in the message: it may hold a password.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"postgresql", "postgres"}:
        raise SettingsError(
            "PGKB_DATABASE_URL is not a PostgreSQL URL. "
            "Write it as postgresql://user:password@host:port/database"
        )
    kept = [(name, value) for name, value in parse_qsl(parts.query) if name not in _LIBPQ_ONLY]
    return urlunsplit(parts._replace(query=urlencode(kept)))


def _list(
    environ: Mapping[str, str], variable: str, read: Callable[[str], object], wants: str
) -> tuple[str, ...]:
    """The parts of a list with commas, each of the right kind."""
    parts = _words(environ.get(variable, ""))
    for part in parts:
        _read({variable: part}, variable, read, wants)
    return parts


def _read(
    environ: Mapping[str, str],
    variable: str,
    read: Callable[[str], object],
    wants: str,
    *,
    shown: bool = True,
) -> str | None:
    """The variable's text once it is known to be of the right kind; None when it is not set."""
    text = environ.get(variable, "").strip()
    if not text:
        return None
    try:
        read(text)
    except ValueError:
        value = repr(text) if shown else "set to something"
        raise SettingsError(f"{variable} is {value}, which is not {wants}. Correct it") from None
    return text
