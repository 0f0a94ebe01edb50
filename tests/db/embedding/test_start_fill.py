"""embedding.start_fill, stop_fill and fill_progress: what a set lacks is known and stays known."""

import psycopg

from tests.corpus import add, axis, stage
from tests.db.corpus_fixtures import ask, ask_rows, refused
from tests.db.embedding.filling import SMALL, WIDTH, add_small, claim, fill, progress, start, store


def _searched(db: psycopg.Connection) -> list[tuple[int, bool]]:
    return ask_rows(db, "select chunk_id, searched from embedding.wanted_vector order by 1")


def test_every_chunk_is_wanted_and_those_that_are_searched_come_first(
    reference: psycopg.Connection,
) -> None:
    (old,) = add(reference, "Some text.", source="a.txt").chunk_ids
    (new,) = add(reference, "Some newer text.", source="a.txt").chunk_ids
    stage(reference, "Nobody sees this yet.", source="b.txt")
    add_small(reference)
    assert start(reference) == 3
    wanted = _searched(reference)
    assert wanted[:2] == [(old, False), (new, True)]
    assert wanted[2][1] is False
    assert claim(reference, 1) == [new]
    assert start(reference) == 3, "a second start adds nothing"


def test_a_document_published_during_the_fill_is_wanted_at_once(
    reference: psycopg.Connection,
) -> None:
    add_small(reference)
    assert start(reference) == 0
    added = add(reference, "Some text.", source="a.txt")
    assert _searched(reference) == [(added.chunk_ids[0], True)]
    store(reference, claim(reference))
    assert _searched(reference) == []


def test_a_staged_chunk_that_is_published_is_searched_for_from_then_on(
    reference: psycopg.Connection,
) -> None:
    staged = stage(reference, "Some text.", source="a.txt")
    add_small(reference)
    start(reference)
    assert [searched for _, searched in _searched(reference)] == [False]
    ids = ask(reference, "select array_agg(chunk_id) from corpus.chunk")
    reference.execute(
        "select embedding.store_vectors(%s, %s)", [ids, ["[" + ",".join("1" * 384) + "]"]]
    )
    reference.execute("select corpus.publish_version(%s)", [staged["version_id"]])
    assert [searched for _, searched in _searched(reference)] == [True]


def test_a_staged_chunk_that_was_filled_brings_its_vector_along(
    reference: psycopg.Connection,
) -> None:
    staged = stage(reference, "Some text.", source="a.txt")
    key = add_small(reference)
    start(reference)
    (chunk,) = claim(reference)
    store(reference, [chunk])
    reference.execute(
        "select embedding.store_vectors(%s, %s)", [[chunk], ["[" + ",".join("1" * 384) + "]"]]
    )
    reference.execute("select corpus.publish_version(%s)", [staged["version_id"]])
    assert _searched(reference) == []
    assert ask(reference, "select chunk_id from embedding.vector where set_id = %s", key) == chunk


def test_nothing_is_wanted_for_an_idle_set_nor_after_a_stop(
    reference: psycopg.Connection,
) -> None:
    add_small(reference)
    add(reference, "Some text.", source="a.txt")
    assert _searched(reference) == []
    start(reference)
    reference.execute("select embedding.stop_fill(%s)", [SMALL])
    assert _searched(reference) == []
    add(reference, "Some more text.", source="b.txt")
    assert _searched(reference) == []
    assert progress(reference)["state"] == "idle"


def test_the_active_set_cannot_be_stopped(reference: psycopg.Connection) -> None:
    with refused(reference, "VE012", "local-minilm"):
        reference.execute("select embedding.stop_fill('local-minilm')")
    with refused(reference, "VE005"):
        reference.execute("select embedding.stop_fill(null)")


def test_the_set_a_switch_went_away_from_is_kept_up(reference: psycopg.Connection) -> None:
    add(reference, "Some text.", source="a.txt")
    add_small(reference)
    fill(reference)
    reference.execute("select embedding.activate(%s)", [SMALL])
    add(reference, "Some more text.", source="b.txt", vector=axis(1, WIDTH))
    assert progress(reference, "local-minilm")["lacking"] == 1
    with refused(reference, "VE006", "local-minilm", "1 chunks"):
        reference.execute("select embedding.activate('local-minilm')")


def test_progress_counts_what_is_done_and_what_is_left(reference: psycopg.Connection) -> None:
    for n in range(4):
        add(reference, f"Text number {n}.", source=f"{n}.txt", vector=axis(n))
    add_small(reference)
    assert progress(reference)["done"] is None, "nobody looked yet"
    start(reference)
    store(reference, claim(reference, 2))
    store(reference, claim(reference, 1))
    claim(reference, 1)
    row = progress(reference)
    assert (row["chunks"], row["done"], row["lacking"], row["held"]) == (4, 3, 1, 1)
    assert float(str(row["rate"])) > 0
    assert row["eta"] is not None


def test_an_estimate_counts_a_text_once_and_not_if_it_is_known(
    reference: psycopg.Connection,
) -> None:
    for source in ("a", "b"):
        add(reference, "The same text.", source=source, title="Same", la_code="E08000025")
    add(reference, "The same text.", source="c", title="Same", la_code="E10000016")
    add(reference, "Other.", source="d", title="Other", la_code="E10000016")
    add_small(reference)
    chunks = start(reference)
    rows = ask_rows(reference, "select * from embedding.estimate_fill(%s)", SMALL)
    assert rows == [(chunks, 2, len("Same\nThe same text.") + len("Other\nOther."))]
    store(reference, claim(reference, 1))
    ((left, texts, _),) = ask_rows(reference, "select * from embedding.estimate_fill(%s)", SMALL)
    assert (left, texts) == (1, 1)
