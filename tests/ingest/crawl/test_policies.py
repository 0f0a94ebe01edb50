"""Policies are found by the words of links and addresses, which are the pack's."""

from pathlib import Path

import pytest

from ingest.crawl.policies import PolicyPage, policy_of
from ingest.packs.files import read_pack
from ingest.packs.settings import PackError

PAGES = [
    PolicyPage(**row.values)  # type: ignore[arg-type]
    for row in read_pack(Path("packs/send")).policy_pages
]
SITE = "https://hill.town.sch.uk"


@pytest.mark.parametrize(
    ("text", "path", "slug"),
    [
        ("SEN Information Report 2025/26", "/docs/12", "sen-information-report"),
        ("SEND information report", "/docs/12", "sen-information-report"),
        ("Download", "/docs/SENInformationReport2025.pdf", "sen-information-report"),
        ("Download", "/docs/SEN%20Information%20Report.pdf", "sen-information-report"),
        ("Our SEND policy", "/a", "send-policy"),
        ("Here", "/our-school/policies/SENDPolicy-2024.pdf", "send-policy"),
        ("Accessibility Plan", "/a", "accessibility-plan"),
        ("Accessibility statement", "/accessibility", None),
        ("Safeguarding & Child Protection", "/a", "safeguarding"),
        ("Behaviour Policy", "/a", "behaviour"),
        ("Anti-Bullying", "/a", "anti-bullying"),
        ("Children with medical conditions", "/a", "medical-needs"),
        ("Suspensions and Exclusions", "/a", "exclusions"),
        ("SEND", "/a", "send"),
        ("More", "/key-information/send", "send"),
        ("Policies", "/a", "policies"),
        ("Send us a message", "/contact/send-us-a-message", None),
        ("News", "/news/2025/cake-sale", None),
        ("Absent-minded senders", "/a", None),
        ("", "/", None),
        ("Équality Policy", "/a", "equality"),
        ("Pupils’ behaviour policy", "/a", "behaviour"),
    ],
)
def test_a_policy_is_known_by_what_links_to_it_say(text: str, path: str, slug: str | None) -> None:
    assert policy_of(PAGES, text=text, url=SITE + path) == slug


def test_each_kind_is_found_by_each_of_its_own_phrases() -> None:
    for page in PAGES:
        for phrase in page.phrases:
            said = phrase.removeprefix("=")
            assert policy_of([page], text=said, url=f"{SITE}/") == page.slug, phrase
            assert policy_of([page], text="", url=f"{SITE}/{said.replace(' ', '-')}.pdf") or (
                phrase.startswith("=")
            ), phrase


def test_words_are_whole_and_a_phrase_that_is_all_must_be_all() -> None:
    page = PolicyPage("s", "S", ["=send", "access plan"], ["trip"])
    assert policy_of([page], text="Send", url=SITE) == "s"
    assert policy_of([page], text="Send it", url=SITE) is None
    assert policy_of([page], text="an access plan", url=SITE) == "s"
    assert policy_of([page], text="an access planner", url=SITE) is None
    assert policy_of([page], text="access plan for the trip", url=SITE) is None


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("a\tA\t\t", "phrases is empty"),
        ("A b\tA\tx\t", 'slug "A b" must be'),
        ("a\t\tx\t", "name is empty"),
        ("a\tA\tx\ty\tz", "5 cells for 4 columns"),
    ],
)
def test_a_bad_row_is_named_by_file_and_line(tmp_path: Path, row: str, said: str) -> None:
    (tmp_path / "pack.toml").write_text(Path("packs/send/pack.toml").read_text())
    path = tmp_path / "policy_pages.tsv"
    path.write_text(f"slug\tname\tphrases\tunless\n{row}\n")
    with pytest.raises(PackError, match=f"policy_pages.tsv:2: .*{said}"):
        read_pack(tmp_path)
