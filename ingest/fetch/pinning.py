"""Connections to addresses that were checked, and to no others.

A connection is opened by name in one step: the name is resolved once, every address it has is
checked, and the socket goes to one of exactly these. Nothing resolves it a second time, so a name
that changes its mind in between gains nothing. Host header, SNI and the certificate's check stay
those of the name, because above this layer only the name is known.
"""

import ssl
import time
from collections.abc import Iterable, Iterator
from ipaddress import ip_address
from typing import Any

import httpcore2
import httpx2

from ingest.fetch.addresses import AddressPolicy
from ingest.fetch.errors import FetchError
from ingest.fetch.resolve import Resolver, resolve
from ingest.fetch.settings import FetchSettings

# Headers and packing come on top of the body; more than this of them is no honest answer.
_OVERHEAD = 1024 * 1024


class Budget:
    """What one fetch may still spend: seconds on the clock and bytes on the wire."""

    def __init__(self, settings: FetchSettings) -> None:
        self._ends = time.monotonic() + settings.wall_seconds
        self._seconds = settings.wall_seconds
        self._bytes = settings.max_bytes + _OVERHEAD
        self._most = settings.max_bytes

    def seconds(self, at_most: float | None = None) -> float:
        """How long a step may take. Raises FetchError when there is no time left."""
        left = self._ends - time.monotonic()
        if left <= 0:
            raise FetchError(
                "timeout", f"it took more than {self._seconds:g} seconds in all", passing=True
            )
        return left if at_most is None else min(left, at_most)

    def spend(self, count: int) -> None:
        """Note bytes that arrived. Raises FetchError when they are too many."""
        self._bytes -= count
        if self._bytes < 0:
            raise too_big(self._most)


def too_big(most: int) -> FetchError:
    """The refusal of a body that is larger than `most` bytes."""
    return FetchError("too-big", f"it is larger than the {most // (1024 * 1024)} MB allowed")


class _BoundedStream(httpcore2.NetworkStream):
    """A connection on which every wait and every byte is charged to the budget."""

    def __init__(self, stream: httpcore2.NetworkStream, budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self._stream.read(max_bytes, self._budget.seconds(timeout))
        self._budget.spend(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._budget.seconds(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        secured = self._stream.start_tls(
            ssl_context, server_hostname, self._budget.seconds(timeout)
        )
        return _BoundedStream(secured, self._budget)

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - httpcore2's own signature
        return self._stream.get_extra_info(info)


class _PinnedBackend(httpcore2.NetworkBackend):
    """Opens connections for one fetch."""

    def __init__(self, resolver: Resolver, policy: AddressPolicy, budget: Budget) -> None:
        self._resolver = resolver
        self._policy = policy
        self._budget = budget
        self._sockets = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        refused: httpcore2.ConnectError | httpcore2.ConnectTimeout | None = None
        for address in self._checked(host, port):
            try:
                stream = self._sockets.connect_tcp(
                    address, port, self._budget.seconds(timeout), local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                refused = error
            else:
                return _BoundedStream(stream, self._budget)
        raise refused or httpcore2.ConnectError("no address")

    def _checked(self, host: str, port: int) -> list[str]:
        """The addresses of a host, all of them allowed; one that is not spoils them all."""
        addresses = resolve(self._resolver, host, port, timeout=self._budget.seconds())
        if not all(self._may_reach(address) for address in addresses):
            # not which address: what a name means inside is nobody's business
            raise FetchError(
                "forbidden", "the host is not on the public internet: only public sites are fetched"
            )
        return addresses

    def _may_reach(self, address: str) -> bool:
        try:
            return self._policy(ip_address(address))
        except ValueError:
            return False


class PinnedTransport(httpx2.BaseTransport):
    """The transport of one fetch and its redirects."""

    def __init__(
        self,
        *,
        resolver: Resolver,
        policy: AddressPolicy,
        budget: Budget,
        ssl_context: ssl.SSLContext,
    ) -> None:
        self._pool = httpcore2.ConnectionPool(
            ssl_context=ssl_context,
            network_backend=_PinnedBackend(resolver, policy, budget),
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send it; errors are httpcore2's and our own."""
        answer = self._pool.handle_request(
            httpcore2.Request(
                method=request.method,
                url=httpcore2.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                extensions=request.extensions,
            )
        )
        return httpx2.Response(
            status_code=answer.status, headers=answer.headers, stream=_Body(answer)
        )

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()


class _Body(httpx2.SyncByteStream):
    def __init__(self, answer: httpcore2.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        return self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()
