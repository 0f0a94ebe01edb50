"""corpus.chunk_text: passages that overlap, end where a reader would, and lose nothing."""

import random
from dataclasses import dataclass
from itertools import pairwise

import psycopg
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.work import ServerWork

PIECES = st.one_of(
    st.text(alphabet="abc deé.!?\n\r\t'\")]", max_size=30),
    st.text(
        alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12
    ),
    st.sampled_from(["\n\n", "\r\n\r\n", " ", "word ", "e\u0301", "👩‍👩‍👧 ", "\u00a0", "x" * 40]),
)
BODIES = st.lists(st.tuples(PIECES, st.integers(1, 40)), max_size=8).map(
    lambda parts: "".join(piece * times for piece, times in parts)
)


@st.composite
def rules(draw: st.DrawFn) -> tuple[int, int, int]:
    """Legal sizes, the extremes among them."""
    size = draw(st.integers(10, 200))
    overlap = draw(st.one_of(st.just(0), st.just(size - 1), st.integers(0, size - 1)))
    minimum = draw(st.one_of(st.just(0), st.just(size), st.integers(0, size)))
    return size, overlap, minimum


@dataclass(frozen=True, slots=True)
class Passage:
    """A row of chunk_text."""

    index: int
    start: int
    content: str

    @property
    def end(self) -> int:
        """Characters of the body up to its end."""
        return self.start + len(self.content)


def _chunk(
    db: psycopg.Connection,
    body: str,
    size: int | None = None,
    overlap: int | None = None,
    minimum: int | None = None,
) -> list[Passage]:
    rows = ask_rows(
        db,
        "select * from corpus.chunk_text(%s, %s, %s, %s)",
        body,
        size,
        overlap,
        minimum,
    )
    return [Passage(*row) for row in rows]


def _prose(length: int, *, seed: int = 1) -> str:
    """Sentences of common words in paragraphs."""
    draw = random.Random(seed)  # noqa: S311
    words = ["tribunal", "school", "the", "child", "plan", "of", "and", "appeal", "a", "review"]
    parts: list[str] = []
    total = 0
    while total < length:
        sentence = " ".join(draw.choice(words) for _ in range(draw.randint(5, 25)))
        parts.append(sentence.capitalize() + "." + ("\n\n" if draw.random() < 0.15 else " "))
        total += len(parts[-1])
    return "".join(parts)[:length]


