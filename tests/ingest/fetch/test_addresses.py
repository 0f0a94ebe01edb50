"""Only addresses of the public internet are reached (C-05)."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.fetch.addresses import public_only


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",  # noqa: S104
        "10.1.2.3",
        "100.64.0.1",
        "100.100.100.200",
        "127.0.0.1",
        "127.255.255.254",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.192",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.19.255.255",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
        "2606:4700::1%eth0",
    ],
)
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert not public_only(ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "8.8.8.8",
        "100.63.255.255",
        "172.32.0.1",
        "192.0.1.1",
        "223.255.255.255",
        "2001:4860:4860::8888",
        "2606:4700::1111",
        "2a00:1450::1",
    ],
)
def test_a_public_address_is_allowed(address: str) -> None:
    assert public_only(ip_address(address))


@given(st.ip_addresses())
def test_nothing_is_allowed_that_python_calls_private(address: IPv4Address | IPv6Address) -> None:
    if address.is_private or address.is_multicast or address.is_reserved or address.is_link_local:
        assert not public_only(address)


@given(st.ip_addresses(v=4))
def test_no_spelling_of_an_ipv4_address_in_ipv6_is_allowed(address: IPv4Address) -> None:
    for prefix, shift in (("::ffff:0:0", 0), ("64:ff9b::", 0), ("2002::", 80), ("::", 0)):
        inside = IPv6Address(int(IPv6Address(prefix)) + (int(address) << shift))
        assert not public_only(inside)
    teredo = IPv6Address(int(IPv6Address("2001::")) + (int(address) ^ 0xFFFFFFFF))
    assert not public_only(teredo)
