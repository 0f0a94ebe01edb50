"""Requests made for a browser, which itself reaches nothing."""

import io
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, replace

import httpx2

from ingest.fetch.addresses import AddressPolicy
from ingest.fetch.answers import as_fetch_errors, write_body
from ingest.fetch.pinning import Budget, PinnedTransport
from ingest.fetch.resolve import Resolver
from ingest.fetch.settings import FetchSettings
from ingest.fetch.urls import checked_url


@dataclass(frozen=True, slots=True)
class Relayed:
    """An answer of whatever status; redirects are not followed. Header names are in lower case."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


class Relay:
    """Asks for one page and all that belongs to it; time and bytes are those of all together."""

    def __init__(
        self,
        settings: FetchSettings,
        *,
        resolver: Resolver,
        policy: AddressPolicy,
        ssl_context: ssl.SSLContext,
    ) -> None:
        self._settings = settings
        self._budget = Budget(settings)
        self._transport = PinnedTransport(
            resolver=resolver, policy=policy, budget=self._budget, ssl_context=ssl_context
        )
        self._left = settings.max_bytes

    def get(self, url: str, headers: Mapping[str, str]) -> Relayed:
        """The answer to a GET. Raises FetchError for what may not be asked for or fails."""
        here = checked_url(url, ports=self._settings.ports)
        quiet = self._settings.quiet_seconds
        timeouts = {"connect": self._settings.connect_seconds, "read": quiet, "write": quiet}
        body = io.BytesIO()
        with as_fetch_errors():
            request = httpx2.Request(
                "GET",
                here,
                headers=[
                    *((name.encode(), value.encode()) for name, value in headers.items()),
                    (b"Accept-Encoding", b"gzip, deflate"),
                ],
                extensions={"timeout": {**timeouts, "pool": quiet}},
            )
            answer = self._transport.handle_request(request)
            try:
                self._left -= write_body(
                    answer, body, replace(self._settings, max_bytes=self._left), self._budget
                )
            finally:
                answer.close()
        return Relayed(
            status=answer.status_code,
            headers=tuple(
                (name.decode("latin-1").lower(), value.decode("latin-1"))
                for name, value in answer.headers.raw
            ),
            body=body.getvalue(),
        )

    def close(self) -> None:
        """Close every connection."""
        self._transport.close()
