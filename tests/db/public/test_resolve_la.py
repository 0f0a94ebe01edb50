"""resolve_la: five steps in their order, and what each passes over."""

from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.registers import merge_postcodes, merge_school_links, merge_schools
from tests.roles import role
from tests.rows import Row, rows_of, value_of
from tests.sandbox import refused

BIRMINGHAM, KENT, BARNSLEY = "E08000025", "E10000016", "E08000038"
CUMBRIA, CUMBERLAND = "E10000006", "E06000063"
IN_BIRMINGHAM, IN_KENT, IN_BARNSLEY, IN_CUMBERLAND = "B1 1AA", "CT1 2EH", "S70 1AA", "CA1 1AA"
ENDED = "B99 9ZZ"
HOLLYBROOK, WEALD_VIEW, DEARNE, CLOSED, BECAME = "990001", "990003", "100005", "100006", "100007"

# a profile on which every step could answer
WHOLE = {
    "child_urn": HOLLYBROOK,
    "user_urn": WEALD_VIEW,
    "first_child_urn": DEARNE,
    "postcode": IN_CUMBERLAND,
}


@pytest.fixture
def places(kb: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    merge_postcodes(
        kb,
        {
            IN_BIRMINGHAM: BIRMINGHAM,
            IN_KENT: "E07000106",
            IN_BARNSLEY: BARNSLEY,
            IN_CUMBERLAND: CUMBERLAND,
            "S75 1AA": BARNSLEY,
            "S75 1AB": BIRMINGHAM,
            ENDED: BIRMINGHAM,
        },
        ended=[ENDED],
    )
    merge_schools(
        kb,
        {"urn": DEARNE, "gss": BARNSLEY},
        {"urn": CLOSED, "gss": BIRMINGHAM, "status": "2"},
        {"urn": BECAME, "gss": KENT},
    )
    return kb


def resolve(db: psycopg.Connection[Any], **known: str | None) -> Row:
    named = ", ".join(f"{name} => %s" for name in known)
    (row,) = rows_of(db, f"resolve_la({named})", list(known.values()))
    return row


def less(profile: dict[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in profile.items() if name not in names}


def test_the_school_of_the_conversations_child_comes_first(
    places: psycopg.Connection[Any],
) -> None:
    assert resolve(places, **WHOLE) == {
        "la_code": BIRMINGHAM,
        "local_authority": "Birmingham",
        "school_urn": HOLLYBROOK,
        "home_la_code": None,
        "home_la_name": None,
        "source": "child_school",
        "notes": [],
    }


@pytest.mark.parametrize(
    ("gone", "source", "la_code", "urn"),
    [
        ((), "child_school", BIRMINGHAM, HOLLYBROOK),
        (("child_urn",), "user_school", KENT, WEALD_VIEW),
        (("child_urn", "user_urn"), "first_child_school", BARNSLEY, DEARNE),
        (("child_urn", "user_urn", "first_child_urn"), "postcode", CUMBERLAND, None),
        (tuple(WHOLE), "none", None, None),
    ],
)
def test_a_step_that_is_missing_gives_way_to_the_next(
    places: psycopg.Connection[Any],
    gone: tuple[str, ...],
    source: str,
    la_code: str | None,
    urn: str | None,
) -> None:
    found = resolve(places, **less(WHOLE, *gone))
    assert (found["source"], found["la_code"], found["school_urn"]) == (source, la_code, urn)
    assert found["notes"] == []


def test_nothing_known_is_one_row_that_says_so(places: psycopg.Connection[Any]) -> None:
    for known in ({}, dict.fromkeys(WHOLE), dict.fromkeys(WHOLE, ""), dict.fromkeys(WHOLE, " ")):
        found = resolve(places, **known)
        assert found["source"] == "none"
        assert found["la_code"] is None
        assert found["notes"] == []


@pytest.mark.parametrize(
    ("urn", "problem"),
    [
        ("123456", "unknown"),
        ("Hollybrook", "malformed"),
        (CLOSED, "closed"),
        ("9" * 99999, "malformed"),
    ],
)
def test_a_school_that_cannot_be_used_is_passed_over_and_named(
    places: psycopg.Connection[Any], urn: str, problem: str
) -> None:
    found = resolve(places, **WHOLE | {"child_urn": urn})
    assert (found["source"], found["la_code"]) == ("user_school", KENT)
    assert found["notes"] == [f"child_urn: {problem}"]


def test_a_closed_school_is_followed_to_its_successor_and_that_is_said(
    places: psycopg.Connection[Any],
) -> None:
    merge_school_links(places, (CLOSED, BECAME, "Successor"))
    found = resolve(places, child_urn=CLOSED)
    assert (found["source"], found["la_code"], found["school_urn"]) == (
        "child_school",
        KENT,
        BECAME,
    )
    assert found["notes"] == [f"child_urn: closed, followed by {BECAME}"]


@pytest.mark.parametrize(
    ("postcode", "problem"),
    [
        ("B1 1ZZ", "unknown"),
        (ENDED, "ended"),
        ("S75 1", "several"),
        ("near the park", "malformed"),
        ("x" * 99999, "malformed"),
    ],
)
def test_a_postcode_that_cannot_be_used_is_passed_over_and_never_repeated(
    places: psycopg.Connection[Any], postcode: str, problem: str
) -> None:
    found = resolve(places, child_postcode=postcode, postcode=IN_KENT)
    assert (found["source"], found["la_code"]) == ("postcode", KENT)
    assert found["notes"] == [f"child_postcode: {problem}"]


def test_everything_unusable_is_none_with_every_reason(places: psycopg.Connection[Any]) -> None:
    found = resolve(places, **dict.fromkeys(WHOLE, "?"))
    assert (found["source"], found["la_code"]) == ("none", None)
    assert found["notes"] == [f"{name}: malformed" for name in WHOLE]


def test_the_childs_home_is_the_home_authority_when_it_differs(
    places: psycopg.Connection[Any],
) -> None:
    across = resolve(places, child_urn=HOLLYBROOK, child_postcode=IN_KENT)
    assert (across["la_code"], across["home_la_code"]) == (BIRMINGHAM, KENT)
    assert across["home_la_name"] == "Kent"
    same = resolve(places, child_urn=HOLLYBROOK, child_postcode=IN_BIRMINGHAM)
    assert (same["la_code"], same["home_la_code"]) == (BIRMINGHAM, None)


def test_a_home_is_the_childs_own_and_nobody_elses(places: psycopg.Connection[Any]) -> None:
    """A professional's own postcode, or a sibling's, would bring another area's rules."""
    assert resolve(places, child_urn=HOLLYBROOK, postcode=IN_KENT)["home_la_code"] is None
    sibling = resolve(places, child_urn=HOLLYBROOK, first_child_postcode=IN_KENT)
    assert sibling["home_la_code"] is None
    first = resolve(places, first_child_urn=HOLLYBROOK, first_child_postcode=IN_KENT)
    assert first["home_la_code"] == KENT
    asked_about = resolve(places, user_urn=HOLLYBROOK, child_postcode=IN_KENT)
    assert (asked_about["la_code"], asked_about["home_la_code"]) == (BIRMINGHAM, KENT)
    own = resolve(places, user_urn=HOLLYBROOK, first_child_postcode=IN_KENT)
    assert own["home_la_code"] is None


def test_a_home_that_cannot_be_used_is_named(places: psycopg.Connection[Any]) -> None:
    found = resolve(places, child_urn=HOLLYBROOK, child_postcode=ENDED)
    assert (found["la_code"], found["home_la_code"]) == (BIRMINGHAM, None)
    assert found["notes"] == ["child_postcode: ended"]


def test_the_childs_postcode_comes_before_the_users(places: psycopg.Connection[Any]) -> None:
    known = {
        "child_postcode": IN_KENT,
        "first_child_postcode": IN_BARNSLEY,
        "postcode": IN_BIRMINGHAM,
    }
    assert resolve(places, **known)["la_code"] == KENT
    assert resolve(places, **less(known, "child_postcode"))["la_code"] == BARNSLEY
    assert resolve(places, postcode=IN_BIRMINGHAM)["la_code"] == BIRMINGHAM


def test_a_chosen_authority_wins_and_leaves_out_what_is_anothers(
    places: psycopg.Connection[Any],
) -> None:
    found = resolve(places, la="E08000016", child_urn=HOLLYBROOK, child_postcode=IN_KENT)
    assert found == {
        "la_code": BARNSLEY,
        "local_authority": "Barnsley",
        "school_urn": None,
        "home_la_code": None,
        "home_la_name": None,
        "source": "chosen",
        "notes": ["la: chosen, not that of child_school"],
    }


def test_a_chosen_authority_that_is_the_schools_keeps_school_and_home(
    places: psycopg.Connection[Any],
) -> None:
    found = resolve(places, la="330", child_urn=HOLLYBROOK, child_postcode=IN_KENT)
    assert (found["source"], found["school_urn"], found["home_la_code"]) == (
        "chosen",
        HOLLYBROOK,
        KENT,
    )
    assert found["notes"] == []


def test_only_what_was_chosen_is_refused(places: psycopg.Connection[Any]) -> None:
    with refused(places, "PL001"):
        resolve(places, la="E99999999", child_urn=HOLLYBROOK)
    with refused(places, "PL003"):
        resolve(places, la=CUMBRIA)
    with refused(places, "PL003"):
        resolve(places, la=CUMBRIA, postcode=IN_KENT)


@pytest.mark.parametrize("name", ["child_postcode", "first_child_postcode", "postcode"])
def test_a_chosen_county_that_was_split_is_settled_by_a_postcode(
    places: psycopg.Connection[Any], name: str
) -> None:
    found = resolve(places, la=CUMBRIA, **{name: IN_CUMBERLAND})
    assert (found["source"], found["la_code"]) == ("chosen", CUMBERLAND)


_WORDS = st.one_of(
    st.none(),
    st.sampled_from([HOLLYBROOK, CLOSED, IN_KENT, ENDED, "S75 1", "B1", "123456", " ", "'"]),
    st.text(max_size=12)
    .filter(lambda text: "\x00" not in text)
    .filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text)),
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.fixed_dictionaries(dict.fromkeys(
    ("child_urn", "child_postcode", "user_urn", "first_child_urn", "first_child_postcode",
     "postcode"), _WORDS)))  # fmt: skip
def test_no_profile_is_refused_and_no_note_repeats_it(
    places: psycopg.Connection[Any], profile: dict[str, str | None]
) -> None:
    found = resolve(places, **profile)
    assert (found["la_code"] is None) == (found["source"] == "none")
    assert found["home_la_code"] is None or found["home_la_code"] != found["la_code"]
    for note in found["notes"]:
        argument, _, reason = note.partition(": ")
        assert argument in profile
        assert reason in {"malformed", "unknown", "closed", "several", "ended"}


def test_a_reader_may_ask_and_nothing_is_written(places: psycopg.Connection[Any]) -> None:
    places.execute("set transaction read only")
    with role(places, "pgkb_reader"):
        assert value_of(places, "select la_code from resolve_la(child_urn => '990001')") == (
            BIRMINGHAM
        )
