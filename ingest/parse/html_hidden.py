"""What a reader of the page never sees, and what only looks hidden until it is opened."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

_INVISIBLE_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$|!)"
    r"|font-size\s*:\s*0(?:px|em|rem|pt|%)?\s*(?:;|$|!)"
    r"|(?:left|top|text-indent)\s*:\s*-\d{4,}px",
    re.IGNORECASE,
)
_STYLE_RULE = re.compile(r"([^{}@]{1,300})\{([^{}]{0,2000})\}")
_SIMPLE_SELECTOR = re.compile(r"^(?:[a-z][a-z0-9]*)?([.#])([\w-]+)$", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_MEDIA = re.compile(r"@[^{};]+\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
# A panel that opens on a click, by the names its makers give it.
_PANEL = re.compile(
    r"accord|collaps|expand|panel|toggle|tab(?:s|-|_|content|pane)|faq|answer|details|reveal|drawer"
    r"|dropdown-content|slide|spoiler",
    re.IGNORECASE,
)
_PANEL_ROLES = frozenset(["tabpanel", "region"])
_BANNER = re.compile(
    r"cookie|consent|gdpr|onetrust|cookiebot|\bccc(?:-|_|\b)|eu-?privacy", re.IGNORECASE
)
_BANNER_LIMIT = 6000
_CONTROLS = "[aria-controls], [data-target], [data-bs-target], [data-toggle][href], summary"

Attributes = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Hiding:
    """The page's own rules: names its style sheets hide, names a control opens, banners."""

    hidden_classes: frozenset[str]
    hidden_ids: frozenset[str]
    opened_ids: frozenset[str]
    banners: frozenset[int]

    @classmethod
    def of(cls, tree: LexborHTMLParser) -> "Hiding":
        """Read the style sheets, controls and consent banners of a page."""
        classes: set[str] = set()
        ids: set[str] = set()
        for sheet in tree.css("style"):
            for sign, name in _hidden_names(sheet.text()):
                (classes if sign == "." else ids).add(name)
        opened: set[str] = set()
        for control in tree.css(_CONTROLS):
            attributes = control.attributes
            for name in ("aria-controls", "data-target", "data-bs-target", "href"):
                opened.update((attributes.get(name) or "").replace("#", " ").split())
        return cls(frozenset(classes), frozenset(ids), frozenset(opened), _banners(tree))

    def hides(self, node: LexborNode, attributes: Attributes) -> bool:
        """Whether an element is never shown to a reader, or is a consent banner."""
        if not attributes:
            return False
        if self.banners and node.mem_id in self.banners:
            return True
        identity = attributes.get("id") or ""
        classes = attributes.get("class") or ""
        if not self._invisible(attributes, identity, classes):
            return False
        return not self._opens(attributes, identity, classes)

    def _invisible(self, attributes: Attributes, identity: str, classes: str) -> bool:
        if "hidden" in attributes:
            return True
        style = attributes.get("style")
        if style and _INVISIBLE_STYLE.search(style):
            return True
        if identity in self.hidden_ids:
            return True
        return bool(self.hidden_classes) and not self.hidden_classes.isdisjoint(classes.split())

    def _opens(self, attributes: Attributes, identity: str, classes: str) -> bool:
        """Whether the reader can open what is folded away."""
        return (
            (bool(identity) and identity in self.opened_ids)
            or (attributes.get("hidden") or "") == "until-found"
            or (attributes.get("role") or "") in _PANEL_ROLES
            or "aria-labelledby" in attributes
            or bool(_PANEL.search(f"{identity} {classes}"))
        )


def _hidden_names(sheet: str) -> list[tuple[str, str]]:
    """('.', class) and ('#', id) of the plain rules that hide; media queries do not count."""
    sheet = _MEDIA.sub("", _COMMENT.sub("", sheet[:500_000]))
    names: list[tuple[str, str]] = []
    for selectors, body in _STYLE_RULE.findall(sheet):
        if not _INVISIBLE_STYLE.search(body):
            continue
        for selector in selectors.split(","):
            match = _SIMPLE_SELECTOR.match(selector.strip())
            if match:
                names.append((match.group(1), match.group(2)))
    return names


def _banners(tree: LexborHTMLParser) -> frozenset[int]:
    """Elements named for cookies or consent that are too small to be the page itself."""
    found: set[int] = set()
    candidates = tree.css(
        "[id*=cookie i], [class*=cookie i], [id*=consent i], [class*=consent i],"
        " [id*=gdpr i], [class*=gdpr i], [id^=ccc], [id*=onetrust i], [class*=onetrust i]"
    )
    for node in candidates[:200]:
        if node.tag in ("html", "body", "main", "article", "a", "h1", "h2", "li"):
            continue
        attributes = node.attributes
        identity = attributes.get("id") or ""
        classes = attributes.get("class") or ""
        if not _BANNER.search(f"{identity} {classes}"):
            continue
        if node.css_first("main, [role=main], article, h1") is not None:
            continue
        if len(node.text()) <= _BANNER_LIMIT:
            found.add(node.mem_id)
    return frozenset(found)
