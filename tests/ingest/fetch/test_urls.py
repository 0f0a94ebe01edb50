"""What may be asked for at all (C-05)."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.fetch.errors import FetchError
from ingest.fetch.urls import checked_url

WEB = frozenset({80, 443})


def _refusal(url: str, ports: frozenset[int] | None = WEB) -> str:
    with pytest.raises(FetchError) as caught:
        checked_url(url, ports=ports)
    assert caught.value.kind == "address"
    assert not caught.value.passing
    assert "\n" not in caught.value.reason
    return caught.value.reason


@pytest.mark.parametrize("scheme", ["file", "ftp", "gopher", "javascript", "data", "HTTPX"])
def test_only_http_and_https_are_asked(scheme: str) -> None:
    assert "http://" in _refusal(f"{scheme}://example.org/etc/passwd")


@pytest.mark.parametrize(
    "host",
    ["2130706433", "0x7f000001", "0x7f.1", "127.1", "127.0.0.1.", "1.2.3.4.5", "0x.", "0X7F000001"],
)
def test_a_number_that_only_a_resolver_reads_as_an_address_is_refused(host: str) -> None:
    assert "odd spelling" in _refusal(f"http://{host}/")


def test_a_password_in_an_address_is_refused_and_not_told() -> None:
    reason = _refusal("https://user:s3cret@example.org/")
    assert "user name or password" in reason
    assert "s3cret" not in reason


@pytest.mark.parametrize("port", [0, 22, 25, 5432, 6379, 99_999])
def test_a_port_that_is_not_the_webs_is_refused(port: int) -> None:
    assert "port" in _refusal(f"http://example.org:{port}/")


def test_any_port_is_still_a_port() -> None:
    assert checked_url("http://example.org:5432/", ports=None).port == 5432
    _refusal("http://example.org:99999/", None)
    _refusal("http://example.org:0/", None)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "   ",
        "example.org",
        "http://",
        "http:///x",
        "http://a b/",
        "http://a..b/",
        "http://0177.0.0.1/",
        "http://256.1.1.1/",
        "http://[::1%25eth0]/",
        "http://\x00/",
        "http://x/\x00",
        "//example.org",
        "http://a%2fb/",
    ],
)
def test_what_is_no_address_is_refused_in_a_line(url: str) -> None:
    _refusal(url)


def test_an_endless_address_is_refused() -> None:
    assert "2000" in _refusal("http://example.org/" + "a" * 2000)


def test_a_good_address_is_kept_but_for_its_fragment() -> None:
    assert str(checked_url(" https://www.Example.org/a?b=1#c ", ports=WEB)) == (
        "https://www.example.org/a?b=1"
    )
    assert checked_url("https://bücher.example/", ports=WEB).raw_host == b"xn--bcher-kva.example"
    assert checked_url("http://[2606:4700::1111]/", ports=WEB).host == "2606:4700::1111"


@given(st.text())
@settings(max_examples=50)
def test_whatever_the_text_the_answer_is_an_address_or_a_line(text: str) -> None:
    for url in (text, f"http://{text}", f"http://{text}/", f"http://example.org:{text}/"):
        # any other exception fails the test
        with suppress(FetchError):
            assert checked_url(url, ports=WEB).scheme in {"http", "https"}
