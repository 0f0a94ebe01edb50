"""Make text storable and searchable without changing what a reader sees.

What has no visible form (NUL, soft hyphens, zero-width and direction marks, lone surrogates) is
removed; ligature glyphs become the letters they show; every kind of blank becomes a space. What a
reader would miss stays: `m²` and `½` are not folded, that is the search side's business.
"""

import re
import unicodedata
from typing import Any

# Removed wherever they stand: soft hyphen, zero-width space, word joiner and its invisible
# kin, byte order mark, direction marks and overrides, interlinear and tag characters.
_INVISIBLE = re.compile(
    "[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
# Joiners shape letters in Arabic, Indic and emoji sequences and mean nothing between others.
_USELESS_JOINER = re.compile("(?<![\u0590-\uffff\U00010000-\U0010ffff])[\u200c\u200d]")
_BLANK = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
# Presentation forms of Latin, Armenian, Hebrew and Arabic letters. The word-long ligatures at
# U+FDF0..U+FDFF are symbols in their own right and stay.
_PRESENTATION = re.compile("[\ufb00-\ufb4f\ufb50-\ufdcf\ufe70-\ufefc]")

_TRAILING_BLANKS = re.compile(r"[ \t]+(?=\n|$)")
_WIDE_GAP = re.compile(r"[ \t]{3,}")
_MANY_BLANK_LINES = re.compile(r"\n{3,}")
_ANY_BLANKS = re.compile(r"\s+")


def _join_pair(match: re.Match[str]) -> str:
    high, low = (ord(half) for half in match.group())
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def _expand(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match.group())


def clean_characters(text: str) -> str:
    """`text` with every character storable, visible and in composed (NFC) form."""
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_END.sub("\n", text)
    text = _CONTROL.sub("", text)
    if not text.isascii():
        text = _SURROGATE_PAIR.sub(_join_pair, text)
        text = _SURROGATE.sub("", text)
        text = _INVISIBLE.sub("", text)
        text = _USELESS_JOINER.sub("", text)
        text = _BLANK.sub(" ", text)
        text = _PRESENTATION.sub(_expand, text)
        text = unicodedata.normalize("NFC", text)
    return text


def clean_text(text: str) -> str:
    """`text` with clean characters, no trailing blanks and at most one empty line in a row.

    A run of three or more blanks, the mark of a column, becomes two.
    """
    text = clean_characters(text)
    # most texts have neither, and looking for them costs more than all else
    if "   " in text or "\t" in text:
        # gaps first: with none longer than two the other patterns are linear
        text = _WIDE_GAP.sub("  ", text)
    if " \n" in text or "\t\n" in text:
        text = _TRAILING_BLANKS.sub("", text)
    text = _MANY_BLANK_LINES.sub("\n\n", text)
    return text.strip()


def clean_line(text: str) -> str:
    """`text` as one line: clean characters, every run of white space one space."""
    return _ANY_BLANKS.sub(" ", clean_characters(text)).strip()


def clean_value(value: Any) -> Any:  # noqa: ANN401 - JSON in, JSON out
    """JSON `value` with clean characters in every key and string, however deep."""
    if isinstance(value, str):
        return clean_characters(value)
    if isinstance(value, dict):
        return {clean_line(str(key)): clean_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_value(item) for item in value]
    return value
