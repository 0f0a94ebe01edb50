"""`pack.toml`: a domain's name, its starting numbers, the texts of its chat and its sources."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path


class PackError(Exception):
    """A pack that cannot be used; the message is the one line a person reads."""


@dataclass(frozen=True, slots=True)
class ModelDefaults:
    """What an embedding model starts with in this domain; floors are cosine similarities."""

    vector_weight: float
    keyword_weight: float
    retrieval_floor: float
    relevance_floor: float
    school_floor: float


@dataclass(frozen=True, slots=True)
class ChatTexts:
    """What a chat says in this domain."""

    system_prompt: str
    no_area_disclaimer: str
    not_found: str


@dataclass(frozen=True, slots=True)
class SourceNote:
    """Where the facts of some files come from and what has to be said about it."""

    files: tuple[str, ...]
    name: str
    licence: str
    attribution: str


@dataclass(frozen=True, slots=True)
class Settings:
    """All of `pack.toml`. `jurisdiction` is the domain's word for an area, e.g. local authority."""

    name: str
    title: str
    jurisdiction: str
    language: str
    models: dict[str, ModelDefaults]
    chat: ChatTexts
    sources: tuple[SourceNote, ...]


def read_settings(path: Path) -> Settings:
    """Read `pack.toml`; raises `PackError`, one line."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PackError(f"{path} is missing. Name a folder that holds a pack") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PackError(f"{path} is not readable as TOML: {error}") from None
    top = _Part(path, "the file", document)
    top.only("pack", "models", "chat", "sources")
    pack = top.part("pack")
    pack.only("name", "title", "jurisdiction", "language")
    name = pack.text("name")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise PackError(f'{path}: name "{name[:40]}" must be a word like send')
    return Settings(
        name=name,
        title=pack.text("title"),
        jurisdiction=pack.text("jurisdiction"),
        language=pack.text("language"),
        models={model: _model(part) for model, part in top.part("models").parts()},
        chat=_chat(top.part("chat")),
        sources=tuple(_source(part) for part in top.list_of_parts("sources")),
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """A table of the file, read key by key with an error that names the place."""

    path: Path
    place: str
    values: object

    def _table(self) -> dict[str, object]:
        if not isinstance(self.values, dict):
            raise PackError(f"{self.path}: {self.place} must be a table")
        return self.values

    def only(self, *known: str) -> None:
        for key in self._table():
            if key not in known:
                raise PackError(
                    f"{self.path}: unknown key {key} in {self.place}. Known: {', '.join(known)}"
                )

    def part(self, key: str) -> "_Part":
        return _Part(self.path, key, self._table().get(key, {}))

    def parts(self) -> list[tuple[str, "_Part"]]:
        return [(key, _Part(self.path, f'"{key}"', value)) for key, value in self._table().items()]

    def list_of_parts(self, key: str) -> list["_Part"]:
        listed = self._table().get(key, [])
        if not isinstance(listed, list):
            raise PackError(f"{self.path}: {key} must be tables, [[{key}]]")
        return [_Part(self.path, key, value) for value in listed]

    def text(self, key: str) -> str:
        value = self._table().get(key)
        if not isinstance(value, str) or not value.strip():
            raise PackError(f"{self.path}: {key} in {self.place} must be a text")
        return value.strip()

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._table().get(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise PackError(f"{self.path}: {key} in {self.place} must be a list of texts")
        return tuple(value)

    def number(self, key: str, lowest: float, highest: float) -> float:
        value = self._table().get(key)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not lowest <= value <= highest
        ):
            raise PackError(
                f"{self.path}: {key} of {self.place} must be a number "
                f"from {lowest:g} to {highest:g}"
            )
        return float(value)


def _model(part: _Part) -> ModelDefaults:
    part.only(*ModelDefaults.__dataclass_fields__)
    return ModelDefaults(
        vector_weight=part.number("vector_weight", 0, 10),
        keyword_weight=part.number("keyword_weight", 0, 10),
        retrieval_floor=part.number("retrieval_floor", -1, 1),
        relevance_floor=part.number("relevance_floor", -1, 1),
        school_floor=part.number("school_floor", -1, 1),
    )


def _chat(part: _Part) -> ChatTexts:
    part.only(*ChatTexts.__dataclass_fields__)
    return ChatTexts(
        system_prompt=part.text("system_prompt"),
        no_area_disclaimer=part.text("no_area_disclaimer"),
        not_found=part.text("not_found"),
    )


def _source(part: _Part) -> SourceNote:
    part.only(*SourceNote.__dataclass_fields__)
    return SourceNote(
        files=part.texts("files"),
        name=part.text("name"),
        licence=part.text("licence"),
        attribution=part.text("attribution"),
    )
