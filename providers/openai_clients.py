"""Builds the openai package's clients: where the service is, which key, and nothing by surprise."""

from dataclasses import dataclass, field

import openai


@dataclass(frozen=True, slots=True)
class Connection:
    """Where a service is and how to speak to it. The key stays out of ``repr``."""

    provider: str
    base_url: str  # for Azure: the resource's endpoint, without the deployment
    key: str = field(repr=False)
    key_name: str  # the environment variable that people set the key with
    send_dimensions: bool
    deployment: str | None = None  # Azure: the name in the path
    api_version: str | None = None  # Azure
    direct: bool = False  # leave proxy settings aside: the server is on this machine


# The client's own retries are off: it would repeat what cannot succeed, and each call on its own.
# Redirects are off: Azure's key header would follow one to another host.


def sync_client(connection: Connection, *, timeout: float) -> openai.OpenAI:
    """A blocking client. ``timeout`` is in seconds without a byte from the service."""
    http = openai.DefaultHttpxClient(
        follow_redirects=False, timeout=timeout, trust_env=not connection.direct
    )
    if connection.deployment is None:
        return openai.OpenAI(
            base_url=connection.base_url, api_key=connection.key, max_retries=0, http_client=http
        )
    return openai.AzureOpenAI(
        azure_endpoint=connection.base_url,
        azure_deployment=connection.deployment,
        api_version=connection.api_version,
        api_key=connection.key,
        max_retries=0,
        http_client=http,
    )


def async_client(connection: Connection, *, timeout: float) -> openai.AsyncOpenAI:
    """As ``sync_client``, for the running event loop."""
    http = openai.DefaultAsyncHttpxClient(
        follow_redirects=False, timeout=timeout, trust_env=not connection.direct
    )
    if connection.deployment is None:
        return openai.AsyncOpenAI(
            base_url=connection.base_url, api_key=connection.key, max_retries=0, http_client=http
        )
    return openai.AsyncAzureOpenAI(
        azure_endpoint=connection.base_url,
        azure_deployment=connection.deployment,
        api_version=connection.api_version,
        api_key=connection.key,
        max_retries=0,
        http_client=http,
    )
