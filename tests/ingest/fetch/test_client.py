"""Whatever a site does, a fetch ends: with the page, or with one line that says why not."""

import gzip
import io
import socket
import ssl
import subprocess
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.errors import IngestError
from ingest.fetch import Fetched, Fetcher, FetchError, FetchSettings, fetch_settings_from
from tests.ingest.fetch.sites import BRISK, Site, moved, names, page, raw, site, tourist

HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.fixture
def town() -> Iterator[Site]:
    """A site without pages."""
    with site() as one:
        yield one


def get(
    url: str, fetcher: Fetcher | None = None, **validators: str | None
) -> tuple[Fetched, bytes]:
    """The page and its body."""
    into = io.BytesIO()
    fetched = (fetcher or tourist()).fetch(
        url, into, etag=validators.get("etag"), last_modified=validators.get("last_modified")
    )
    return fetched, into.getvalue()


def failure(url: str, fetcher: Fetcher | None = None) -> FetchError:
    """How it failed, which is one line."""
    with pytest.raises(FetchError) as caught:
        get(url, fetcher)
    assert caught.value.reason
    assert "\n" not in caught.value.reason
    return caught.value


# ---- the page --------------------------------------------------------------------------------


def test_a_page_is_fetched_under_an_honest_name(town: Site) -> None:
    town.pages["/a?b=1"] = page(
        b"text", headers={"Content-Type": 'text/html; charset="ISO-8859-1"', "ETag": '"x"'}
    )
    fetched, body = get(town.url("/a?b=1#part"))
    assert body == b"text"
    assert fetched == Fetched(
        url=town.url("/a?b=1"),
        hops=(),
        status=200,
        unchanged=False,
        size=4,
        content_type='text/html; charset="ISO-8859-1"',
        charset="ISO-8859-1",
        etag='"x"',
        last_modified=None,
    )
    ((_, headers),) = town.asked
    assert headers["User-Agent"].startswith("pgkb/")
    assert headers["Host"] == f"127.0.0.1:{town.port}"
    assert "Cookie" not in headers


def test_a_packed_page_is_unpacked(town: Site) -> None:
    for packing, packed in (
        ("gzip", gzip.compress(b"hello" * 100)),
        ("deflate", zlib.compress(b"hello" * 100)),
    ):
        town.pages["/"] = page(packed, headers={"Content-Encoding": packing})
        assert get(town.url())[1] == b"hello" * 100


def test_validators_go_back_byte_for_byte(town: Site) -> None:
    # C-08: weak, with a proxy's suffix, and not even ASCII
    etag = 'W/"abc-gzip\u00e9"'
    town.pages["/"] = page(headers={"ETag": etag, "Last-Modified": "Thu, 31 Feb  2026"})
    first, _ = get(town.url())
    assert (first.etag, first.last_modified) == (etag, "Thu, 31 Feb  2026")
    town.pages["/"] = page(b"", status=304, headers={"ETag": etag})
    again, body = get(town.url(), etag=first.etag, last_modified=first.last_modified)
    assert again.unchanged
    assert (again.status, again.size, body) == (304, 0, b"")
    headers = town.asked[-1][1]
    assert headers["If-None-Match"] == etag
    assert headers["If-Modified-Since"] == "Thu, 31 Feb  2026"


def test_of_a_large_body_the_beginning_is_kept_when_asked_for(town: Site) -> None:
    for packing, body in (("identity", b"ab" * 500_000), ("gzip", gzip.compress(b"ab" * 500_000))):
        town.pages["/"] = page(body, headers={"Content-Encoding": packing})
        fetcher = tourist().with_settings(replace(BRISK, max_bytes=1001, cut=True))
        fetched, kept = get(town.url(), fetcher)
        assert (fetched.size, kept) == (1001, b"ab" * 500 + b"a")


def test_each_request_can_have_a_name_of_its_own(town: Site) -> None:
    town.pages["/"] = page()
    get(town.url(), tourist().with_settings(replace(BRISK, user_agent="CouncilBot/2")))
    assert town.asked[0][1]["User-Agent"] == "CouncilBot/2"


# ---- where it may lead (C-05) ------------------------------------------------------------------


def test_without_being_told_otherwise_nothing_on_this_machine_is_reached(town: Site) -> None:
    settings = replace(BRISK, ports=None)
    for url in (town.url(), town.url(host="localhost"), f"http://[::1]:{town.port}/"):
        assert failure(url, Fetcher(settings)).kind == "forbidden"
    assert failure("http://169.254.169.254/latest/meta-data/").kind == "forbidden"
    assert town.asked == []


