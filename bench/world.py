"""What a made-up corpus is made of: places, words, topics and directions. All from one seed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Indexes = NDArray[np.int64]
Words = NDArray[np.object_]

AUTHORITY_COUNT = 143
NATIONAL_SHARE = 0.09
SCHOOL_SHARE = 0.25
CHUNKS_PER_SCHOOL = 40
TOPIC_COUNT = 40
# a topic nothing is about
UNUSED_TOPIC = "topic-unused"
TEMPLATE_COUNT = 60
VOCABULARY = 24_000
# a word of rank r is drawn with weight (r + shift) ** -exponent: the commonest one is then in
# about six chunks of ten, and half of the words are in a handful
ZIPF_SHIFT = 12.0
ZIPF_EXPONENT = 1.08
WORDS_PER_TOPIC = 150
# directions that vectors vary in: a model's vectors fill far fewer dimensions than they have
SUBSPACE = 64

STOP_WORDS = (
    "the", "of", "and", "to", "a", "in", "is", "for", "that", "with", "be", "are", "on", "as",
    "by", "this", "or", "not", "have", "will", "at", "from", "they", "has", "their", "which",
    "you", "if", "who", "can", "your", "an", "we", "should", "do", "my", "it", "he", "about",
)  # fmt: skip
RANKS = (
    ("statutory", 1.1),
    ("la", 1.05),
    ("charity", 1.0),
    ("school", 0.97),
)
_SOUNDS = """
b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sh sl st t th tr v w
a e i o u ai ea ee oa oo ou
b ck d f g l ll m n nd nt p r rk rt st t x
"""
_ONSETS, _VOWELS, _CODAS = (line.split() for line in _SOUNDS.strip().splitlines())


@dataclass(frozen=True, slots=True)
class Place:
    """Who a scope belongs to: national has no authority, only a school has a urn."""

    kind: str
    la_code: str | None
    urn: str | None
    chunks: int


@dataclass(frozen=True, slots=True)
class World:
    """Everything but the documents. Equal arguments make equal worlds."""

    seed: int
    width: int
    places: tuple[Place, ...]
    words: Words
    # running total of the words' shares, for drawing from them
    word_ladder: NDArray[np.float64]
    topic_words: Indexes
    topics: Floats
    templates: Floats
    common: Floats
    basis: Floats

    def draw_words(self, rng: np.random.Generator, count: int) -> Words:
        """Words of the language at large, common ones often."""
        found = np.searchsorted(self.word_ladder, rng.random(count))
        drawn: Words = self.words[found.clip(0, len(self.words) - 1)]
        return drawn

    def noise(self, rng: np.random.Generator, count: int) -> Floats:
        """Unit directions, mostly within the subspace, never quite."""
        within = rng.standard_normal((count, SUBSPACE), dtype=np.float32) @ self.basis
        outside = rng.standard_normal((count, self.width), dtype=np.float32)
        return normalised(normalised(within) + np.float32(0.5) * normalised(outside))


def normalised(rows: Floats) -> Floats:
    """Each row at unit length."""
    lengths: Floats = np.linalg.norm(rows, axis=-1, keepdims=True)
    unit: Floats = rows / lengths
    return unit


def topic_slug(topic: int) -> str:
    """The tag of a topic."""
    return f"topic-{topic:02d}"


def make_world(*, chunks: int, width: int, seed: int) -> World:
    """Places that together hold exactly this many chunks, and what their texts are made of."""
    rng = np.random.default_rng([seed, 0])
    basis = np.linalg.qr(rng.standard_normal((width, SUBSPACE)))[0].T.astype(np.float32)

    def directions(count: int) -> Floats:
        return normalised(rng.standard_normal((count, SUBSPACE)).astype(np.float32) @ basis)

    weights = (np.arange(VOCABULARY) + ZIPF_SHIFT) ** -ZIPF_EXPONENT
    # a topic's words are neither the commonest nor the rarest of the language
    topic_words = np.stack(
        [
            rng.choice(np.arange(40, 6000), size=WORDS_PER_TOPIC, replace=False)
            for _ in range(TOPIC_COUNT)
        ]
    )
    return World(
        seed=seed,
        width=width,
        places=_places(rng, chunks),
        words=np.array(_vocabulary(rng), dtype=object),
        word_ladder=np.cumsum(weights / weights.sum()),
        topic_words=topic_words,
        topics=directions(TOPIC_COUNT),
        templates=directions(TEMPLATE_COUNT),
        common=directions(1)[0],
        basis=basis,
    )


def authority_code(number: int) -> str:
    """The code of an authority; no real one begins so."""
    return f"E99{number:06d}"


def _vocabulary(rng: np.random.Generator) -> list[str]:
    """Distinct words that can be said; common ones are short."""
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        syllables = 1 + int(len(words) > 300) + int(len(words) > 6000)
        picks = rng.integers(0, 1 << 30, size=(syllables, 3))
        word = "".join(
            _ONSETS[a % len(_ONSETS)] + _VOWELS[b % len(_VOWELS)] + _CODAS[c % len(_CODAS)]
            for a, b, c in picks.tolist()
        )
        if word not in STOP_WORDS:
            words.setdefault(word)
    return list(words)


def _places(rng: np.random.Generator, chunks: int) -> tuple[Place, ...]:
    """National, authorities of very unequal size, and schools in them in proportion to it."""
    national = round(chunks * NATIONAL_SHARE)
    of_schools = round(chunks * SCHOOL_SHARE)
    skew = rng.lognormal(0.0, 0.95, AUTHORITY_COUNT)
    skew /= skew.sum()
    codes = [authority_code(number) for number in range(1, AUTHORITY_COUNT + 1)]
    places = [Place("national", None, None, national)]
    sizes = _shared_out(chunks - national - of_schools, skew)
    places += [
        Place("la", code, None, size) for code, size in zip(codes, sizes, strict=True) if size
    ]
    schools = max(1, of_schools // CHUNKS_PER_SCHOOL)
    homes = rng.choice(AUTHORITY_COUNT, size=schools, p=skew)
    weight = rng.lognormal(0.0, 0.5, schools)
    sizes = _shared_out(of_schools, weight / weight.sum())
    places += [
        Place("school", codes[home], f"{900_000 + number:06d}", size)
        for number, (home, size) in enumerate(zip(homes.tolist(), sizes, strict=True))
        if size
    ]
    return tuple(places)


def _shared_out(total: int, shares: NDArray[np.float64]) -> list[int]:
    """Whole numbers in these proportions that add up to the total."""
    ends = np.floor(np.cumsum(shares) * total + 0.5).astype(int)
    ends[-1] = total
    return [int(size) for size in np.diff(ends, prepend=0)]
