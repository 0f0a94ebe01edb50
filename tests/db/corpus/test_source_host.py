"""corpus.source_host: the site an address belongs to."""

import psycopg
import pytest

from tests.db.corpus_fixtures import ask


@pytest.mark.parametrize(
    ("source", "host"),
    [
        ("https://www.gov.uk/send", "gov.uk"),
        ("HTTPS://WWW.GOV.UK", "gov.uk"),
        ("http://gov.uk:8080/x", "gov.uk"),
        ("https://user:secret@gov.uk/x", "gov.uk"),
        ("https://gov.uk?x=1", "gov.uk"),
        ("https://gov.uk#x", "gov.uk"),
        ("https://evil.example/https://www.gov.uk/", "evil.example"),
        ("https://evil.example?https://www.gov.uk/", "evil.example"),
        ("https://www.gov.uk.evil.example/", "gov.uk.evil.example"),
        ("https://evil.example/@gov.uk/", "evil.example"),
        ("policy.pdf", None),
        ("www.gov.uk/send", None),
        ("folder/https.pdf", None),
        (None, None),
    ],
)
def test_the_host_of_an_address_is_its_site(
    reference: psycopg.Connection, source: str | None, host: str | None
) -> None:
    assert ask(reference, "select corpus.source_host(%s::text)", source) == host
