"""One place where the environment becomes a chat model, or none."""

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
from providers.protocols import ChatModel

if TYPE_CHECKING:
    from providers.openai_clients import Connection

SILENCE = 30  # seconds without a byte


def chat_model_for(environ: Mapping[str, str] = os.environ) -> ChatModel | None:
    """The chat model that is asked for: by PGKB_CHAT_MODEL, or by an Azure deployment. None when
    neither is: a key that is there for embeddings sends no question to a chat model.

    Raises ProviderError (code misconfigured) with one line naming the variable to set.
    """
    model = value(environ, "PGKB_CHAT_MODEL")
    deployment = value(environ, "AZURE_OPENAI_CHAT_DEPLOYMENT")
    if not model and not deployment:
        return None
    connection = _azure(environ, deployment) if deployment else _open(environ)
    # slow to import, and most installations answer by quoting
    from providers.openai_chat import OpenAIChat

    return OpenAIChat(
        connection=connection,
        model=model or deployment,
        silence=number(environ, "PGKB_CHAT_SILENCE", SILENCE),
    )


def _azure(environ: Mapping[str, str], deployment: str) -> "Connection":
    from providers.openai_clients import Connection

    endpoint = required(environ, "AZURE_OPENAI_ENDPOINT", "https://NAME.openai.azure.com")
    return Connection(
        provider="azure",
        base_url=address(endpoint, "AZURE_OPENAI_ENDPOINT", secure=True),
        key=key_of(environ, "AZURE_OPENAI_API_KEY"),
        key_name="AZURE_OPENAI_API_KEY",
        send_dimensions=False,
        deployment=deployment,
        api_version=value(environ, "AZURE_OPENAI_API_VERSION") or AZURE_API_VERSION,
        direct=is_loopback(endpoint),
    )


def _open(environ: Mapping[str, str]) -> "Connection":
    from providers.openai_clients import Connection

    own = value(environ, "PGKB_CHAT_BASE_URL")
    name = "PGKB_CHAT_BASE_URL" if own else "OPENAI_BASE_URL"
    url = own or value(environ, name) or OPENAI_URL
    # OpenAI's own key goes only to OpenAI, or to the address that was given together with it
    key_names = ["PGKB_CHAT_API_KEY", *([] if own else ["OPENAI_API_KEY"])]
    key_name = next((each for each in key_names if value(environ, each)), key_names[-1])
    if not own and not value(environ, key_name):
        raise misconfigured(
            "PGKB_CHAT_MODEL is set but no key for it is: set OPENAI_API_KEY, or "
            "PGKB_CHAT_BASE_URL for a server of your own"
        )
    return Connection(
        provider="openai" if url.rstrip("/") == OPENAI_URL else "compatible",
        base_url=address(url, name, secure=not own),
        # many servers of one's own take any key; the client insists on one
        key=key_of(environ, key_name) if value(environ, key_name) else "none",
        key_name=key_name,
        send_dimensions=False,
        direct=is_loopback(url),
    )
