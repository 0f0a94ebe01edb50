"""embedding.set_endpoint: the server's key goes where it is safe, or nowhere."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask, refused

NAME = "openai-3-large"


@pytest.mark.parametrize(
    "url",
    [
        "https://api.openai.com/v1",
        "https://host:8443",
        "http://127.0.0.1:8089/v1",
        "http://localhost/v1",
        "http://[::1]:80/v1",
        None,
    ],
)
def test_https_and_loopback_are_taken_and_null_is_none(
    reference: psycopg.Connection, url: str | None
) -> None:
    reference.execute("select embedding.set_endpoint(%s, %s)", [NAME, url])
    assert ask(reference, "select endpoint_url from embedding.set where name = %s", NAME) == url


@pytest.mark.parametrize(
    "url",
    [
        "http://api.example.org/v1",
        "http://127.0.0.1.example.org/v1",
        "http://localhost.example.org",
        "https://user:secret@host/v1",
        "https://host/v1?key=secret",
        "https://host/v1\nhttps://other",
        "ftp://127.0.0.1",
        "host",
        "",
    ],
)
def test_any_other_address_is_refused_and_not_repeated(
    reference: psycopg.Connection, url: str
) -> None:
    with refused(reference, "VE013", NAME, "https://"):
        reference.execute("select embedding.set_endpoint(%s, %s)", [NAME, url])


def test_an_admin_may_not_send_the_key_elsewhere(reference: psycopg.Connection) -> None:
    reference.execute("set local role pgkb_admin")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        reference.execute("select embedding.set_endpoint(%s, 'https://host/v1')", [NAME])
