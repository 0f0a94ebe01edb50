"""HTML pages: the main text, whole, without the furniture around it.

Two readers work together. `html_walk` turns the page into blocks in order, every list item, table
row and accordion panel included, and knows which are hidden or furniture by their markup.
trafilatura says which of them are the article. The smallest part of the page that holds the
article is then kept whole, so that neither a fee table nor a folded answer is lost. Where the two
disagree beyond reason, everything visible is kept and a warning says so.
"""

import logging
import re
from collections.abc import Sequence

import trafilatura

from ingest.parse.blocks import Block, assemble, first_heading
from ingest.parse.decode import decode
from ingest.parse.html_walk import Page, PageBlock, Place, walk
from ingest.parse.result import Parsed, Refused

# trafilatura takes half a gigabyte for 14 MB of markup; beyond this size markup alone decides.
_LARGEST_FOR_ARTICLE = 6_000_000
_ARTICLE_SHARE = 0.9
# Less than this share of the unfurnished text is not a plausible main text.
_IMPLAUSIBLE_SHARE = 0.5
_SMALLEST_MAIN_TEXT = 200
_SHORTEST_EVIDENCE = 25
# How far from the last block the next one is looked for, and how many characters in all may be
# searched beyond that.
_NEAR = 20_000
_MOST_EFFORT = 400_000_000
# A headline stands at most so many blocks above the article.
_LONGEST_LEAD = 12
_LINKED_SHARE = 0.7
_SHELL = re.compile(
    r"(enable|turn on|activate|requires?|needs?|without)\W+(\w+\W+){0,3}java\s?script",
    re.IGNORECASE,
)
_SHELL_TEXT = 400
# What stands before a page: a check for robots, a refusal, an error told with status 200.
_GATE = re.compile(
    r"\b(?:checking (?:if|your) (?:the site|browser|connection)"
    r"|(?:verify|confirm)\W+(?:that )?you are (?:a )?human|are you a robot|unusual traffic"
    r"|request (?:was )?(?:blocked|unsuccessful)|attention required|just a moment"
    r"|access (?:to this \w+ )?(?:is |has been |was )?(?:denied|blocked|forbidden)"
    r"|(?:40[134]|50[023])\W+(?:error|forbidden|not found|unauthori[sz]ed)"
    r"|error\W+(?:40[134]|50[023])|page (?:can(?:no|['’])t be|could not be|was not|not) found"
    r"|session (?:has )?(?:expired|timed out)|bad gateway|service unavailable)\b",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"\b(?:sign|log)[ -]?in\b", re.IGNORECASE)
# Such pages are short and come to the point.
_GATE_TEXT = 600
_GATE_REACH = 150
_APPEAL = re.compile(
    r"^(subscribe (now|today|to)\b|sign up (now|today|for|to)\b|follow us (on|at)\b"
    r"|like us on\b|for the latest (stories|news)\b|download (the|our) \S+ apps?\b"
    r"|share (this|your thoughts)\b|join the conversation\b|print this page\b|back to top\b"
    r"|skip to (main )?content\b)",
    re.IGNORECASE,
)
_LONGEST_APPEAL = 160
_TITLE_BREAK = re.compile(r"\s+(?:[|\-–—·•»]|::)\s+")

logging.getLogger("trafilatura").setLevel(logging.CRITICAL)


def parse_html(data: bytes, *, header_charset: str | None = None) -> Parsed:
    """The main text of a page. Raises Refused when it holds none of its own."""
    decoded = decode(data, header_charset=header_charset, markup=True)
    page = walk(decoded.text.replace("\x00", ""))
    if not page.blocks:
        raise _no_text(page)
    article = _article_text(decoded.text) if len(data) <= _LARGEST_FOR_ARTICLE else ""
    chosen, warning = choose(page.blocks, article)
    assembled = assemble(_as_block(block) for block in chosen)
    if not assembled.text or (
        len(assembled.text) < _SHELL_TEXT and _SHELL.search(assembled.text + page.noscript)
    ):
        raise _no_text(page)
    if len(assembled.text) < _GATE_TEXT:
        _refuse_gate(page, assembled.text)
    warnings = [warning] if warning else []
    if decoded.guessed:
        warnings.append(f"character encoding guessed as {decoded.encoding}: check special letters")
    heading = first_heading(assembled.headings)
    return Parsed(
        text=assembled.text,
        file_type="html",
        title=_title(page.title, heading),
        language=page.language,
        headings=assembled.headings,
        warnings=tuple(warnings),
        metadata={
            "encoding": decoded.encoding,
            **page.facts,
            **({"main_text_unsure": True} if warning else {}),
            **({"menu_only": True} if _is_menu(page.blocks) else {}),
        },
    )


def _refuse_gate(page: Page, text: str) -> None:
    """Raise Refused for a short page that only stands before another one."""
    beginning = f"{page.title or ''} {text[:_GATE_REACH]}"
    if page.asks_password and _LOGIN.search(beginning):
        raise Refused(
            "gate",
            "a login page, not the document: open it in a browser, log in and save the page",
        )
    if _GATE.search(beginning):
        raise Refused(
            "gate",
            "a block or error page, not the document: open the address in a browser and save "
            "the page from there",
        )


