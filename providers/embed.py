"""One place where a provider's name and the environment become an embedder."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from providers.environment import (
    AZURE_API_VERSION,
    OPENAI_URL,
    address,
    is_loopback,
    key_of,
    misconfigured,
    number,
    required,
    value,
)
from providers.protocols import Embedder

if TYPE_CHECKING:
    from providers.openai_clients import Connection
    from providers.openai_embed import Limits

PROVIDERS = ("local", "openai", "azure", "compatible")
# Small servers of one's own often take no more than this many texts in a request.
COMPATIBLE_MAX_ITEMS = 32


def embedder_for(
    provider: str, model: str, width: int, environ: Mapping[str, str] = os.environ
) -> Embedder:
    """The embedder of an embedding set: provider is local, openai, azure or compatible.

    Raises ProviderError (code misconfigured) with one line naming the variable to set.
    """
    if provider not in PROVIDERS:
        raise misconfigured(
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


def _connection(provider: str, model: str, environ: Mapping[str, str]) -> "Connection":
    if provider == "azure":
        return _azure(model, environ)
    if provider == "openai":
        return _openai(model, environ)
    return _compatible(environ)


def _azure(model: str, environ: Mapping[str, str]) -> "Connection":
    from providers.openai_clients import Connection

    endpoint = required(environ, "AZURE_OPENAI_ENDPOINT", "https://NAME.openai.azure.com")
    return Connection(
        provider="azure",
        base_url=address(endpoint, "AZURE_OPENAI_ENDPOINT", secure=True),
        key=key_of(environ, "AZURE_OPENAI_API_KEY"),
        key_name="AZURE_OPENAI_API_KEY",
        send_dimensions=_takes_dimensions(model),
        deployment=required(environ, "AZURE_OPENAI_EMBEDDING_DEPLOYMENT", "the deployment's name"),
        api_version=value(environ, "AZURE_OPENAI_API_VERSION") or AZURE_API_VERSION,
        direct=is_loopback(endpoint),
    )


def _openai(model: str, environ: Mapping[str, str]) -> "Connection":
    from providers.openai_clients import Connection

    own = value(environ, "PGKB_EMBED_API_KEY")
    key_name = "PGKB_EMBED_API_KEY" if own else "OPENAI_API_KEY"
    url = value(environ, "OPENAI_BASE_URL") or OPENAI_URL
    return Connection(
        provider="openai",
        base_url=address(url, "OPENAI_BASE_URL", secure=True),
        key=key_of(environ, key_name),
        key_name=key_name,
        send_dimensions=_takes_dimensions(model),
        direct=is_loopback(url),
    )


def _compatible(environ: Mapping[str, str]) -> "Connection":
    from providers.openai_clients import Connection

    name = "PGKB_EMBED_BASE_URL"
    url = value(environ, name)
    # OpenAI's own key goes only to the address that was given together with it
    key_names = ["PGKB_EMBED_API_KEY"]
    if not url:
        url = value(environ, "OPENAI_BASE_URL")
        name = "OPENAI_BASE_URL"
        key_names.append("OPENAI_API_KEY")
    if not url:
        raise misconfigured(
            "the embedding provider 'compatible' needs PGKB_EMBED_BASE_URL: set it to the "
            "server's address, such as http://127.0.0.1:8000/v1"
        )
    key_name = next((each for each in key_names if value(environ, each)), key_names[0])
    return Connection(
        provider="compatible",
        base_url=address(url, name, secure=False),
        # many servers of one's own take any key; the client insists on one
        key=key_of(environ, key_name) if value(environ, key_name) else "none",
        key_name=key_name,
        send_dimensions=value(environ, "PGKB_EMBED_SEND_DIMENSIONS") == "1",
        direct=is_loopback(url),
    )


def _takes_dimensions(model: str) -> bool:
    # the one older model refuses the parameter
    return "ada-002" not in model


def _limits(provider: str, environ: Mapping[str, str]) -> "Limits":
    from providers.openai_embed import Limits

    usual = Limits(max_items=COMPATIBLE_MAX_ITEMS) if provider == "compatible" else Limits()
    return Limits(
        max_items=int(number(environ, "PGKB_EMBED_MAX_ITEMS", usual.max_items)),
        max_request_tokens=int(
            number(environ, "PGKB_EMBED_MAX_REQUEST_TOKENS", usual.max_request_tokens)
        ),
        max_input_tokens=int(
            number(environ, "PGKB_EMBED_MAX_INPUT_TOKENS", usual.max_input_tokens)
        ),
        attempts=int(number(environ, "PGKB_EMBED_ATTEMPTS", usual.attempts)),
        longest_wait=number(environ, "PGKB_EMBED_MAX_WAIT", usual.longest_wait),
        timeout=number(environ, "PGKB_EMBED_TIMEOUT", usual.timeout),
    )
