"""Removes characters a reader cannot see, in which instructions or other words can be hidden."""

import unicodedata
from itertools import pairwise

ZWNJ, ZWJ = "\u200c", "\u200d"
EMOJI_STYLE = "\ufe0f"

# Drawn as nothing, though Unicode counts them among letters, marks or symbols.
INVISIBLE_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")

# Scripts whose spelling needs joiners: Arabic to N'Ko, the Indic ones to Tibetan and Myanmar,
# Khmer and Mongolian, Arabic's presentation forms.
JOINED_SCRIPTS = (
    (0x0600, 0x08FF),
    (0x0900, 0x109F),
    (0x1780, 0x18AF),
    (0xA8E0, 0xA8FF),
    (0xFB50, 0xFDFF),
    (0xFE70, 0xFEFC),
    (0x11000, 0x114FF),
)


def _uses_joiners(char: str) -> bool:
    return any(low <= ord(char) <= high for low, high in JOINED_SCRIPTS) and char.isprintable()


def _is_picture(char: str) -> bool:
    return unicodedata.category(char) in ("So", "Sk") and ord(char) > 0xFF


def _stays(before: str, char: str, after: str) -> bool:
    if char.isspace():
        return True
    if char in (ZWNJ, ZWJ):
        if _uses_joiners(before) and _uses_joiners(after):
            return True
        # a family or a profession is one picture joined from several
        return char == ZWJ and (_is_picture(before) or before == EMOJI_STYLE) and _is_picture(after)
    if char == EMOJI_STYLE:
        return _is_picture(before) or before in "0123456789#*"
    if 0xFE00 <= ord(char) <= 0xFE0E or 0xE0100 <= ord(char) <= 0xE01EF:
        return False
    # controls, formats (zero-width, direction, tags), half surrogates
    return unicodedata.category(char) not in ("Cc", "Cf", "Cs") and char not in INVISIBLE_LETTERS


def visible_text(text: str) -> str:
    """The text without hidden characters.

    Zero-width characters, direction controls, tag characters, variation selectors and control
    characters go; joiners inside scripts that need them, and inside emoji, stay, and so does white
    space. A text without any of them is returned as it is.
    """
    if text.isascii() and text.isprintable():
        return text
    padded = ["\0", *text, "\0"]
    return "".join(
        char
        for before, (char, after) in zip(padded, pairwise(padded[1:]), strict=False)
        if _stays(before, char, after)
    )
