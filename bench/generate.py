"""Documents of a made-up corpus, one after the other: texts, tags, vectors and who may see them.

Words follow Zipf's law with a share of topic words; tags follow the topics, with the mistakes
people make; vectors lie around their document's, which lies around its topic's and, for local
documents, around a template many authorities copied. Each document has a random stream of its
own, so a corpus does not depend on the order in which it is read.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from bench.world import (
    STOP_WORDS,
    TEMPLATE_COUNT,
    TOPIC_COUNT,
    WORDS_PER_TOPIC,
    Floats,
    Indexes,
    Place,
    World,
    normalised,
    topic_slug,
)

CHUNK_SIZE = 1000
CHUNK_OVERLAP = 200
# documents of a place arrive together, as a crawl brings them, but not the whole place at once
BATCH_OF_A_CRAWL = 8
LONGEST_DOCUMENT = 240
NEWEST = date(2025, 6, 1)
# squared shares of a chunk's vector; two chunks of a document then have cosine 0.7, of a topic
# 0.4, of nothing in common 0.1
COMMON, TOPIC, DOCUMENT, OWN = 0.10, 0.30, 0.30, 0.30
_FILE_TYPES = ("pdf", "html", "docx", "txt")
_STATUSES = ("approved", "pending", "rejected", "flagged")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage and what is decided about it."""

    chunk_id: int
    start_at: int
    content: str
    status: str


@dataclass(frozen=True, slots=True)
class Document:
    """A published document; `vectors` has one unit row per chunk."""

    document_id: int
    place: Place
    topic: int
    title: str
    source: str
    source_family: str
    file_type: str
    document_type: str
    authority: str
    effective_date: date | None
    tags: list[str]
    content_hash: bytes
    chunks: list[Chunk]
    vectors: Floats


def documents(world: World) -> Iterator[Document]:
    """The documents in the order in which they arrive, chunk numbers rising from 1."""
    chunk_id = 1
    for number, (place, size) in enumerate(_arrivals(world), start=1):
        document = _document(world, number=number, place=place, size=size, first_chunk=chunk_id)
        chunk_id += size
        yield document


def _arrivals(world: World) -> list[tuple[Place, int]]:
    """Each document's place and number of chunks, in the order of arrival."""
    rng = np.random.default_rng([world.seed, 1])
    batches: list[list[tuple[Place, int]]] = []
    for place in world.places:
        sizes = []
        left = place.chunks
        while left > 0:
            size = int(np.clip(rng.lognormal(2.0, 0.9), 1, LONGEST_DOCUMENT))
            sizes.append(min(size, left))
            left -= sizes[-1]
        for start in range(0, len(sizes), BATCH_OF_A_CRAWL):
            batches.append([(place, size) for size in sizes[start : start + BATCH_OF_A_CRAWL]])
    return [arrival for at in rng.permutation(len(batches)) for arrival in batches[at]]


def _document(world: World, *, number: int, place: Place, size: int, first_chunk: int) -> Document:
    rng = np.random.default_rng([world.seed, 2, number])
    topic, second = (int(t) for t in rng.integers(0, TOPIC_COUNT, 2))
    template = int(rng.integers(0, TEMPLATE_COUNT))
    own_words = rng.integers(6000, len(world.words), 12)
    body, starts = _text(world, rng, size=size, topic=topic, second=second, own=own_words)
    ends = [*(_word_start(body, start + CHUNK_OVERLAP) for start in starts[1:]), len(body)]
    statuses = rng.choice(4, size=size, p=(0.70, 0.25, 0.03, 0.02))
    chunks = []
    for index, (start, end) in enumerate(zip(starts, ends, strict=True)):
        chunks.append(
            Chunk(
                chunk_id=first_chunk + index,
                start_at=start + 1,
                content=body[start:end].rstrip(),
                status=_STATUSES[int(statuses[index])],
            )
        )
    host = {
        "national": "national.example",
        "la": f"{place.la_code}.example",
        "school": f"{place.urn}.example",
    }[place.kind].lower()
    age = int(rng.exponential(900))
    return Document(
        document_id=number,
        place=place,
        topic=topic,
        title=" ".join(world.words[i] for i in (*world.topic_words[topic][:2], *own_words[:3])),
        source=f"https://{host}/{number}",
        source_family=host,
        file_type=_FILE_TYPES[int(rng.choice(4, p=(0.5, 0.3, 0.15, 0.05)))],
        document_type=("policy", "guidance", "local offer")[int(rng.integers(0, 3))],
        authority={
            "national": ("statutory", "charity")[int(rng.integers(0, 2))],
            "la": "la",
            "school": "school",
        }[place.kind],
        effective_date=NEWEST - timedelta(days=age) if rng.random() < 0.8 else None,
        tags=_tags(rng, topic, second),
        content_hash=hashlib.sha256(" ".join(body.split()).encode()).digest(),
        chunks=chunks,
        vectors=_vectors(
            world, rng, size=size, topic=topic, second=second,
            template=None if place.kind == "national" else template,
        ),
    )  # fmt: skip


