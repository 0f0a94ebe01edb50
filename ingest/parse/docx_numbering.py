"""The numbers that Word counts for clauses and list items, put into the text.

A Word file holds no such number: a paragraph says which list and level it is in, itself or by its
style, and the list says how its levels are counted and written. What a reader sees as "4.2" is
found by counting as Word does, deleted paragraphs left out.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final
from xml.etree.ElementTree import Element

from ingest.parse.docx_package import child_of, local, value_of

# Stands before a label in the text, so that list items can be told; no text holds it.
MARK: Final = "\ufdd0"
_LEVELS = 9
_MOST_COUNTED = 1_000_000
_LONGEST_LABEL = 60
_PLACE = re.compile(r"%([1-9])")
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_GONE = frozenset(["del", "moveFrom"])
_TEXT_BOX = "txbxContent"


@dataclass(frozen=True, slots=True)
class _Level:
    """How one level of a list is counted and written."""

    start: int = 1
    form: str = "decimal"
    pattern: str = ""
    legal: bool = False
    restarts: bool = True
    style: str = ""


@dataclass(frozen=True, slots=True)
class _List:
    """A list: what it is an instance of, and what it does otherwise."""

    abstract: str
    starts: dict[int, int]
    levels: dict[int, _Level]


@dataclass(slots=True)
class _Numbering:
    """The lists of a file, the lists of its styles, and how far each is counted."""

    lists: dict[str, _List]
    styles: dict[str, Element]
    counts: dict[str, dict[int, int]] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)

    def place_of(self, paragraph: Element) -> tuple[str, int] | None:
        """The list and level of a paragraph, None when it is in none."""
        properties = child_of(paragraph, "pPr")
        style = value_of(child_of(properties, "pStyle"))
        named = _list_of(properties)
        inherited = self._list_of_style(style)
        number = named[0] or inherited[0]
        if number not in self.lists:
            return None
        level = named[1] or inherited[1]
        if not level.isdecimal():
            own = self.lists[number].levels
            level = next(
                (str(at) for at, each in own.items() if style and each.style == style), "0"
            )
        return number, min(int(level[:3]), _LEVELS - 1)

    def _list_of_style(self, style: str) -> tuple[str, str]:
        number = level = ""
        # a chain of styles is short, and one that bites its tail ends here too
        for _ in range(10):
            element = self.styles.get(style)
            if element is None:
                break
            found = _list_of(child_of(element, "pPr"))
            number, level = number or found[0], level or found[1]
            style = value_of(child_of(element, "basedOn"))
        return number, level

    def next_label(self, number: str, at: int) -> str:
        """Count one more paragraph of a level; what stands before it, '' for nothing."""
        here = self.lists[number]
        counts = self.counts.setdefault(here.abstract, {})
        if number not in self.begun:
            self.begun.add(number)
            for level in here.starts:
                counts.pop(level, None)
        level_at = here.levels.get(at, _Level())
        for level in range(at + 1):
            start = here.starts.get(level, here.levels.get(level, _Level()).start)
            if level not in counts:
                counts[level] = start
            elif level == at:
                counts[level] = min(counts[level] + 1, _MOST_COUNTED)
        for level in range(at + 1, _LEVELS):
            if here.levels.get(level, _Level()).restarts:
                counts.pop(level, None)
        if level_at.form == "bullet":
            return "-"

        def written(match: re.Match[str]) -> str:
            level = int(match.group(1)) - 1
            form = "decimal" if level_at.legal else here.levels.get(level, _Level()).form
            return _written(counts.get(level, 1), form)

        return _PLACE.sub(written, level_at.pattern)[:_LONGEST_LABEL].strip()


def number_paragraphs(
    document: Element, numbering: Element | None, styles: Iterable[Element]
) -> None:
    """Put its label, after a MARK, before the text of each paragraph that is in a list.

    Text boxes lie beside the text and are counted apart from it.
    """
    if numbering is None:
        return
    by_style = {
        value_of(style, "styleId"): style for style in styles if local(style.tag) == "style"
    }
    lists = _lists(numbering, by_style)
    _number(_paragraphs(document), _Numbering(lists, by_style))
    boxes = [box for box in document.iter() if local(box.tag) == _TEXT_BOX]
    beside = _Numbering(lists, by_style)
    for box in boxes:
        _number(_paragraphs(box), beside)


def _number(paragraphs: Iterable[Element], counted: _Numbering) -> None:
    for paragraph in paragraphs:
        place = counted.place_of(paragraph)
        if place is None:
            continue
        shown = any(element.text for element in _shown(paragraph))
        if not shown and _is_deleted(paragraph):
            continue
        label = counted.next_label(*place)
        if label and shown:
            _put_before(paragraph, f"{MARK}{label} ")


def _paragraphs(element: Element) -> Iterator[Element]:
    """The paragraphs in an element, in order, but not those of text boxes in it."""
    for child in element:
        name = local(child.tag)
        if name == "p":
            yield child
        elif name != _TEXT_BOX:
            yield from _paragraphs(child)


def _shown(element: Element) -> Iterator[Element]:
    """The pieces of text that the final version shows in the line itself."""
    for child in element:
        name = local(child.tag)
        if name == "t":
            yield child
        elif name not in _GONE and name != _TEXT_BOX:
            yield from _shown(child)


def _is_deleted(paragraph: Element) -> bool:
    marks = child_of(child_of(paragraph, "pPr"), "rPr")
    return any(child_of(marks, name) is not None for name in _GONE)


def _put_before(paragraph: Element, label: str) -> None:
    space = paragraph.tag.removesuffix("p")
    run = Element(f"{space}r")
    text = Element(f"{space}t", {"{http://www.w3.org/XML/1998/namespace}space": "preserve"})
    text.text = label
    run.append(text)
    first = len(paragraph) > 0 and local(paragraph[0].tag) == "pPr"
    paragraph.insert(1 if first else 0, run)


def _list_of(properties: Element | None) -> tuple[str, str]:
    """The list and level that properties name; '' for what they leave open."""
    named = child_of(properties, "numPr")
    return value_of(child_of(named, "numId")), value_of(child_of(named, "ilvl"))


def _lists(numbering: Element, styles: dict[str, Element]) -> dict[str, _List]:
    abstracts: dict[str, dict[int, _Level]] = {}
    linked: dict[str, str] = {}
    lists: dict[str, _List] = {}
    for element in numbering:
        if local(element.tag) == "abstractNum":
            name = value_of(element, "abstractNumId")
            abstracts[name] = dict(_levels(element))
            linked[name] = value_of(child_of(element, "numStyleLink"))
        elif local(element.tag) == "num":
            lists[value_of(element, "numId")] = _instance(element, abstracts)
    for name, each in list(lists.items()):
        # a list that says only in which style its levels are
        style = styles.get(linked.get(each.abstract, ""))
        number, _ = _list_of(child_of(style, "pPr"))
        if not each.levels and number in lists:
            lists[name] = lists[number]
    lists.pop("0", None)
    return lists


def _instance(element: Element, abstracts: dict[str, dict[int, _Level]]) -> _List:
    abstract = value_of(child_of(element, "abstractNumId"))
    levels = dict(abstracts.get(abstract, {}))
    starts: dict[int, int] = {}
    for override in element:
        if local(override.tag) != "lvlOverride":
            continue
        levels |= dict(_levels(override))
        start = value_of(child_of(override, "startOverride"))
        at = value_of(override, "ilvl")
        if start.isdecimal() and at.isdecimal():
            starts[int(at[:3])] = min(int(start[:9]), _MOST_COUNTED)
    return _List(abstract, starts, levels)


def _levels(element: Element) -> Iterator[tuple[int, _Level]]:
    for level in element:
        at = value_of(level, "ilvl")
        if local(level.tag) != "lvl" or not at.isdecimal():
            continue
        start = value_of(child_of(level, "start"))
        legal = child_of(level, "isLgl")
        yield (
            int(at[:3]),
            _Level(
                start=min(int(start[:9]), _MOST_COUNTED) if start.isdecimal() else 1,
                form=value_of(child_of(level, "numFmt")) or "decimal",
                pattern=value_of(child_of(level, "lvlText")),
                legal=legal is not None and value_of(legal) not in ("0", "false", "off"),
                restarts=value_of(child_of(level, "lvlRestart")) != "0",
                style=value_of(child_of(level, "pStyle")),
            ),
        )


def _written(count: int, form: str) -> str:
    """A number in one of Word's forms; those not known here are written as figures."""
    if form == "none":
        return ""
    if form == "decimalZero":
        return f"{count:02}"
    if form.endswith("Letter") and count > 0:
        times, letter = divmod(count - 1, 26)
        text = chr(ord("a") + letter) * min(times + 1, _LONGEST_LABEL)
    elif form.endswith("Roman") and 0 < count < 4000:
        text = _roman(count)
    else:
        return str(count)
    return text.upper() if form.startswith("upper") else text


def _roman(count: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        times, count = divmod(count, value)
        text += letters * times
    return text