def test_without_being_told_otherwise_odd_ports_are_not_reached(town: Site) -> None:
    assert failure(town.url(), Fetcher()).kind == "address"


def test_a_public_page_that_sends_inside_is_refused(town: Site) -> None:
    with site("127.0.0.2") as inside:
        town.pages["/"] = moved(inside.url("/admin", host="inside.example"))
        resolver = names(town_example="127.0.0.1", inside_example="10.0.0.1")
        error = failure(town.url(host="town.example"), tourist(resolver=resolver))
        assert error.kind == "forbidden"
        assert not error.passing
        assert "10.0.0.1" not in error.reason
        assert inside.asked == []


def test_each_hop_is_checked_like_the_first(town: Site) -> None:
    for target in ("file:///etc/passwd", "ftp://x/", "http://2130706433/", "http://u:p@x/"):
        town.pages["/"] = moved(target)
        assert failure(town.url()).kind == "address", target


def test_one_address_inside_spoils_all_of_a_host(town: Site) -> None:
    fetcher = tourist(resolver=names(mixed_example=["127.0.0.1", "10.0.0.1"]))
    assert failure(town.url(host="mixed.example"), fetcher).kind == "forbidden"
    assert town.asked == []


def test_a_name_is_resolved_once_and_the_connection_goes_to_what_was_checked(town: Site) -> None:
    town.pages["/"] = page()
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])
    asked: list[str] = []

    def turncoat(host: str, port: int) -> list[str]:
        asked.append(host)
        return next(answers)

    fetcher = tourist(resolver=turncoat)
    assert get(town.url(host="turncoat.example"), fetcher)[0].status == 200
    assert asked == ["turncoat.example"]
    assert town.asked[0][1]["Host"] == f"turncoat.example:{town.port}"
    assert failure(town.url(host="turncoat.example"), fetcher).kind == "forbidden"


def test_a_proxy_of_the_environment_is_not_asked(
    town: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    town.pages["/"] = page()
    with site("127.0.0.3") as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url())
        monkeypatch.setenv("ALL_PROXY", proxy.url())
        assert get(town.url())[0].status == 200
        assert proxy.asked == []


def test_the_next_address_is_tried_when_one_is_dead(town: Site) -> None:
    town.pages["/"] = page()
    fetcher = tourist(resolver=names(two_example=["127.0.0.9", "127.0.0.1"]))
    assert get(town.url(host="two.example"), fetcher)[0].status == 200


# ---- redirects ---------------------------------------------------------------------------------


def test_redirects_are_followed_over_hosts_and_told(town: Site) -> None:
    with site("127.0.0.2", {"/end": page(b"end")}) as other:
        town.pages |= {"/": moved("/second", 301), "/second": moved(other.url("/end"), 308)}
        fetched, body = get(town.url())
        assert body == b"end"
        assert fetched.url == other.url("/end")
        assert fetched.hops == (town.url("/"), town.url("/second"))


def test_a_circle_of_redirects_ends(town: Site) -> None:
    town.pages |= {"/": moved("/b"), "/b": moved("/")}
    error = failure(town.url())
    assert error.kind == "redirects"
    assert not error.passing
    assert len(town.asked) == BRISK.max_redirects + 1


def test_a_redirect_to_nowhere_is_a_line(town: Site) -> None:
    town.pages |= {"/": page(b"", status=302), "/b": moved("http://[")}
    assert failure(town.url()).kind == "broken"
    assert failure(town.url("/b")).kind == "address"


def test_the_caller_may_refuse_a_hop_before_it_is_asked(town: Site) -> None:
    town.pages["/"] = moved("/private")
    seen: list[str] = []

    def check(url: str) -> None:
        seen.append(url)
        if url.endswith("/private"):
            raise FetchError("address", "outside of what is crawled")

    with pytest.raises(FetchError, match="outside"):
        tourist().fetch(town.url(), io.BytesIO(), check_hop=check)
    assert seen == [town.url("/"), town.url("/private")]
    assert town.paths == ["/"]


