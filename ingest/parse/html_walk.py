"""A page as blocks in reading order: what is visible, where it stands, what is furniture.

The walk keeps its own stack, so that markup nested fifty thousand deep is only slow, not fatal.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ingest.parse.blocks import BlockKind
from ingest.parse.clean import clean_line
from ingest.parse.html_hidden import Hiding


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BLOCK_TAGS = _words(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset"
    " figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu"
    " nav ol p pre search section summary table tbody tfoot thead tr td th caption ul"
    " option optgroup"
)
_DROPPED_TAGS = _words(
    "script style template noscript head svg math canvas iframe object embed audio video map"
    " select datalist textarea input progress meter"
)
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_FURNITURE_TAGS = frozenset(["nav", "aside", "footer"])
_FURNITURE_ROLES = frozenset(
    ["navigation", "banner", "contentinfo", "search", "complementary", "menu", "menubar"]
)
_FURNITURE_WORDS = _words(
    "nav navbar navigation menu snav subnav sidenav breadcrumb breadcrumbs footer sidebar share"
    " sharing social newsletter subscribe subscription comments disqus advert advertisement ads"
    " promo related recommended recirculation pagination pager skiplink byline masthead"
    " popular trending"
)
# Text this long is content whatever its class says.
_FURNITURE_LIMIT = 4000
_DEEPEST_PLACE = 400
_ROW_LIMIT = 2000
_WORDS = re.compile(r"[a-z]+")
_DATE_ONLY = re.compile(
    r"^\W*(?:(?:published|updated|last updated|posted|by)\W+)?\d{1,2}\W+[a-z]{3,9}\W+\d{4}"
    r"(?:\W+\d{1,2}[:.]\d{2}\s*(?:am|pm)?)?\W*$",
    re.IGNORECASE,
)
_FACT_NAMES = {
    "article:published_time": "published",
    "article:modified_time": "modified",
    "dcterms.modified": "modified",
    "dcterms.created": "published",
    "dc.date": "published",
    "author": "author",
    "description": "description",
}


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """An element that holds blocks; two places are the same only if they are one element."""

    parent: "Place | None"
    depth: int
    furniture: bool
    in_main: bool


@dataclass(frozen=True, slots=True)
class PageBlock:
    """One block of visible text; `linked` is the share of it that is link text."""

    number: int
    text: str
    kind: BlockKind
    level: int
    place: Place
    linked: float

    @property
    def size(self) -> int:
        """How much text this is, in characters."""
        return len(self.text)

    @property
    def furniture(self) -> bool:
        """Whether the markup says that this is navigation, a footer, an advert and the like."""
        return self.place.furniture

    @property
    def in_main(self) -> bool:
        """Whether it stands in the page's main element."""
        return self.place.in_main

    def places(self) -> Iterator[Place]:
        """The elements it stands in, innermost first."""
        place: Place | None = self.place
        while place is not None:
            yield place
            place = place.parent


@dataclass(slots=True)
class Page:
    """A walked page."""

    blocks: list[PageBlock] = field(default_factory=list)
    title: str | None = None
    language: str | None = None
    noscript: str = ""
    has_scripts: bool = False
    asks_password: bool = False
    facts: dict[str, str] = field(default_factory=dict)


def walk(markup: str) -> Page:
    """The visible blocks of `markup`, its title, language and dates."""
    tree = LexborHTMLParser(markup)
    page = Page()
    _read_head(tree, page)
    body = tree.body
    if body is not None:
        _Walker(page, Hiding.of(tree)).run(body)
    return page


def _read_head(tree: LexborHTMLParser, page: Page) -> None:
    title = tree.css_first("title")
    if title is not None:
        page.title = clean_line(title.text()) or None
    root = tree.css_first("html")
    language = (root.attributes.get("lang") or "") if root is not None else ""
    page.language = clean_line(language)[:35] or None
    page.has_scripts = tree.css_first("script") is not None
    page.asks_password = tree.css_first("input[type=password i]") is not None
    page.noscript = " ".join(node.text() for node in tree.css("noscript"))[:2000]
    for meta in tree.css("meta"):
        attributes = meta.attributes
        name = (attributes.get("property") or attributes.get("name") or "").lower()
        content = clean_line(attributes.get("content") or "")
        if name in _FACT_NAMES and content:
            page.facts.setdefault(_FACT_NAMES[name], content[:500])
    canonical = tree.css_first("link[rel=canonical]")
    if canonical is not None and (canonical.attributes.get("href") or "").startswith("http"):
        page.facts["canonical_url"] = clean_line(canonical.attributes["href"] or "")[:2000]


@dataclass(slots=True)
class _Open:
    """An element being walked: its tag and what to restore when it closes."""

    tag: str
    place: Place
    link: bool = False
    row: bool = False
    item: int | None = None


