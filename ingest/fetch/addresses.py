"""Which network addresses may be reached: those of the public internet and no others.

The lists follow IANA's registries of special-purpose addresses. They are written out because
`ipaddress.is_global` differs between versions of Python, and knows nothing of addresses that
lead to others (NAT64, 6to4, Teredo) or of clouds' own services.
"""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

Address = IPv4Address | IPv6Address
# Why an address may not be reached, None when it may.
AddressPolicy = Callable[[Address], str | None]

_CLOSED_4: Final = {
    IPv4Network(network): what
    for network, what in (
        ("0.0.0.0/8", "this host"),
        ("10.0.0.0/8", "a private network"),
        ("100.64.0.0/10", "a carrier's own network"),
        ("127.0.0.0/8", "this machine"),
        ("168.63.129.16/32", "a cloud's own service"),
        ("169.254.0.0/16", "a link-local address"),
        ("172.16.0.0/12", "a private network"),
        ("192.0.0.0/24", "a protocol's own address"),
        ("192.0.2.0/24", "an address for examples"),
        ("192.31.196.0/24", "a service of the network"),
        ("192.52.193.0/24", "a service of the network"),
        ("192.88.99.0/24", "a relay of 6to4"),
        ("192.168.0.0/16", "a private network"),
        ("192.175.48.0/24", "a service of the network"),
        ("198.18.0.0/15", "a network for measurements"),
        ("198.51.100.0/24", "an address for examples"),
        ("203.0.113.0/24", "an address for examples"),
        ("224.0.0.0/4", "a multicast address"),
        ("240.0.0.0/4", "a reserved address"),
    )
}
# Only this part of IPv6 was ever given out; it leaves out loopback, link-local, private,
# multicast, IPv4-mapped and NAT64 addresses.
_OPEN_6: Final = IPv6Network("2000::/3")
_CLOSED_6: Final = {
    IPv6Network(network): what
    for network, what in (
        ("2001::/23", "a protocol's own address (Teredo and others)"),
        ("2001:db8::/32", "an address for examples"),
        ("2002::/16", "an address of 6to4, which leads to another"),
        ("2620:4f:8000::/48", "a service of the network"),
        ("3fff::/20", "an address for examples"),
    )
}


def public_only(address: Address) -> str | None:
    """Why an address is not one of the public internet; None when it is."""
    if isinstance(address, IPv4Address):
        return next((what for network, what in _CLOSED_4.items() if address in network), None)
    # a zone index picks an interface of this machine
    if address.scope_id is not None or address not in _OPEN_6:
        return "a private, local or translated address"
    return next((what for network, what in _CLOSED_6.items() if address in network), None)
