"""Questions to a made-up corpus: five lengths of text, asked for five kinds of people.

A question is made from a passage, its target: some of its words, and a vector near its own.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
from pgvector import HalfVector, Vector
from psycopg import sql

from bench.database import Connection
from bench.world import STOP_WORDS, UNUSED_TOPIC, Floats, Words, World, normalised, topic_slug

KINDS = ("conversational", "identifier", "one word", "100 words")
SCOPES = ("la", "cross-border", "school", "none", "tags")
# nothing is relevant; nothing has the tag; nothing was in force on the day
UNANSWERABLE, UNUSED_TAG, BEFORE_ALL = "unanswerable", "tag of nothing", "day before all"
ODD_KINDS = (UNANSWERABLE, UNUSED_TAG, BEFORE_ALL)
_LONG_AGO = date(1900, 1, 1)
# how a question's vector is made up: of its target, of the target's topic, of neither
NEAR_TARGET, NEAR_TOPIC, ASIDE = 0.62, 0.30, 0.72
_IDENTIFIER = re.compile(r"POL-\d+|INC-\d+|section \d+|s\.\d+|regulation \d+", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked and for whom. `tsquery` and `scopes` are worked out, so that timing a part
    of the search times nothing else. `twin` is the number of the question this one is with a
    filter more, which nothing meets."""

    kind: str
    scope: str
    text: str
    vector: Vector
    half_vector: HalfVector
    la: str | None
    home_la: str | None
    urn: str | None
    tags: list[str] | None
    tsquery: str | None
    scopes: str
    scope_ids: list[int]
    as_of: date | None = None
    twin: int | None = None

    def arguments(self) -> dict[str, object]:
        """By name, for a statement."""
        return {
            "vector": self.vector,
            "half_vector": self.half_vector,
            "la": self.la,
            "home_la": self.home_la,
            "urn": self.urn,
            "tags": self.tags,
            "tsquery": self.tsquery,
            "scopes": self.scopes,
            "scope_ids": self.scope_ids,
            "as_of": self.as_of,
        }


@dataclass(frozen=True, slots=True)
class _Target:
    content: str
    vector: Floats
    topic: int
    la: str | None
    urn: str | None


def make_questions(db: Connection, world: World, *, set_id: int, per_cell: int) -> list[Question]:
    """`per_cell` questions for each kind and scope, and as many of each odd kind.

    The same seed and corpus give the same questions. Kinds and scopes alternate, so that a slow
    minute of the machine falls on all of them.
    """
    rng = np.random.default_rng([world.seed, 3])
    other_las = [place.la_code for place in world.places if place.kind == "la"]
    targets = {
        scope: _targets(db, rng, set_id=set_id, scope=scope, count=per_cell * len(KINDS))
        for scope in SCOPES
    }
    made = []
    for number in range(per_cell):
        for at, (kind, write) in enumerate(_WRITERS.items()):
            for scope in SCOPES:
                found = targets[scope]
                target = found[(number * len(KINDS) + at) % len(found)]
                elsewhere = other_las[int(rng.integers(0, len(other_las)))]
                made.append(
                    _question(
                        db,
                        kind=kind,
                        scope=scope,
                        text=write(world, rng, target.content),
                        vector=_near(world, rng, target),
                        la=None if scope == "none" else target.la or elsewhere,
                        home_la=elsewhere if scope == "cross-border" else None,
                        urn=target.urn if scope == "school" else None,
                        tags=[topic_slug(target.topic)] if scope == "tags" else None,
                    )
                )
        made.append(
            _question(
                db,
                kind=UNANSWERABLE,
                scope="la",
                text="xylophonic quizzaciously",
                vector=-world.common + np.float32(0.5) * world.noise(rng, 1)[0],
                la=other_las[number % len(other_las)],
                home_la=None,
                urn=None,
                tags=None,
            )
        )
        twin = len(made) - 1 - len(KINDS) * len(SCOPES)
        made += [
            replace(made[twin], kind=UNUSED_TAG, tags=[UNUSED_TOPIC], twin=twin),
            replace(made[twin], kind=BEFORE_ALL, as_of=_LONG_AGO, twin=twin),
        ]
    return made


def answerable(questions: Sequence[Question]) -> list[tuple[int, Question]]:
    """Those that have an answer, with their numbers."""
    return [(n, q) for n, q in enumerate(questions) if q.kind not in ODD_KINDS]