def _tags(rng: np.random.Generator, topic: int, second: int) -> list[str]:
    """The topics mostly, now and then none, now and then a wrong one."""
    said, also, wrong = rng.random(3) < (0.85, 0.5, 0.06)
    chosen = {topic} if said else set()
    if also:
        chosen.add(second)
    if wrong:
        chosen.add(int(rng.integers(0, TOPIC_COUNT)))
    return sorted(topic_slug(t) for t in chosen)


def _vectors(
    world: World,
    rng: np.random.Generator,
    *,
    size: int,
    topic: int,
    second: int,
    template: int | None,
) -> Floats:
    about = normalised(world.topics[topic] + np.float32(0.4) * world.topics[second])
    own = world.noise(rng, 1)[0]
    if template is not None:
        own = normalised(own + world.templates[template])
    shared = np.sqrt(COMMON) * world.common + np.sqrt(TOPIC) * about + np.sqrt(DOCUMENT) * own
    rows: Floats = (shared + np.sqrt(OWN) * world.noise(rng, size)).astype(np.float32)
    return normalised(rows)


def _text(
    world: World,
    rng: np.random.Generator,
    *,
    size: int,
    topic: int,
    second: int,
    own: Indexes,
) -> tuple[str, list[int]]:
    """A body of `size` overlapping passages and where each begins, counted from 0."""
    step = CHUNK_SIZE - CHUNK_OVERLAP
    length = size * step + CHUNK_OVERLAP
    count = length // 5 + 40
    # the words of this document's topics, not all of theirs: words come in bursts
    favourites = np.concatenate(
        [
            world.topic_words[topic][rng.integers(0, WORDS_PER_TOPIC, 24)],
            world.topic_words[second][rng.integers(0, WORDS_PER_TOPIC, 8)],
        ]
    )
    kind = rng.random(count)
    words = np.empty(count, dtype=object)
    stop = kind < 0.42
    words[stop] = np.array(STOP_WORDS, dtype=object)[
        (len(STOP_WORDS) * rng.random(int(stop.sum())) ** 2).astype(int)
    ]
    of_topic = (kind >= 0.42) & (kind < 0.58)
    words[of_topic] = world.words[favourites[rng.integers(0, len(favourites), int(of_topic.sum()))]]
    named = (kind >= 0.58) & (kind < 0.61)
    words[named] = world.words[own[rng.integers(0, len(own), int(named.sum()))]]
    plain = kind >= 0.61
    words[plain] = world.draw_words(rng, int(plain.sum()))
    code = f"POL-{int(rng.integers(0, 1_000_000)):06d}"
    # what is looked up by its number: the policy's own, sections, cases
    words[min(8, count - 1)] = code
    for at in rng.integers(9, count, size=max(1, size // 3)).tolist():
        section = int(rng.zipf(1.5) % 90) + 1
        words[at] = (f"section {section}", f"s.{section}", f"regulation {section}")[section % 3]
    for at in rng.integers(9, count, size=size // 12).tolist():
        words[at] = f"INC-{int(rng.integers(10_000, 99_999))}"
    ends = np.cumsum(rng.integers(7, 21, size=count // 7))
    ends = ends[ends < count - 1]
    paragraph = rng.random(len(ends)) < 0.2
    for at, new_paragraph in zip(ends.tolist(), paragraph.tolist(), strict=True):
        words[at] = f"{words[at]}.\n\n" if new_paragraph else f"{words[at]}."
        following = words[at + 1]
        words[at + 1] = following[:1].upper() + following[1:]
    text = " ".join(words.tolist()).replace("\n\n ", "\n\n")
    starts = [0]
    for _ in range(size - 1):
        starts.append(_word_start(text, starts[-1] + step))
    return text[: _word_start(text, starts[-1] + CHUNK_SIZE)].rstrip(), starts


def _word_start(text: str, at: int) -> int:
    """The first word that begins at or after a place."""
    while at < len(text) and not text[at - 1].isspace():
        at += 1
    return at