@given(body=BODIES, rule=rules())
@example(body="word " * 100, rule=(10, 9, 10))
@example(body="x" * 500, rule=(10, 9, 0))
@example(body="\n" * 500 + "x", rule=(20, 19, 20))
@example(body="e\u0301" * 300, rule=(11, 7, 3))
@example(body="a" + " " * 400 + "b", rule=(10, 0, 10))
@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_nothing_is_lost_and_every_place_is_true(
    reference: psycopg.Connection, body: str, rule: tuple[int, int, int]
) -> None:
    """P-04, P-05: with any legal setting it ends, and every visible character is in a passage."""
    size, overlap, minimum = rule
    passages = _chunk(reference, body, size, overlap, minimum)
    assert [p.index for p in passages] == list(range(len(passages)))
    covered = 0
    for passage in passages:
        assert body[passage.start : passage.end] == passage.content
        assert passage.content.strip()
        # it begins inside the one before or where that ended, white space apart
        assert not body[covered : passage.start].strip()
        assert passage.end > covered
        covered = passage.end
    assert not body[covered:].strip()
    assert all(a.start <= b.start for a, b in pairwise(passages))
    # a last passage may have taken in a tail and the white space before it
    assert all(len(p.content) <= size + size // 2 + (p is passages[-1]) * size for p in passages)


@given(
    seed=st.integers(0, 10_000),
    length=st.integers(1, 6_000),
    size=st.integers(100, 1000),
    share=st.sampled_from([0, 0.1, 0.2, 0.5]),
)
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_passages_of_prose_are_within_half_the_size_and_start_at_words(
    reference: psycopg.Connection, seed: int, length: int, size: int, share: float
) -> None:
    body, overlap, minimum = _prose(length, seed=seed), int(size * share), 50
    passages = _chunk(reference, body, size, overlap, minimum)
    for passage in passages[:-1]:
        # at most the white space at its ends is missing
        assert size / 2 - 3 <= len(passage.content) <= size * 1.5
    assert len(passages[-1].content) <= size * 1.5 + minimum
    for before, after in pairwise(passages):
        assert before.end - after.start <= overlap
        if overlap >= 40:
            assert body[after.start - 1].isspace()
            assert after.start < before.end, "neighbours overlap"
    if len(passages) > 1:
        assert passages[-1].end - passages[-2].end >= minimum - 3


def test_the_settings_are_the_default(reference: psycopg.Connection) -> None:
    body = _prose(9000)
    assert _chunk(reference, body) == _chunk(reference, body, 1000, 200, 50)
    reference.execute("set local kb.chunk_size = 300")
    reference.execute("set local kb.chunk_overlap = 10")
    assert _chunk(reference, body) == _chunk(reference, body, 300, 10, 50)


@pytest.mark.parametrize(
    ("size", "overlap", "minimum"),
    [
        (500, 500, 50),
        (500, 501, 50),
        (0, 0, 0),
        (9, 0, 0),
        (100_001, 0, 0),
        (500, -1, 50),
        (500, 100, -1),
        (500, 100, 501),
    ],
)
def test_sizes_that_cannot_work_are_refused(
    reference: psycopg.Connection, size: int, overlap: int, minimum: int
) -> None:
    """P-04."""
    with refused(reference, "KB005", str(size), str(overlap), str(minimum)):
        _chunk(reference, "any text", size, overlap, minimum)


def test_a_short_document_is_one_passage_however_short(reference: psycopg.Connection) -> None:
    """P-05."""
    notice = "Call 0121 496 0000 before 3pm on Friday."
    assert _chunk(reference, notice) == [Passage(0, 0, notice)]
    assert _chunk(reference, "x", 1000, 200, 1000) == [Passage(0, 0, "x")]


def test_a_short_tail_joins_the_passage_before(reference: psycopg.Connection) -> None:
    """P-05: the last sentence is the deadline."""
    body = "a" * 499 + " " + "b" * 499 + ".\n\n" + "Reply by 5 May at noon."
    passages = _chunk(reference, body, 1000, 0, 50)
    assert [p.content for p in passages] == [body]


def test_a_tail_that_is_long_enough_stands_alone(reference: psycopg.Connection) -> None:
    tail = "Reply by 5 May at noon, or the appeal is closed for good."
    body = "a" * 499 + " " + "b" * 499 + ".\n\n" + tail
    assert [p.content for p in _chunk(reference, body, 1000, 0, 50)] == [body[:1000], tail]


@pytest.mark.parametrize("body", ["", " ", "\n" * 5000, "\u00a0\u3000 \t\r\n\f", None])
def test_text_without_a_visible_character_has_no_passage(
    reference: psycopg.Connection, body: str | None
) -> None:
    assert ask_rows(reference, "select * from corpus.chunk_text(%s::text)", body) == []


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_passage_ends_at_a_paragraph_whatever_the_line_ends(
    reference: psycopg.Connection, newline: str
) -> None:
    paragraph = "One sentence. " * 30
    body = (paragraph.strip() + newline * 2) * 6
    contents = [p.content for p in _chunk(reference, body, 500, 0, 50)]
    assert contents == [paragraph.strip()] * 6


def test_an_endless_token_is_cut_and_kept(reference: psycopg.Connection) -> None:
    body = "before " + "x" * 3000 + " after"
    passages = _chunk(reference, body, 1000, 200, 50)
    assert max(len(p.content) for p in passages) <= 1500
    assert "".join(body[p.start : p.end] for p in passages).count("x") >= 3000


@pytest.mark.parametrize("letter", ["e\u0301", "a\u0300\u0301", "☺\ufe0f", "👩\u200d"])
def test_no_passage_starts_at_a_combining_mark(reference: psycopg.Connection, letter: str) -> None:
    for overlap in range(5):
        passages = _chunk(reference, letter * 200, 21, overlap, 0)
        assert len(passages) > 5
        assert {p.content[0] for p in passages} == {letter[0]}


def test_right_to_left_text_and_emoji_keep_their_places(reference: psycopg.Connection) -> None:
    """P-17."""
    body = "הודעה חשובה להורים. " * 60 + "👩‍👩‍👧‍👦🏽 " * 100 + "English line.\n" * 20
    for passage in _chunk(reference, body, 200, 40, 20):
        assert body[passage.start : passage.end] == passage.content


@pytest.mark.parametrize(
    "body",
    [
        _prose(5_000_000),
        _prose(2_500_000).replace("e", "é"),
        "x" * 2_000_000,
        "\n" * 2_000_000 + "x",
        "word\r\n" * 300_000,
    ],
    ids=["5 MB of prose", "two-byte letters", "one token", "newlines", "lines"],
)
def test_the_time_is_linear(reference: psycopg.Connection, body: str) -> None:
    with ServerWork(reference) as work:
        ask(reference, "select count(*) from corpus.chunk_text(%s)", body)
    assert work.seconds < 5


@pytest.mark.parametrize(
    ("size", "overlap"),
    [(100_000, 50_000), (10_000, 0), (10, 0)],
    ids=["largest", "large", "small"],
)
def test_the_time_is_linear_whatever_the_size(
    reference: psycopg.Connection, size: int, overlap: int
) -> None:
    body = _prose(2_000_000 if size > 10 else 100_000)
    with ServerWork(reference) as work:
        ask(reference, "select count(*) from corpus.chunk_text(%s, %s, %s, 0)", body, size, overlap)
    assert work.seconds < 5
