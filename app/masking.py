"""What may never reach a log: credentials, and what people asked."""

import re
from collections.abc import Iterable

_PATTERNS = (
    # the password of any URL
    (re.compile(r"(?i)(\b[a-z][a-z0-9+.-]*://[^\s:/@]*):[^\s@]*@"), r"\1:***@"),
    (re.compile(r"(?i)\b(authorization\s*[:=]\s*)?(bearer|basic)\s+[\w.~+/=-]{6,}"), r"\2 ***"),
    (
        re.compile(
            r"(?i)\b([\w-]*(?:api[-_]?key|password|passwd|pwd|secret|token))"
            r"(['\"]?\s*[:=]\s*['\"]?)[^\s,;&'\"]+"
        ),
        r"\1\2***",
    ),
    (re.compile(r"\b(sk|pk|rk)-[\w-]{8,}"), r"\1-***"),
)
_QUOTED = re.compile(r"\"([^\"]+)\"|'([^']+)'|“([^”]+)”|«([^»]+)»")


def mask_secrets(text: str) -> str:
    """The text with passwords, keys and tokens replaced by `***`."""
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text


def mask_private(text: str, private: Iterable[str]) -> str:
    """The text without the private strings, nor any quoted piece of one of them.

    Servers quote the part of a value they could not use, so a piece is as private as the whole.
    """
    secrets = [piece for piece in private if piece.strip()]
    for secret in secrets:
        text = text.replace(secret, "[private]")
    folded = [secret.casefold() for secret in secrets]

    def hide(match: re.Match[str]) -> str:
        inner = next(group for group in match.groups() if group is not None)
        if any(inner.casefold() in secret for secret in folded):
            return "[private]"
        return match.group(0)

    return mask_secrets(_QUOTED.sub(hide, text))
