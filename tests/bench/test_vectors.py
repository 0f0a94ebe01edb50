"""Kept vectors: embedded once, the same ever after, whatever the model beside them."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.database import BenchError
from bench.vectors import KeptVectors


class Counting:
    """An embedder that notes what it was asked."""

    name = "counting"

    def __init__(self, model: str = "m", *, fail_on: str | None = None) -> None:
        self.model = model
        self.width = 2
        self.asked: list[str] = []
        self._fail_on = fail_on

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self._fail_on in texts:
            raise RuntimeError("the model is gone")
        self.asked += texts
        return [[0.1 + len(text), 1 / 3] for text in texts]

    async def aembed(self, texts: Sequence[str]) -> list[list[float]]:
        return self.embed(texts)

    def close(self) -> None: ...

    async def aclose(self) -> None: ...


def test_a_text_is_embedded_once_and_its_vector_never_changes(tmp_path: Path) -> None:
    inner = Counting()
    first = KeptVectors(inner, tmp_path / "new" / "kept").embed(["a", "bb", "a"])
    again = KeptVectors(inner, tmp_path / "new" / "kept").embed(["bb", "a"])
    assert sorted(inner.asked) == ["a", "bb"]
    assert again == [first[1], first[0]]
    assert first[0] == first[2]


def test_another_model_has_vectors_of_its_own(tmp_path: Path) -> None:
    KeptVectors(Counting(), tmp_path / "kept").embed(["a"])
    other = Counting("other")
    KeptVectors(other, tmp_path / "kept").embed(["a"])
    assert other.asked == ["a"]


def test_a_file_that_holds_something_else_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("no vectors in here, but text enough for a header of a database")
    with pytest.raises(BenchError, match="cannot keep vectors") as caught:
        KeptVectors(Counting(), tmp_path / "kept")
    assert "\n" not in str(caught.value)


def test_what_was_embedded_before_a_failure_is_kept(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(100)]
    with pytest.raises(RuntimeError):
        KeptVectors(Counting(fail_on="text 99"), tmp_path / "kept").embed(texts)
    inner = Counting()
    KeptVectors(inner, tmp_path / "kept").embed(texts)
    assert len(inner.asked) == 36
