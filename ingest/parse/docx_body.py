"""The walk through a Word document: paragraphs, tables, notes, boxes, in reading order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from ingest.parse.blocks import Block
from ingest.parse.docx_math import linear
from ingest.parse.docx_numbering import Label, Numbering
from ingest.parse.docx_package import Package

# Wrappers whose children stand in their place; tracked insertions are part of the final text.
_TRANSPARENT = frozenset(
    [
        "w:ins",
        "w:moveTo",
        "w:smartTag",
        "w:customXml",
        "w:hyperlink",
        "w:fldSimple",
        "w:sdtContent",
        "w:dir",
        "w:bdo",
        "w:subDoc",
    ]
)
_SYMBOL_FONTS = ("symbol", "wingdings", "webdings")
_CHECKED = {"fe", "fd", "52", "54", "78"}
_UNCHECKED = {"a8", "6f", "a3"}
# A cell longer than this is page layout, not data.
_LONGEST_CELL = 1500
_HEADING_STYLE = re.compile(r"^heading (\d)$")
_DEEPEST_BOXES = 20


@dataclass(frozen=True, slots=True)
class _Style:
    based_on: str | None = None
    name: str = ""
    outline: int | None = None
    number: str | None = None
    level: int = 0


class Body:
    """One document being read. `warnings` and `title` fill while blocks are drawn."""

    def __init__(self, package: Package, part: str) -> None:
        self._package = package
        self._part = part
        self._relations = package.relations(part)
        self._styles = self._read_styles()
        self._numbering = Numbering(package, self._related("numbering"))
        self._notes = {
            "w:footnoteReference": self._read_notes("footnotes"),
            "w:endnoteReference": self._read_notes("endnotes"),
        }
        self._pending: list[Element] = []
        self._later: list[Block] = []
        self._box_depth = 0
        self.warnings: list[str] = []
        self.title: str | None = None

    def blocks_of(self, root: Element) -> Iterator[Block]:
        """The blocks below an element, notes and text boxes after the paragraph they hang on."""
        for child in root:
            name = self._package.name(child)
            if name == "w:p":
                yield from self._paragraph(child)
            elif name == "w:tbl":
                yield from self._table(child)
            elif name == "w:sdt":
                if not self._is_prompt(child):
                    for part in self._children(child, "w:sdtContent"):
                        yield from self.blocks_of(part)
            elif name == "mc:AlternateContent":
                for part in self._one_alternative(child):
                    yield from self.blocks_of(part)
            elif name == "w:altChunk":
                self.warnings.append("an embedded file inside the Word document was not read")
            elif name == "w:body" or name in _TRANSPARENT:
                yield from self.blocks_of(child)

    def parts_of_kind(self, kind: str) -> Iterator[Block]:
        """The blocks of all parts of a kind, `header` or `footer`."""
        for relation in self._relations.values():
            if relation.kind == kind:
                root = self._package.xml(relation.target)
                if root is not None:
                    yield from self.blocks_of(root)

    def _paragraph(self, element: Element) -> Iterator[Block]:
        properties = self._child(element, "w:pPr")
        mark = self._child(properties, "w:rPr")
        if mark is not None and self._child(mark, "w:del") is not None:
            # its end is deleted: what is left of it begins the next paragraph
            self._pending.append(element)
            return
        pieces: list[str] = []
        for paragraph in (*self._pending, element):
            self._inline(paragraph, pieces)
        self._pending.clear()
        text = "".join(pieces).strip()
        if text:
            yield self._block(text, properties)
        later, self._later = self._later, []
        yield from later

    def _block(self, text: str, properties: Element | None) -> Block:
        style_id = self._value(self._child(properties, "w:pStyle")) or ""
        label = self._label(properties, style_id)
        labelled = f"{label.text} {text}" if label else text
        if self._styles.get(style_id, _Style()).name == "title":
            self.title = self.title or " ".join(text.split())
            return Block(labelled, kind="heading", level=1)
        level = self._outline(properties, style_id)
        if level is not None and len(text) <= 300:
            return Block(labelled, kind="heading", level=level)
        return Block(labelled, kind="item" if label else "text")

    def _label(self, properties: Element | None, style_id: str) -> Label | None:
        numbers = self._child(properties, "w:numPr")
        number = self._value(self._child(numbers, "w:numId"))
        level = self._value(self._child(numbers, "w:ilvl"))
        if number == "0":
            return None
        styled = self._style_number(style_id)
        if number is None and styled is None:
            return None
        at = int(level) if level and level.isdecimal() else styled[1] if styled else 0
        return self._numbering.label(number or (styled[0] if styled else ""), at)

    def _style_number(self, style_id: str) -> tuple[str, int] | None:
        for style in self._style_chain(style_id):
            if style.number == "0":
                return None
            if style.number is not None:
                tied = self._numbering.level_of_style(style_id)
                return tied if tied and tied[0] == style.number else (style.number, style.level)
        return self._numbering.level_of_style(style_id)

    def _outline(self, properties: Element | None, style_id: str) -> int | None:
        """The heading level, 1 to 9; None for body text."""
        own = self._value(self._child(properties, "w:outlineLvl"))
        if own and own.isdecimal():
            return int(own) + 1 if int(own) < 9 else None
        for style in self._style_chain(style_id):
            match = _HEADING_STYLE.match(style.name)
            if match:
                return int(match.group(1))
            if style.outline is not None:
                return style.outline + 1 if style.outline < 9 else None
        return None

    def _style_chain(self, style_id: str) -> Iterator[_Style]:
        seen: set[str] = set()
        at: str | None = style_id
        while at and at not in seen and at in self._styles:
            seen.add(at)
            yield self._styles[at]
            at = self._styles[at].based_on

    def _inline(self, element: Element, pieces: list[str]) -> None:
        """The running text of a paragraph or run, appended to `pieces`."""
        for child in element:
            name = self._package.name(child)
            if name == "w:r":
                if not self._is_hidden(child):
                    self._inline(child, pieces)
            elif name == "w:t":
                pieces.append(child.text or "")
            elif name in ("w:tab", "w:ptab"):
                pieces.append("\t")
            elif name in ("w:br", "w:cr"):
                pieces.append("\n")
            elif name == "w:noBreakHyphen":
                pieces.append("-")
            elif name == "w:sym":
                pieces.append(self._symbol(child))
            elif name == "w:fldChar":
                pieces.append(self._form_field(child))
            elif name in self._notes:
                self._later.extend(self._note(name, child))
            elif name == "w:sdt":
                if not self._is_prompt(child):
                    for part in self._children(child, "w:sdtContent"):
                        self._inline(part, pieces)
            elif name == "w:ruby":
                for part in self._children(child, "w:rubyBase"):
                    self._inline(part, pieces)
            elif name in ("m:oMath", "m:oMathPara"):
                pieces.append(linear(self._package, child))
            elif name == "mc:AlternateContent":
                for part in self._one_alternative(child):
                    self._inline(part, pieces)
            elif name in ("w:drawing", "w:pict", "w:object"):
                self._later.extend(self._boxes(child))
            elif name in _TRANSPARENT:
                self._inline(child, pieces)
            elif name == "w:p":
                # a block where running text belongs, in a damaged content control
                self._inline(child, pieces)
                pieces.append("\n")

    def _one_alternative(self, element: Element) -> list[Element]:
        """The first alternative that holds text; a text box is stored twice, read it once."""
        for part in element:
            if self._package.name(part) in ("mc:Choice", "mc:Fallback") and any(
                self._package.name(inner) in ("w:t", "w:txbxContent", "dgm:relIds", "m:t")
                for inner in part.iter()
            ):
                return [part]
        return []

    def _boxes(self, element: Element) -> Iterator[Block]:
        """The text boxes and diagrams of a drawing."""
        if self._box_depth >= _DEEPEST_BOXES:
            return
        self._box_depth += 1
        outer, self._later = self._later, []
        for child in element:
            name = self._package.name(child)
            if name == "w:txbxContent":
                yield from self.blocks_of(child)
            elif name == "dgm:relIds":
                yield from self._diagram(self._package.attribute(child, "r:dm") or "")
            elif name == "mc:AlternateContent":
                for part in self._one_alternative(child):
                    yield from self._boxes(part)
            else:
                yield from self._boxes(child)
        self._later = outer
        self._box_depth -= 1

    def _diagram(self, relation_id: str) -> Iterator[Block]:
        relation = self._relations.get(relation_id)
        root = self._package.xml(relation.target) if relation else None
        for paragraph in root.iter() if root is not None else ():
            if self._package.name(paragraph) == "a:p":
                text = "".join(
                    run.text or "" for run in paragraph.iter() if self._package.name(run) == "a:t"
                )
                if text.strip():
                    yield Block(text, kind="item")

    def _note(self, kind: str, reference: Element) -> Iterator[Block]:
        note = self._notes[kind].pop(self._package.attribute(reference, "w:id") or "", None)
        if note is None:
            return
        outer, self._later = self._later, []
        pending, self._pending = self._pending, []
        yield from list(self.blocks_of(note))
        self._later, self._pending = outer, pending

    def _table(self, element: Element) -> Iterator[Block]:
        for row in self._rows(element):
            cells = [list(self.blocks_of(cell)) for cell in row]
            filled = [blocks for blocks in cells if blocks]
            if not filled:
                continue
            if len(cells) == 1 or not all(map(_is_data, filled)):
                for blocks in filled:
                    yield from blocks
                continue
            texts = [" ".join(" ".join(block.text.split()) for block in blocks) for blocks in cells]
            while texts and not texts[-1]:
                texts.pop()
            yield Block(" | ".join(texts), kind="row")

    def _rows(self, table: Element) -> Iterator[list[Element]]:
        for row in self._unwrapped(table, "w:tr"):
            properties = self._child(row, "w:trPr")
            if self._child(properties, "w:del") is not None:
                continue
            yield [cell for cell in self._unwrapped(row, "w:tc") if not self._is_continued(cell)]

    def _unwrapped(self, element: Element, wanted: str) -> Iterator[Element]:
        for child in element:
            name = self._package.name(child)
            if name == wanted:
                yield child
            elif name in _TRANSPARENT or name in ("w:sdt", "w:sdtContent"):
                yield from self._unwrapped(child, wanted)

    def _is_continued(self, cell: Element) -> bool:
        """Whether a cell only continues a merged one: its text was read there."""
        properties = self._child(cell, "w:tcPr")
        for merge in ("w:vMerge", "w:hMerge"):
            found = self._child(properties, merge)
            if found is not None and (self._value(found) or "continue") == "continue":
                return True
        return False

    def _is_hidden(self, run: Element) -> bool:
        properties = self._child(run, "w:rPr")
        return _is_on(self._child(properties, "w:vanish"), self)

    def _is_prompt(self, control: Element) -> bool:
        """Whether a content control still shows its 'click here' prompt."""
        properties = self._child(control, "w:sdtPr")
        return _is_on(self._child(properties, "w:showingPlcHdr"), self)

    def _symbol(self, element: Element) -> str:
        font = (self._package.attribute(element, "w:font") or "").lower()
        code = (self._package.attribute(element, "w:char") or "").lower()
        if font.startswith(_SYMBOL_FONTS) or code.startswith("f0"):
            short = code[-2:]
            return "☒" if short in _CHECKED else "☐" if short in _UNCHECKED else "•"
        try:
            return chr(int(code, 16))
        except (ValueError, OverflowError):
            return ""

    def _form_field(self, element: Element) -> str:
        """The state of an old-style form check box or list; text fields hold their own text."""
        data = self._child(element, "w:ffData")
        box = self._child(data, "w:checkBox")
        if box is not None:
            state = self._child(box, "w:checked")
            state = self._child(box, "w:default") if state is None else state
            return "☒" if _is_on(state, self) else "☐"
        choices = self._child(data, "w:ddList")
        if choices is not None:
            entries = [self._value(entry) or "" for entry in self._children(choices, "w:listEntry")]
            chosen = self._value(self._child(choices, "w:result")) or "0"
            at = int(chosen) if chosen.isdecimal() else 0
            return entries[at] if at < len(entries) else ""
        return ""

    def _read_styles(self) -> dict[str, _Style]:
        styles: dict[str, _Style] = {}
        root = self._related("styles")
        for element in root if root is not None else ():
            if self._package.name(element) != "w:style":
                continue
            properties = self._child(element, "w:pPr")
            numbers = self._child(properties, "w:numPr")
            outline = self._value(self._child(properties, "w:outlineLvl")) or ""
            level = self._value(self._child(numbers, "w:ilvl")) or ""
            styles[self._package.attribute(element, "w:styleId") or ""] = _Style(
                based_on=self._value(self._child(element, "w:basedOn")),
                name=(self._value(self._child(element, "w:name")) or "").lower(),
                outline=int(outline) if outline.isdecimal() else None,
                number=self._value(self._child(numbers, "w:numId")),
                level=int(level) if level.isdecimal() else 0,
            )
        return styles

    def _read_notes(self, kind: str) -> dict[str, Element]:
        root = self._related(kind)
        return {
            self._package.attribute(note, "w:id") or "": note
            for note in (root if root is not None else ())
            if self._package.attribute(note, "w:type") in (None, "normal")
        }

    def _related(self, kind: str) -> Element | None:
        for relation in self._relations.values():
            if relation.kind == kind:
                return self._package.xml(relation.target)
        return None

    def _child(self, element: Element | None, name: str) -> Element | None:
        for child in element if element is not None else ():
            if self._package.name(child) == name:
                return child
        return None

    def _children(self, element: Element, name: str) -> Iterator[Element]:
        return (child for child in element if self._package.name(child) == name)

    def _value(self, element: Element | None) -> str | None:
        return self._package.attribute(element, "w:val") if element is not None else None


def _is_data(blocks: list[Block]) -> bool:
    """Whether a cell is a piece of data, not a part of the page's layout."""
    return (
        all(block.kind != "row" for block in blocks)
        and sum(len(block.text) for block in blocks) <= _LONGEST_CELL
    )


def _is_on(element: Element | None, body: Body) -> bool:
    return element is not None and body._value(element) not in ("0", "false", "off")
