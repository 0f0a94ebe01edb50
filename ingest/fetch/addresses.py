"""Which network addresses may be reached: those of the public internet and no others.

The lists follow IANA's registries of special-purpose addresses. They are written out because
`ipaddress.is_global` differs between versions of Python, and knows nothing of addresses that
lead to others (NAT64, 6to4, Teredo) or of clouds' own services.
"""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

Address = IPv4Address | IPv6Address
# Whether an address may be reached.
AddressPolicy = Callable[[Address], bool]

_CLOSED_4: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carriers' own (CGNAT), and a cloud's metadata
        "127.0.0.0/8",  # this machine
        "168.63.129.16/32",  # a cloud's own service, at an address that looks public
        "169.254.0.0/16",  # link-local, and most clouds' metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocols' own
        "192.0.2.0/24",  # for examples
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT relays
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # for measurements
        "198.51.100.0/24",  # for examples
        "203.0.113.0/24",  # for examples
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
# Only this part of IPv6 was ever given out; it leaves out loopback, link-local, private,
# multicast, IPv4-mapped and NAT64 addresses.
_OPEN_6: Final = IPv6Network("2000::/3")
_CLOSED_6: Final = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocols' own: Teredo, ORCHID, benchmarks
        "2001:db8::/32",  # for examples
        "2002::/16",  # 6to4: leads to the IPv4 address inside
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # for examples
    )
)


def public_only(address: Address) -> bool:
    """Whether an address is one of the public internet."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _CLOSED_4)
    # a zone index picks an interface of this machine
    if address.scope_id is not None or address not in _OPEN_6:
        return False
    return not any(address in network for network in _CLOSED_6)
