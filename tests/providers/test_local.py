"""The offline model itself, as installed."""

import asyncio
import logging
from pathlib import Path

import numpy as np
import pytest

from providers import local
from providers.embed import embedder_for
from providers.local import LocalEmbedder
from providers.protocols import Embedder, ProviderError

SENTENCE = "The school must admit the child that the plan names, and the council must pay. "


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return embedder_for("local", local.MODEL, local.WIDTH, {})


def test_vectors_have_length_one_and_the_promised_width(embedder: Embedder) -> None:
    vectors = np.asarray(embedder.embed(["one", "two words", SENTENCE * 5]))
    assert vectors.shape == (3, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1.0, 1.0, 1.0])


def test_plain_words_are_nearer_to_their_legal_term_than_to_another_subject(
    embedder: Embedder,
) -> None:
    asked, exclusion, football = np.asarray(
        embedder.embed(
            [
                "my son was kicked out of school",
                "Permanent exclusion: a head teacher may exclude a pupil on disciplinary grounds.",
                "The football match on Saturday ended in a draw.",
            ]
        )
    )
    assert asked @ exclusion > asked @ football + 0.1


def test_the_same_texts_give_the_same_vectors(embedder: Embedder) -> None:
    texts = ["kicked out of school", SENTENCE * 3, "a bus pass"]
    assert embedder.embed(texts) == embedder.embed(texts)


def test_a_text_keeps_its_vector_whatever_stands_beside_it(embedder: Embedder) -> None:
    texts = ["short", SENTENCE * 8, "of middling length, as texts go", SENTENCE * 2, "x"]
    together = np.asarray(embedder.embed(texts))
    alone = np.asarray([embedder.embed([text])[0] for text in texts])
    assert np.abs(together - alone).max() < 1e-5


def test_the_end_of_a_long_text_counts(embedder: Embedder) -> None:
    start = SENTENCE * 20
    long = start + "Penguins swim in cold water and eat fish. " * 20
    asked, with_end, without = np.asarray(embedder.embed(["penguins eating fish", long, start]))
    assert asked @ with_end > asked @ without + 0.2


def test_windows_cover_every_token_and_are_of_equal_size() -> None:
    model = local._load("", "", 1)
    words = " ".join(f"word{n}" for n in range(400))
    whole = model._tokenizer.encode(words, add_special_tokens=False).ids
    windows = [window[1:-1] for window in model.windows(words)]
    assert all(len(window) <= local.MAX_LENGTH - 2 for window in windows)
    assert max(map(len, windows)) - min(map(len, windows)) <= 1
    rebuilt = windows[0]
    for window in windows[1:]:
        assert rebuilt[-local.OVERLAP :] == window[: local.OVERLAP]
        rebuilt = rebuilt + window[local.OVERLAP :]
    assert rebuilt == whole


@pytest.mark.parametrize("text", ["🙂", "مدرسة", "特別支援", "\ud800 broken", "a" * 3000])
def test_unusual_texts_still_get_a_vector(embedder: Embedder, text: str) -> None:
    assert len(embedder.embed([text])[0]) == 384


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([]) == []


def test_a_blank_text_is_refused(embedder: Embedder) -> None:
    with pytest.raises(ProviderError, match="blank"):
        embedder.embed(["fine", "  "])


async def test_the_event_loop_stays_free_while_the_model_works(embedder: Embedder) -> None:
    work = asyncio.create_task(embedder.aembed([SENTENCE * 10] * 12))
    turns = 0
    while not work.done():
        await asyncio.sleep(0.005)
        turns += 1
    assert turns > 3
    assert len(await work) == 12


def test_a_set_of_another_width_is_refused_naming_both() -> None:
    with pytest.raises(ProviderError, match=r"width 384.*width 1536"):
        LocalEmbedder(width=1536, environ={}).embed(["text"])


def test_vectors_are_not_labelled_with_another_models_name() -> None:
    with pytest.raises(ProviderError, match=r"has the model all-MiniLM-L6-v2-int8 only"):
        LocalEmbedder(model="other-model", environ={})


@pytest.mark.parametrize("file", [local.MODEL_FILE, local.TOKENIZER_FILE])
def test_a_changed_package_file_is_refused(
    file: local.PinnedFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = local.PinnedFile(file.package, file.path, "0" * 64, file.override)
    with pytest.raises(ProviderError, match=f"{file.package}.*{file.override}") as caught:
        local.read_pinned(other, {})
    assert caught.value.code == "misconfigured"


def test_a_missing_package_is_named() -> None:
    gone = local.PinnedFile("no-such-package", "x", "0" * 64, "PGKB_LOCAL_MODEL")
    with pytest.raises(ProviderError, match="install the package no-such-package"):
        local.read_pinned(gone, {})


def test_an_override_is_used_unpinned_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own = tmp_path / "tokenizer.json"
    own.write_bytes(local.read_pinned(local.TOKENIZER_FILE, {}) + b"\n")
    with caplog.at_level(logging.DEBUG, logger="providers.local"):
        embedder = LocalEmbedder(environ={"PGKB_LOCAL_TOKENIZER": str(own)})
    assert "PGKB_LOCAL_TOKENIZER is set" in caplog.text
    assert embedder.embed(["text"]) == LocalEmbedder(environ={}).embed(["text"])


@pytest.mark.parametrize("name", ["PGKB_LOCAL_MODEL", "PGKB_LOCAL_TOKENIZER"])
def test_an_unusable_override_gives_one_line(name: str, tmp_path: Path) -> None:
    junk = tmp_path / "junk"
    junk.write_bytes(b"not a model")
    for path, says in ((junk, "cannot be loaded"), (tmp_path / "gone", f"{name} names a file")):
        with pytest.raises(ProviderError, match=says) as caught:
            LocalEmbedder(environ={name: str(path)})
        assert "\n" not in str(caught.value)


def test_a_thread_count_that_is_no_number_is_refused() -> None:
    with pytest.raises(ProviderError, match="PGKB_LOCAL_THREADS"):
        LocalEmbedder(environ={"PGKB_LOCAL_THREADS": "many"})