def _no_text(page: Page) -> Refused:
    if page.has_scripts or _SHELL.search(page.noscript):
        return Refused(
            "no-text",
            "the page holds no text of its own, a script fetches it: open it in a browser and "
            "save it from there, or print it to PDF",
        )
    return Refused("empty", "the page holds no readable text: nothing to ingest")


def _is_menu(blocks: Sequence[PageBlock]) -> bool:
    """Whether a page holds headings and links, which the markup calls furniture, and no more."""
    rest = [block for block in blocks if block.kind != "heading"]
    size = sum(block.size for block in rest)
    linked = sum(block.size * block.linked for block in rest)
    return size > 0 and all(block.furniture for block in rest) and linked >= _LINKED_SHARE * size


def _article_text(markup: str) -> str:
    """trafilatura's idea of the article, '' when it has none or gives up."""
    try:
        text = trafilatura.extract(
            markup, include_comments=False, include_tables=True, output_format="txt"
        )
    except (ValueError, TypeError, AttributeError, RecursionError, LookupError):
        return ""
    return text or ""


def choose(blocks: Sequence[PageBlock], article: str) -> tuple[list[PageBlock], str | None]:
    """The blocks that are the page's text, and a warning when the choice is doubtful."""
    unfurnished = [block for block in blocks if not block.furniture]
    found = _found_in(article, blocks)
    found_size = sum(block.size for block in found)
    plain_size = sum(block.size for block in unfurnished if block.linked < _LINKED_SHARE)

    main = [block for block in unfurnished if block.in_main]
    main_evidence = sum(block.size for block in found if block.in_main)
    if main and main_evidence >= 0.8 * found_size:
        chosen = _main_part(main, set(map(_number, found)))
    elif found and found_size >= _IMPLAUSIBLE_SHARE * plain_size:
        chosen = _around_article(blocks, found, found_size)
    else:
        chosen = unfurnished
    chosen = [block for block in chosen if not _is_appeal(block)]

    visible_size = sum(block.size for block in blocks)
    size = sum(block.size for block in chosen)
    tiny = size < _SMALLEST_MAIN_TEXT and size < 0.25 * visible_size
    # a wordy menu taken for the article, while what stands outside of it is passed over
    misled = bool(unfurnished) and all(block.furniture for block in chosen)
    if tiny or misled:
        return list(blocks), (
            "the main text could not be told from the page's furniture: all visible text was kept"
        )
    return chosen, None


def _found_in(article: str, blocks: Sequence[PageBlock]) -> list[PageBlock]:
    """The blocks that are part of the article."""
    text = _squeeze(article)
    found: list[PageBlock] = []
    at = 0
    effort = 0
    for block in blocks:
        squeezed = _squeeze(block.text)
        # a short block may be found by chance: it is no evidence of where the article is
        if len(squeezed) < _SHORTEST_EVIDENCE:
            continue
        # both are in reading order, so the next one is nearly always close by
        place = text.find(squeezed, at, at + len(squeezed) + _NEAR)
        if place < 0 and effort < _MOST_EFFORT:
            place = text.find(squeezed)
            effort += len(text)
        if place >= 0:
            found.append(block)
            at = place + len(squeezed)
    return found


def _main_part(main: list[PageBlock], found: set[int]) -> list[PageBlock]:
    """The main element without its lists of links, unless links are what it is about."""
    worded = [
        block
        for block in main
        if block.linked < _LINKED_SHARE or block.number in found or block.kind == "heading"
    ]
    wordy_size = sum(block.size for block in worded if block.kind != "heading")
    linked_size = sum(block.size for block in main) - sum(block.size for block in worded)
    return main if linked_size >= 0.5 * wordy_size else worded


def _around_article(
    blocks: Sequence[PageBlock], found: list[PageBlock], found_size: int
) -> list[PageBlock]:
    """The deepest element that holds nearly all of the article, and the headline above it."""
    held: dict[Place, int] = {}
    for block in found:
        for place in block.places():
            held[place] = held.get(place, 0) + block.size
    enough = [place for place, size in held.items() if size >= _ARTICLE_SHARE * found_size]
    home = max(enough, key=lambda place: place.depth)
    numbers = set(map(_number, found))
    chosen = [
        block
        for block in blocks
        if home in block.places() and (block.number in numbers or not block.furniture)
    ]
    first = chosen[0].number
    lead: list[PageBlock] = []
    for block in reversed(blocks[max(0, first - _LONGEST_LEAD) : first]):
        if block.furniture or block.linked >= _LINKED_SHARE:
            continue
        lead.append(block)
        if block.kind == "heading" and block.level == 1:
            return [*reversed(lead), *chosen]
    return chosen


def _number(block: PageBlock) -> int:
    return block.number


def _is_appeal(block: PageBlock) -> bool:
    return block.size <= _LONGEST_APPEAL and _APPEAL.match(block.text) is not None


def _squeeze(text: str) -> str:
    """Letters and digits only, so that spacing and bullets make no difference."""
    return "".join(character for character in text if character.isalnum())


def _as_block(block: PageBlock) -> Block:
    return Block(block.text, kind=block.kind, level=block.level)


def _title(title: str | None, heading: str | None) -> str | None:
    """The page's title without the site's name, which follows or precedes a separator."""
    if not title:
        return heading
    if heading and heading.casefold() in title.casefold():
        return heading
    parts = [part for part in _TITLE_BREAK.split(f" {title} ") if part.strip()]
    return parts[0].strip() if parts else heading
