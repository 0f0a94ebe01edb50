"""Where a request comes from: the socket's word, unless a proxy of ours stands there."""

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from app.access.authentication import Caller

Network = IPv4Network | IPv6Network


def address_of(connection: Caller) -> str:
    """The address limits count for: of IPv6 the /64 a household has, as it may use all of it.

    `X-Forwarded-For` is read from its end, and only past proxies that `Settings.trusted_proxies`
    names: the rest of it is what the caller likes to say.
    """
    peer = connection.client.host if connection.client else ""
    trusted = connection.app.state.settings.trusted_proxies
    said = [part.strip() for part in connection.headers.get("x-forwarded-for", "").split(",")]
    while said and _is_within(peer, trusted):
        before = said.pop()
        if not _is_address(before):
            break
        peer = before
    return _counted(peer)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _is_within(text: str, networks: Sequence[Network]) -> bool:
    return _is_address(text) and any(ip_address(text) in network for network in networks)


def _counted(text: str) -> str:
    if not _is_address(text):
        return "unknown"
    address = ip_address(text)
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ip_network((address.packed, 64), strict=False))
