"""docs/quality.md from the accepted figures."""

from collections.abc import Mapping, Sequence
from typing import Any

_INTRO = """\
# How good the answers are

This page is made by `python -m bench quality --accept` from the figures it accepts
(`bench/quality.json`); a test compares the two. `make bench` measures again and fails when a figure
over all questions of a set fell by more than 0.01, or when a forbidden document is shown.

What is measured is what ships: documents go through `corpus.stage_document`, `chunk_text`, the
offline model and `corpus.publish_version` into a database of their own, questions through
`search_kb` as `search_text` calls it. A document stands where its best chunk stands. nDCG takes the
grade as gain; the tests compare every metric with the PyPI package `ir-measures`.
"""
_COLLECTIONS = """\
## Three public collections

The ways vector, keyword and hybrid rank without floors, 100 chunks deep, so that only the ranking
counts. "hybrid as shipped" has every default on, floors included, and 50 chunks. In every way a leg
brings as many candidates as it ships with (`kb.candidates`), which bounds recall@50.
"""
_PACK = """\
## The SEND pack

{questions} judged questions over the sample corpus (`packs/send/eval`), each mode as it ships, ten
chunks an answer. "none right" is the share of the questions without an answer in the corpus that
were answered with nothing; "forbidden" counts documents of another area, another school or a
superseded version in the answers.
"""
_AGAIN = """\
## Measure it yourself

```
python -m bench quality                        the gate of make bench
pgkb eval DIR                                  corpus.jsonl, queries.jsonl, qrels.tsv
pgkb eval DIR --whole                          one passage a document instead of chunks
pgkb eval --pack send --failures               the pack, by kind, and what went wrong
pgkb eval DIR --set kb.rrf_k=20                with a setting changed
pgkb tune DIR                                  which weights, k and depth would be better
```

Vectors are kept in `build/vectors.sqlite3`, so only the first run embeds. Runs are kept as rows of
the database in use (`eval.run`, `eval.outcome`, `eval.figure`) and compared with the run before.
hybrid+rerank is not in the tables: no reranker is configured here.
"""
_COLUMNS = (
    ("recall@50", "recall_50"),
    ("recall@8", "recall_8"),
    ("nDCG@10", "ndcg_10"),
    ("MRR", "mrr"),
)
_PACK_NAME = "send"

Accepted = Mapping[str, Any]


def to_page(accepted: Accepted) -> str:
    """The whole page."""
    parts = [_INTRO]
    collections = {name: each for name, each in accepted.items() if name != _PACK_NAME}
    if collections:
        parts += [_COLLECTIONS, _collections(collections)]
    if pack := accepted.get(_PACK_NAME):
        parts += [_PACK.format(questions=pack["questions"]), _pack(pack["ways"])]
    parts.append(_AGAIN)
    return "\n".join(parts)


def _collections(collections: Accepted) -> str:
    rows = []
    for name, each in sorted(collections.items()):
        for way, kinds in each["ways"].items():
            rows.append([name, str(each["questions"]), way, *_figures(kinds["all"])])
    ways = list(next(iter(collections.values()))["ways"])
    for way in ways:
        means = {
            metric: sum(each["ways"][way]["all"][metric] for each in collections.values())
            / len(collections)
            for _, metric in _COLUMNS
        }
        rows.append(["mean", "", way, *_figures(means)])
    return _table(["set", "questions", "way", *(title for title, _ in _COLUMNS)], rows)


def _pack(ways: Accepted) -> str:
    rows = []
    for way, kinds in ways.items():
        for kind, figures in sorted(kinds.items(), key=lambda each: (each[0] != "all", each[0])):
            if kind == "all" or way == "hybrid":
                right = figures.get("right_none")
                rows.append(
                    [
                        way if kind == "all" else f"{way}: {kind}",
                        str(figures["questions"]),
                        *_figures(figures)[1:],
                        "" if right is None else f"{right:.2f}",
                        str(figures["forbidden_shown"]),
                    ]
                )
    titles = [title for title, _ in _COLUMNS][1:]
    return _table(["way", "questions", *titles, "none right", "forbidden"], rows)


def _figures(figures: Mapping[str, float]) -> list[str]:
    return [format(figures[metric], ".3f") if metric in figures else "" for _, metric in _COLUMNS]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
