"""One place where a provider's name and the environment become an embedder."""

import ipaddress
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from providers.protocols import Embedder, ProviderError

if TYPE_CHECKING:
    from providers.openai_clients import Connection
    from providers.openai_embed import Limits

PROVIDERS = ("local", "openai", "azure", "compatible")
OPENAI_URL = "https://api.openai.com/v1"
AZURE_API_VERSION = "2024-10-21"
# Small servers of one's own often take no more than this many texts in a request.
COMPATIBLE_MAX_ITEMS = 32


def embedder_for(
    provider: str, model: str, width: int, environ: Mapping[str, str] = os.environ
) -> Embedder:
    """The embedder of an embedding set: provider is local, openai, azure or compatible.

    Raises ProviderError (code misconfigured) with one line naming the variable to set.
    """
    if provider not in PROVIDERS:
        raise _misconfigured(
            f"unknown embedding provider {provider[:40]!r}: use one of {', '.join(PROVIDERS)}"
        )
    # both clients are slow to import, so only the one in use is
    if provider == "local":
        from providers.local import LocalEmbedder

        return LocalEmbedder(model=model, width=width, environ=environ)
    from providers.openai_embed import OpenAIEmbedder

    return OpenAIEmbedder(
        connection=_connection(provider, model, environ),
        model=model,
        width=width,
        limits=_limits(provider, environ),
    )


def _misconfigured(message: str) -> ProviderError:
    return ProviderError(message, code="misconfigured")


def _connection(provider: str, model: str, environ: Mapping[str, str]) -> "Connection":
    if provider == "azure":
        return _azure(model, environ)
    if provider == "openai":
        return _openai(model, environ)
    return _compatible(environ)


def _azure(model: str, environ: Mapping[str, str]) -> "Connection":
    from providers.openai_clients import Connection

    endpoint = _required(environ, "AZURE_OPENAI_ENDPOINT", "https://NAME.openai.azure.com")
    return Connection(
        provider="azure",
        base_url=_address(endpoint, "AZURE_OPENAI_ENDPOINT", secure=True),
        key=_key(environ, "AZURE_OPENAI_API_KEY"),
        key_name="AZURE_OPENAI_API_KEY",
        send_dimensions=_takes_dimensions(model),
        deployment=_required(environ, "AZURE_OPENAI_EMBEDDING_DEPLOYMENT", "the deployment's name"),
        api_version=_value(environ, "AZURE_OPENAI_API_VERSION") or AZURE_API_VERSION,
        direct=_is_loopback(endpoint),
    )


def _openai(model: str, environ: Mapping[str, str]) -> "Connection":
    from providers.openai_clients import Connection

    own = _value(environ, "PGKB_EMBED_API_KEY")
    key_name = "PGKB_EMBED_API_KEY" if own else "OPENAI_API_KEY"
    url = _value(environ, "OPENAI_BASE_URL") or OPENAI_URL
    return Connection(
        provider="openai",
        base_url=_address(url, "OPENAI_BASE_URL", secure=True),
        key=_key(environ, key_name),
        key_name=key_name,
        send_dimensions=_takes_dimensions(model),
        direct=_is_loopback(url),
    )


def _compatible(environ: Mapping[str, str]) -> "Connection":
    from providers.openai_clients import Connection

    name = "PGKB_EMBED_BASE_URL"
    url = _value(environ, name)
    # OpenAI's own key goes only to the address that was given together with it
    key_names = ["PGKB_EMBED_API_KEY"]
    if not url:
        url = _value(environ, "OPENAI_BASE_URL")
        name = "OPENAI_BASE_URL"
        key_names.append("OPENAI_API_KEY")
    if not url:
        raise _misconfigured(
            "the embedding provider 'compatible' needs PGKB_EMBED_BASE_URL: set it to the "
            "server's address, such as http://127.0.0.1:8000/v1"
        )
    key_name = next((each for each in key_names if _value(environ, each)), key_names[0])
    return Connection(
        provider="compatible",
        base_url=_address(url, name, secure=False),
        # many servers of one's own take any key; the client insists on one
        key=_key(environ, key_name) if _value(environ, key_name) else "none",
        key_name=key_name,
        send_dimensions=_value(environ, "PGKB_EMBED_SEND_DIMENSIONS") == "1",
        direct=_is_loopback(url),
    )


def _takes_dimensions(model: str) -> bool:
    # the one older model refuses the parameter
    return "ada-002" not in model


def _limits(provider: str, environ: Mapping[str, str]) -> "Limits":
    from providers.openai_embed import Limits

    usual = Limits(max_items=COMPATIBLE_MAX_ITEMS) if provider == "compatible" else Limits()
    return Limits(
        max_items=int(_number(environ, "PGKB_EMBED_MAX_ITEMS", usual.max_items)),
        max_request_tokens=int(
            _number(environ, "PGKB_EMBED_MAX_REQUEST_TOKENS", usual.max_request_tokens)
        ),
        max_input_tokens=int(
            _number(environ, "PGKB_EMBED_MAX_INPUT_TOKENS", usual.max_input_tokens)
        ),
        attempts=int(_number(environ, "PGKB_EMBED_ATTEMPTS", usual.attempts)),
        longest_wait=_number(environ, "PGKB_EMBED_MAX_WAIT", usual.longest_wait),
        timeout=_number(environ, "PGKB_EMBED_TIMEOUT", usual.timeout),
    )


def _value(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name, "").strip()


def _required(environ: Mapping[str, str], name: str, example: str) -> str:
    value = _value(environ, name)
    if not value:
        raise _misconfigured(f"{name} is not set: set it to {example}")
    return value


def _key(environ: Mapping[str, str], name: str) -> str:
    key = _required(environ, name, "the service's key, or use the offline provider 'local'")
    if not key.isascii() or not key.isprintable() or " " in key:
        # the HTTP client would refuse it too, with the key in its message
        raise _misconfigured(f"{name} holds a space or a character that no key has: copy it again")
    return key


def _number(environ: Mapping[str, str], name: str, usual: float) -> float:
    value = _value(environ, name)
    if not value:
        return usual
    if not value.isdecimal() or not 1 <= int(value) <= 10_000_000:
        raise _misconfigured(f"{name} must be a whole number from 1 up")
    return int(value)


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _address(url: str, name: str, *, secure: bool) -> str:
    """The checked base address; ``secure`` asks for https unless the server is on this machine."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or port == 0 or parts.scheme not in ("http", "https"):
        raise _misconfigured(f"{name} is not an address: it must look like https://host/path")
    if parts.username or parts.password:
        raise _misconfigured(f"{name} must not hold a user name or password: set the key instead")
    if secure and parts.scheme != "https" and not _is_loopback(url):
        raise _misconfigured(
            f"{name} must start with https://, or the key could be read on the way"
        )
    return url.rstrip("/")