def test_a_cookie_lasts_for_the_redirects_of_one_fetch(town: Site) -> None:
    town.pages |= {
        "/": page(b"", status=302, headers={"Location": "/in", "Set-Cookie": "seen=1"}),
        "/in": page(),
    }
    fetcher = tourist()
    get(town.url(), fetcher)
    get(town.url("/in"), fetcher)
    assert [headers.get("Cookie") for _, headers in town.asked] == [None, "seen=1", None]


# ---- sizes and times (C-12) --------------------------------------------------------------------


def test_a_bomb_is_stopped_at_its_unpacked_size(town: Site) -> None:
    bomb = gzip.compress(bytes(300_000_000), compresslevel=1)
    assert len(bomb) < 2_000_000
    town.pages["/"] = page(bomb, headers={"Content-Encoding": "gzip"})
    into = io.BytesIO()
    with pytest.raises(FetchError) as caught:
        tourist().fetch(town.url(), into)
    assert caught.value.kind == "too-big"
    assert not caught.value.passing
    assert into.tell() <= BRISK.max_bytes


def test_a_bomb_in_a_bomb_is_stopped_too(town: Site) -> None:
    inner = gzip.compress(bytes(300_000_000), compresslevel=1)
    town.pages["/"] = page(gzip.compress(inner), headers={"Content-Encoding": "gzip, gzip"})
    assert failure(town.url()).kind == "too-big"


@pytest.mark.parametrize(
    "head", [HEAD + b"\r\n", HEAD + b"Content-Length: 99999999999\r\n\r\n"], ids=["none", "huge"]
)
def test_a_length_is_counted_not_believed(town: Site, head: bytes) -> None:
    town.pages["/"] = raw(head, bytes(100_000), forever=True)
    assert failure(town.url()).kind == "too-big"


def test_bytes_that_unpack_to_nothing_are_counted_as_well(town: Site) -> None:
    packer = zlib.compressobj(wbits=31)
    nothing = packer.flush(zlib.Z_FULL_FLUSH) + b"\x00\x00\x00\xff\xff" * 20_000
    head = HEAD + b"Content-Encoding: gzip\r\n\r\n"
    town.pages["/"] = raw(head, nothing, nothing[-100_000:], forever=True)
    assert failure(town.url()).kind in {"too-big", "broken"}


@pytest.mark.parametrize(
    ("first", "drop"),
    [
        (HEAD + b"\r\n", b"x"),
        (b"", b"H"),
        (HEAD + b"X-Long: ", b"x"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
    ids=["body", "status", "header", "continue"],
)
def test_a_slow_drip_ends_at_the_wall_time(town: Site, first: bytes, drop: bytes) -> None:
    town.pages["/"] = raw(first, drop, pause=0.05, forever=True)
    started = time.monotonic()
    error = failure(town.url(), tourist(replace(BRISK, wall_seconds=0.5)))
    # whoever counts from each piece anew never ends
    assert time.monotonic() - started < 10
    # a status line that never becomes one may be refused before its time is over
    assert error.kind in {"timeout", "broken"}
    assert error.passing


def test_a_site_that_says_nothing_is_left(town: Site) -> None:
    town.pages["/"] = raw(b"", pause=5)
    error = failure(town.url(), tourist(replace(BRISK, quiet_seconds=0.3)))
    assert (error.kind, error.passing) == ("timeout", True)


def test_a_resolver_that_hangs_is_left(town: Site) -> None:
    def asleep(host: str, port: int) -> list[str]:
        town.ended.wait(5)
        return []

    fetcher = tourist(replace(BRISK, wall_seconds=0.3), asleep)
    assert failure("http://slow.example/", fetcher).kind == "timeout"


# ---- what goes wrong ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "passing"),
    [
        (400, False),
        (401, False),
        (403, False),
        (404, False),
        (410, False),
        (451, False),
        (204, False),
        (206, False),
        (408, True),
        (429, True),
        (500, True),
        (502, True),
        (503, True),
        (501, False),
    ],
)
def test_a_refusal_says_its_status_and_whether_it_passes(
    town: Site, status: int, passing: bool
) -> None:
    town.pages["/"] = page(b"" if status == 204 else b"no", status=status)
    error = failure(town.url())
    assert (error.kind, error.status, error.passing) == ("status", status, passing)
    assert str(status) in error.reason


@pytest.mark.parametrize(
    ("said", "seconds"), [("7", 7), ("99999999", 86_400), ("-5", None), ("soon", None), ("", None)]
)
def test_a_site_may_say_how_long_to_wait_within_reason(
    town: Site, said: str, seconds: float | None
) -> None:
    town.pages["/"] = page(status=429, headers={"Retry-After": said})
    assert failure(town.url()).retry_after == seconds


def test_a_name_that_is_not_known_is_final_and_one_that_fails_now_passes() -> None:
    assert failure("http://nowhere.example/").passing is False

    def busy(host: str, port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_AGAIN, "try again")

    error = failure("http://nowhere.example/", tourist(resolver=busy))
    assert (error.kind, error.passing) == ("unknown-host", True)


def test_a_closed_port_passes() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/"
        assert (failure(url).kind, failure(url).passing) == ("connect", True)


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: lzma\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: " + b"gzip," * 9 + b"gzip\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\x00bad: header\r\n\r\n",
        b"",
    ],
    ids=["ssh", "short", "chunk", "cut", "no-gzip", "unknown", "deep", "header", "nul", "empty"],
)
def test_an_answer_that_is_no_whole_http_is_broken(town: Site, answer: bytes) -> None:
    town.pages["/"] = raw(answer)
    assert failure(town.url()).kind == "broken"