def _targets(
    db: Connection, rng: np.random.Generator, *, set_id: int, scope: str, count: int
) -> list[_Target]:
    """Passages that the people of a scope ask about, large authorities more often."""
    kinds = {"school": ["school"], "none": ["national"]}.get(scope, ["la", "national"])
    ids = [
        row[0]
        for row in db.execute(
            "select c.chunk_id from corpus.chunk as c "
            "inner join corpus.scope as s on c.scope_id = s.scope_id "
            "inner join corpus.chunk_fact as f on c.chunk_id = f.chunk_id "
            "where s.kind = any(%s) and f.status in ('approved', 'pending') order by c.chunk_id",
            [kinds],
        )
    ]
    chosen = [ids[at] for at in rng.integers(0, len(ids), count)]
    statement = sql.SQL(
        "select c.chunk_id, c.content, v.embedding, (r.metadata ->> 'topic')::integer, "
        "s.la_code, s.school_urn from corpus.chunk as c "
        "inner join corpus.version as r on c.version_id = r.version_id "
        "inner join corpus.scope as s on c.scope_id = s.scope_id "
        "inner join embedding.vector as v on c.chunk_id = v.chunk_id and v.set_id = %s "
        "where c.chunk_id = any(%s)"
    )
    found = {
        chunk_id: _Target(content, embedding.to_numpy().astype(np.float32), topic, la, urn)
        for chunk_id, content, embedding, topic, la, urn in db.execute(statement, [set_id, chosen])
    }
    return [found[chunk_id] for chunk_id in chosen]


def _near(world: World, rng: np.random.Generator, target: _Target) -> Floats:
    mixed: Floats = (
        NEAR_TARGET * target.vector
        + NEAR_TOPIC * world.topics[target.topic]
        + ASIDE * world.noise(rng, 1)[0]
    ).astype(np.float32)
    return mixed


def _question(
    db: Connection,
    *,
    kind: str,
    scope: str,
    text: str,
    vector: Floats,
    la: str | None,
    home_la: str | None,
    urn: str | None,
    tags: list[str] | None,
) -> Question:
    unit = normalised(vector)
    row = db.execute(
        "select terms.build_tsquery(%(text)s)::text, array_agg(s)::text, array_agg(s.scope_id) "
        "from search.visible_scopes(la => %(la)s, home_la => %(home_la)s, urn => %(urn)s) as s",
        {"text": text, "la": la, "home_la": home_la, "urn": urn},
    ).fetchone()
    if row is None:
        raise LookupError("national is always visible")
    return Question(
        kind=kind, scope=scope, text=text, vector=Vector(unit), half_vector=HalfVector(unit),
        la=la, home_la=home_la, urn=urn, tags=tags, tsquery=row[0], scopes=row[1],
        scope_ids=row[2],
    )  # fmt: skip


def _words_of(content: str) -> list[str]:
    return [w for w in _WORD.findall(content.lower()) if w not in STOP_WORDS and len(w) > 3]


def _pick(rng: np.random.Generator, words: list[str] | Words, count: int) -> list[str]:
    return [str(words[at]) for at in rng.integers(0, len(words), count)]


def _stop_words(rng: np.random.Generator, count: int) -> list[str]:
    return [STOP_WORDS[at] for at in rng.integers(0, len(STOP_WORDS), count)]


def _mixed(rng: np.random.Generator, words: list[str]) -> str:
    return " ".join(words[at] for at in rng.permutation(len(words)))


def _conversational(world: World, rng: np.random.Generator, content: str) -> str:
    """Twelve words: five that carry nothing, three that everybody uses, four of the passage."""
    common = _pick(rng, world.words[:60], 3)
    return _mixed(rng, _stop_words(rng, 5) + common + _pick(rng, _words_of(content), 4))


def _identifier(world: World, rng: np.random.Generator, content: str) -> str:
    """Three words and a number to look up; where the passage has none, some section."""
    found = _IDENTIFIER.findall(content) or [f"section {int(rng.integers(1, 60))}"]
    return " ".join(["what", "about", *_pick(rng, _words_of(content), 1), *_pick(rng, found, 1)])


def _one_word(world: World, rng: np.random.Generator, content: str) -> str:
    return _pick(rng, _words_of(content), 1)[0]


def _hundred_words(world: World, rng: np.random.Generator, content: str) -> str:
    """A letter: words of the passage among words of the language at large."""
    at_large = [str(word) for word in world.draw_words(rng, 30)]
    return _mixed(rng, _stop_words(rng, 42) + at_large + _pick(rng, _words_of(content), 28))


_WRITERS: Mapping[str, Callable[[World, np.random.Generator, str], str]] = dict(
    zip(KINDS, (_conversational, _identifier, _one_word, _hundred_words), strict=True)
)
