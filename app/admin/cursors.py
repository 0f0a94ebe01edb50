"""Where a list goes on: a text for the caller to hand back, and nothing to read in it.

It holds the keys of the last row and a digest of the filters they belong to. Keys of another list
or of other filters are refused, so that nobody pages through something else without noticing.
"""

import base64
import binascii
import hashlib
from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import msgspec
from litestar.exceptions import ValidationException
from litestar.params import QueryParameter

_BIGGEST = 2**63 - 1

Page: TypeAlias = Annotated[
    str | None,
    QueryParameter(
        max_length=300, description="`nextPage` of the page before; without it the first page."
    ),
]
PageSize: TypeAlias = Annotated[
    int, QueryParameter(name="pageSize", ge=1, le=200, description="How many at most.")
]


def next_page(keys: Sequence[float | None], *filters: object) -> str:
    """The text that stands for what comes after these keys."""
    inside = msgspec.json.encode([_digest(filters), *keys])
    return base64.urlsafe_b64encode(inside).decode().rstrip("=")


def keys_of(page: str | None, kinds: Sequence[type], *filters: object) -> list[Any]:
    """The keys a list goes on after; all None for the first page.

    Raises ValidationException for what `next_page` never made of these filters.
    """
    if page is None:
        return [None] * len(kinds)
    try:
        inside = base64.b64decode(page + "=" * (-len(page) % 4), altchars=b"-_", validate=True)
        digest, *keys = msgspec.json.decode(inside, type=list[Any])
    except (ValueError, binascii.Error, msgspec.DecodeError):
        raise _refused() from None
    if digest != _digest(filters) or len(keys) != len(kinds):
        raise _refused()
    for key, kind in zip(keys, kinds, strict=True):
        whole = type(key) is int and 0 <= key <= _BIGGEST
        share = kind is float and (key is None or (type(key) is float and 0 <= key <= 1))
        if not (share or whole):
            raise _refused()
    return keys


def _digest(filters: Sequence[object]) -> str:
    return hashlib.sha256(msgspec.json.encode(filters)).hexdigest()[:16]


def _refused() -> ValidationException:
    message = "it is not the nextPage of this list with these filters"
    return ValidationException(extra=[{"key": "page", "message": message}])