@given(
    st.binary(max_size=200),
    st.sampled_from([b"", HEAD, HEAD + b"Location: ", HEAD + b"Set-Cookie: "]),
)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_bytes_come_the_answer_is_a_page_or_a_line(
    town: Site, rest: bytes, head: bytes
) -> None:
    town.pages["/"] = raw(head + rest)
    # any other exception fails the test
    with suppress(FetchError):
        assert get(town.url())[0].status in {200, 203}


def test_a_page_nobody_asked_about_cannot_be_unchanged(town: Site) -> None:
    town.pages["/"] = page(b"", status=304)
    assert failure(town.url()).status == 304


def test_a_redirect_in_utf8_is_followed(town: Site) -> None:
    location = "/caf\u00e9".encode()
    town.pages["/"] = raw(
        b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + location + b"\r\n\r\n"
    )
    town.pages["/caf%C3%A9"] = page(b"coffee")
    assert get(town.url())[1] == b"coffee"


# ---- certificates: those of the name, although the connection goes to a number -------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate and key of school.example that signed itself."""
    folder = tmp_path_factory.mktemp("tls")
    made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
    named = "-subj /CN=school.example -addext subjectAltName=DNS:school.example"
    kept = f"-keyout {folder}/key.pem -out {folder}/certificate.pem"
    subprocess.run(["openssl", *f"{made} {named} {kept}".split()], check=True, capture_output=True)
    return folder


def test_the_certificate_is_checked_for_the_name(certificate: Path) -> None:
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificate / "certificate.pem", certificate / "key.pem")
    asked_for: list[str | None] = []
    serving.sni_callback = lambda connection, name, context: asked_for.append(name)
    trusting = ssl.create_default_context(cafile=str(certificate / "certificate.pem"))
    resolver = names(school_example="127.0.0.1", other_example="127.0.0.1")
    with site(pages={"/": page(b"safe")}, tls=serving) as school:
        fetcher = tourist(resolver=resolver, ssl_context=trusting)
        url = school.url(host="school.example", scheme="https")
        assert get(url, fetcher)[1] == b"safe"
        assert asked_for == ["school.example"]
        other = school.url(host="other.example", scheme="https")
        assert failure(other, fetcher).kind == "certificate"
        # a certificate nobody vouches for
        assert failure(url, tourist(resolver=resolver)).kind == "certificate"
        assert len(school.asked) == 1


# ---- settings ----------------------------------------------------------------------------------


def test_the_environment_says_under_which_name_and_how_long() -> None:
    environ = {"PGKB_USER_AGENT": "libbot/1 (+https://lib.example)", "PGKB_FETCH_SECONDS": "9"}
    settings = fetch_settings_from(environ | {"PGKB_MAX_FILE_MB": "7"})
    assert settings == FetchSettings(
        user_agent="libbot/1 (+https://lib.example)", wall_seconds=9, max_bytes=7 * 1024 * 1024
    )


@pytest.mark.parametrize(
    "environ",
    [{"PGKB_USER_AGENT": "a\r\nb"}, {"PGKB_USER_AGENT": "é"}, {"PGKB_FETCH_SECONDS": "0"}],
)
def test_a_setting_that_no_request_can_carry_is_refused(environ: dict[str, str]) -> None:
    with pytest.raises(IngestError):
        fetch_settings_from(environ)
