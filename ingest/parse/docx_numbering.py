"""The numbers Word shows before paragraphs: they are not in the text, they are counted.

"See section 4.3" is worth nothing when the 4.3 is lost, so it is counted here as Word does.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from ingest.parse.docx_package import Package

_LEVELS = 9


@dataclass(slots=True)
class _Level:
    """One level of a list: how it counts and how that is written."""

    start: int = 1
    form: str = "decimal"
    pattern: str = ""
    style: str | None = None
    legal: bool = False


@dataclass(slots=True)
class _List:
    levels: dict[int, _Level] = field(default_factory=dict)
    counters: list[int | None] = field(default_factory=lambda: [None] * _LEVELS)


@dataclass(frozen=True, slots=True)
class Label:
    """What stands before a paragraph, and whether it is only a bullet."""

    text: str
    bullet: bool


class Numbering:
    """The lists of a document; asking for a label counts one further."""

    def __init__(self, package: Package, root: Element | None) -> None:
        self._package = package
        self._lists: dict[str, _List] = {}
        self._list_of: dict[str, str] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        self._by_style: dict[str, tuple[str, int]] = {}
        if root is not None:
            self._read(root)

    def level_of_style(self, style: str) -> tuple[str, int] | None:
        """The list and level a paragraph style is tied to."""
        return self._by_style.get(style)

    def label(self, number: str, level: int) -> Label | None:
        """Count one further in list `number` and give what Word would show, None for nothing."""
        counted = self._lists.get(self._list_of.get(number, ""))
        if counted is None or not 0 <= level < _LEVELS:
            return None
        for at, start in self._restarts.pop(number, {}).items():
            if at in counted.levels:
                counted.levels[at].start = start
            counted.counters[at] = None
        here = counted.levels.get(level)
        if here is None:
            return None
        now = counted.counters[level]
        counted.counters[level] = here.start if now is None else now + 1
        for deeper in range(level + 1, _LEVELS):
            counted.counters[deeper] = None
        if here.form == "bullet":
            return Label("-", bullet=True)
        text = _fill(counted, level)
        return Label(text, bullet=False) if text else None

    def _read(self, root: Element) -> None:
        name, attribute = self._package.name, self._package.attribute
        defined: dict[str, str] = {}
        borrowed: dict[str, str] = {}
        for element in root:
            if name(element) == "w:abstractNum":
                identity = attribute(element, "w:abstractNumId") or ""
                self._read_list(identity, element)
                for child in element:
                    if name(child) == "w:styleLink":
                        defined[attribute(child, "w:val") or ""] = identity
                    elif name(child) == "w:numStyleLink":
                        borrowed[identity] = attribute(child, "w:val") or ""
        for identity, style in borrowed.items():
            if style in defined:
                self._lists[identity].levels = self._lists[defined[style]].levels
        for element in root:
            if name(element) != "w:num":
                continue
            number = attribute(element, "w:numId") or ""
            for child in element:
                if name(child) == "w:abstractNumId":
                    self._list_of[number] = attribute(child, "w:val") or ""
                elif name(child) == "w:lvlOverride":
                    self._read_override(number, child)
        for number, identity in self._list_of.items():
            for at, level in self._lists.get(identity, _List()).levels.items():
                if level.style:
                    self._by_style.setdefault(level.style, (number, at))

    def _read_list(self, identity: str, element: Element) -> None:
        counted = _List()
        for child in element:
            if self._package.name(child) == "w:lvl":
                counted.levels[self._number(child, "w:ilvl")] = self._read_level(child)
        self._lists[identity] = counted

    def _read_level(self, element: Element) -> _Level:
        level = _Level()
        for child in element:
            value = self._package.attribute(child, "w:val") or ""
            match self._package.name(child):
                case "w:start":
                    level.start = int(value) if value.isdecimal() else 1
                case "w:numFmt":
                    level.form = value
                case "w:lvlText":
                    level.pattern = value
                case "w:pStyle":
                    level.style = value
                case "w:isLgl":
                    level.legal = value not in ("0", "false")
        return level

    def _read_override(self, number: str, element: Element) -> None:
        level = self._number(element, "w:ilvl")
        for child in element:
            if self._package.name(child) == "w:startOverride":
                self._restarts.setdefault(number, {})[level] = self._number(child, "w:val")

    def _number(self, element: Element, name: str) -> int:
        value = self._package.attribute(element, name) or ""
        return int(value) if value.isdecimal() else 0


def _fill(counted: _List, level: int) -> str:
    """The pattern of a level, `%1.%2` and the like, with the counters put in."""
    legal = counted.levels[level].legal
    text = counted.levels[level].pattern
    for at in range(level + 1):
        mark = f"%{at + 1}"
        if mark not in text:
            continue
        of_level = counted.levels.get(at, _Level())
        value = counted.counters[at]
        if value is None:
            value = counted.counters[at] = of_level.start
        write = _decimal if legal else _FORMS.get(of_level.form, _decimal)
        text = text.replace(mark, write(value))
    return text.strip()


def _decimal(value: int) -> str:
    return str(value)


def _letter(value: int) -> str:
    if value < 1:
        return str(value)
    # Word goes on with aa, bb, cc
    return chr(ord("a") + (value - 1) % 26) * min((value - 1) // 26 + 1, 10)


def _roman(value: int) -> str:
    if not 0 < value < 4000:
        return str(value)
    text = ""
    for size, sign in _ROMAN:
        while value >= size:
            text += sign
            value -= size
    return text


def _ordinal(value: int) -> str:
    if value % 100 in (11, 12, 13):
        return f"{value}th"
    return f"{value}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(value % 10, 'th') }"


_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)

_FORMS: dict[str, Callable[[int], str]] = {
    "decimal": _decimal,
    "decimalZero": lambda value: f"{value:02d}",
    "lowerLetter": _letter,
    "upperLetter": lambda value: _letter(value).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda value: _roman(value).upper(),
    "ordinal": _ordinal,
    "none": lambda value: "",
}
