"""Names to addresses, within a time."""

import socket
import threading
from collections.abc import Callable, Sequence

from ingest.fetch.errors import FetchError

# The addresses of a host, best first; raises socket.gaierror. Tests give their own.
Resolver = Callable[[str, int], Sequence[str]]


def system_resolver(host: str, port: int) -> list[str]:
    """What this machine's resolver says."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    # numeric IPv6 comes with its zone index, as the policy wants to see it
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def resolve(resolver: Resolver, host: str, port: int, *, timeout: float) -> list[str]:
    """Ask the resolver once. Raises FetchError when it has no answer in time."""
    answers: list[Sequence[str] | Exception] = []

    def ask() -> None:
        try:
            answers.append(resolver(host, port))
        except Exception as error:
            answers.append(error)

    # getaddrinfo knows no timeout; a stuck one is left to end by itself
    asking = threading.Thread(target=ask, name="resolve", daemon=True)
    asking.start()
    asking.join(timeout)
    if not answers:
        raise FetchError("timeout", f"the name {host} was not resolved in time", passing=True)
    answer = answers[0]
    if isinstance(answer, socket.gaierror) and answer.errno != socket.EAI_AGAIN:
        raise FetchError(
            "unknown-host", f"the host {host} is not known: check the spelling of the address"
        )
    if isinstance(answer, Exception) or not answer:
        raise FetchError("unknown-host", f"the name {host} cannot be resolved now", passing=True)
    return list(answer)