class _Walker:
    """Depth-first over the tree, without recursion."""

    def __init__(self, page: Page, hiding: Hiding) -> None:
        self._page = page
        self._hiding = hiding
        self._buffer: list[str] = []
        self._link_depth = 0
        self._link_size = 0
        self._pre_depth = 0
        self._label = ""
        self._heading = 0
        self._cells: list[str] | None = None
        self._place = Place(None, 0, furniture=False, in_main=False)
        self._stack: list[_Open] = []

    def run(self, root: LexborNode) -> None:
        node: LexborNode | None = root
        while node is not None:
            entered = self._enter(node)
            child = node.first_child if entered else None
            if child is not None:
                node = child
                continue
            if entered:
                self._leave()
            while node is not None and node.next is None:
                node = node.parent
                if node is None or not self._stack:
                    node = None
                    break
                self._leave()
            node = node.next if node is not None else None
        self._flush()

    def _enter(self, node: LexborNode) -> bool:
        """Take in a node; whether its children are to be walked (it then has to be left)."""
        tag = node.tag or ""
        if tag == "-text":
            self._text(node.text_content or "")
            return False
        if tag.startswith(("-", "!")) or tag in _DROPPED_TAGS:
            return False
        if tag == "br":
            self._buffer.append("\n" if self._cells is None and not self._heading else " ")
            return False
        attributes = node.attributes
        if self._hiding.hides(node, attributes):
            return False
        if tag == "button" and not self._heading and not _toggles(attributes):
            return False
        opened = _Open(tag, self._place)
        if tag in _BLOCK_TAGS:
            self._open_block(node, tag, attributes, opened)
        elif tag == "a" and attributes.get("href"):
            opened.link = True
            self._link_depth += 1
        self._stack.append(opened)
        return True

    def _open_block(
        self, node: LexborNode, tag: str, attributes: dict[str, str | None], opened: _Open
    ) -> None:
        in_row = self._cells is not None
        if in_row:
            self._buffer.append(" ")
        else:
            self._flush()
        if self._place.depth < _DEEPEST_PLACE:
            self._place = self._new_place(node, tag, attributes)
        if tag == "tr" and not in_row and _is_plain_row(node):
            opened.row = True
            self._cells = []
        elif tag in _HEADINGS and not in_row:
            self._heading = _HEADINGS[tag]
        elif tag == "li" and not in_row:
            self._label = self._item_label()
        elif tag == "ol":
            start = attributes.get("start") or ""
            opened.item = int(start) if start.isascii() and start.isdigit() else 1
        elif tag == "pre":
            self._pre_depth += 1

    def _new_place(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> Place:
        above = self._place
        role = (attributes.get("role") or "").lower()
        in_main = above.in_main or tag == "main" or role == "main"
        furniture = above.furniture or _is_furniture(node, tag, role, attributes, above)
        return Place(above, above.depth + 1, furniture=furniture, in_main=in_main)

    def _item_label(self) -> str:
        for opened in reversed(self._stack):
            if opened.tag == "ol" and opened.item is not None:
                opened.item += 1
                return f"{opened.item - 1}. "
            if opened.tag in ("ul", "menu", "dir"):
                break
        return "- "

    def _leave(self) -> None:
        opened = self._stack.pop()
        if opened.link:
            self._link_depth -= 1
        if opened.tag not in _BLOCK_TAGS:
            return
        if opened.row:
            self._close_row()
        elif self._cells is not None:
            if opened.tag in ("td", "th"):
                self._close_cell()
            else:
                self._buffer.append(" ")
        else:
            self._flush()
        if opened.tag == "pre":
            self._pre_depth -= 1
        if opened.tag in _HEADINGS:
            self._heading = 0
        if opened.tag == "li":
            self._label = ""
        self._place = opened.place

    def _text(self, text: str) -> None:
        if not self._pre_depth:
            text = re.sub(r"[ \t\r\n\f]+", " ", text)
        self._buffer.append(text)
        if self._link_depth:
            self._link_size += len(text.strip())

    def _take(self) -> str:
        text = "".join(self._buffer)
        self._buffer.clear()
        if not self._pre_depth:
            text = re.sub(r" *\n *", "\n", re.sub(r" {2,}", " ", text))
        return text.strip()

    def _close_cell(self) -> None:
        if self._cells is not None:
            self._cells.append(self._take())

    def _close_row(self) -> None:
        stray = self._take()
        cells, self._cells = self._cells or [], None
        if stray:
            cells.append(stray)
        # an empty cell between others keeps the columns apart, one at the end says nothing
        while cells and not cells[-1]:
            cells.pop()
        if any(cells):
            self._add(" | ".join(cells), "row", 0)

    def _flush(self) -> None:
        text = self._take()
        if not text:
            return
        if self._heading:
            self._add(text, "heading", self._heading)
        elif self._label:
            label, self._label = self._label, ""
            self._add(label + text, "item", 0)
        else:
            self._add(text, "text", 0)

    def _add(self, text: str, kind: BlockKind, level: int) -> None:
        if not any(character.isalnum() for character in text):
            self._link_size = 0
            return
        linked = min(self._link_size / len(text), 1.0)
        self._link_size = 0
        place = self._place
        if kind == "text" and len(text) < 80 and _DATE_ONLY.match(text):
            place = Place(place, place.depth + 1, furniture=True, in_main=place.in_main)
        self._page.blocks.append(
            PageBlock(len(self._page.blocks), text, kind, level, place, linked)
        )


def _toggles(attributes: dict[str, str | None]) -> bool:
    """Whether a button opens a panel: its words are then the panel's heading."""
    return any(name in attributes for name in ("aria-expanded", "aria-controls", "data-toggle"))


def _is_plain_row(row: LexborNode) -> bool:
    """Whether a table row is data: no table, heading or long text within."""
    if row.css_first("table, h1, h2, h3, h4, h5, h6") is not None:
        return False
    return len(row.text()) <= _ROW_LIMIT


def _is_furniture(
    node: LexborNode, tag: str, role: str, attributes: dict[str, str | None], above: Place
) -> bool:
    if tag in ("body", "html", "main", "article") or role in ("main", "article"):
        return False
    names = f"{attributes.get('id') or ''} {attributes.get('class') or ''}".lower()
    words = set(_WORDS.findall(names))
    suspect = (
        tag in _FURNITURE_TAGS
        or role in _FURNITURE_ROLES
        or (tag == "header" and above.depth <= 2)
        or bool(words & _FURNITURE_WORDS)
    )
    if not suspect:
        return False
    if tag == "nav" or role == "navigation":
        return True
    if node.css_first("main, [role=main], article, h1") is not None:
        return False
    return len(node.text()) <= _FURNITURE_LIMIT or tag == "footer"
