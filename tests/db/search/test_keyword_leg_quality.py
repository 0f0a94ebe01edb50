"""The keyword leg on judged questions, beside bm25s (Lucene's variant) fed the same tokens."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import bm25s
import psycopg
import pytest

from tests.rows import value_of

K1, B, DEPTH = 1.2, 0.75, 50


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """Texts, questions, and which text answers which question how well (0 does not)."""

    texts: list[dict[str, str]]
    questions: dict[str, str]
    grades: dict[str, dict[str, int]]


def read_set(folder: Path) -> JudgedSet:
    texts = [json.loads(line) for line in (folder / "corpus.jsonl").read_text().splitlines()]
    questions = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    grades: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        question, text, grade = line.split("\t")
        if int(grade) > 0:
            grades.setdefault(question, {})[text] = int(grade)
    return JudgedSet(texts, {str(q["id"]): q["text"] for q in questions}, grades)


def fill(db: psycopg.Connection[Any], texts: Sequence[Mapping[str, str]]) -> None:
    """One published document of one chunk for each text that says anything, all national."""
    db.execute(
        """
        with given as (
            select
                row_number() over () as n, t ->> 'id' as source,
                coalesce(nullif(t ->> 'title', ''), '-') as title, t ->> 'text' as content
            from jsonb_array_elements(%s) as t
            where t ->> 'text' ~ '\\S'
        ), national as (
            select scope_id from corpus.scope where kind = 'national'
        ), documents as (
            insert into corpus.document (scope_id, source, source_family)
            select scope_id, source, 'upload' from given, national
            returning document_id, scope_id, source
        ), versions as (
            insert into corpus.version
                (document_id, version, state, title, content_hash, file_type, valid_from)
            select document_id, 1, 'published', title, sha256(content::bytea), 'txt', current_date
            from given join documents using (source)
            returning version_id, document_id
        ), chunks as (
            insert into corpus.chunk (version_id, document_id, scope_id, chunk_index, start_at,
                content, content_hash, embedding_hash)
            select version_id, document_id, scope_id, 0, 0, content,
                sha256(content::bytea), sha256(content::bytea)
            from given join documents using (source) join versions using (document_id)
            returning chunk_id, scope_id, content, document_id
        ), facts as (
            insert into corpus.chunk_fact (chunk_id, scope_id) select chunk_id, scope_id from chunks
        )
        insert into search.text_index (chunk_id, scope_id, lexemes, token_count)
        select chunk_id, scope_id, lexemes, terms.count_tokens(lexemes)
        from (
            select chunk_id, scope_id,
                terms.to_index(embedding.text_of(nullif(title, '-'), chunks.content)) as lexemes
            from chunks join documents using (document_id, scope_id) join given using (source)
            offset 0
        ) as indexed
        """.replace("content::bytea", "convert_to(content, 'utf8')"),
        [json.dumps(list(texts))],
    )


def ndcg(ranked: Sequence[str], grades: Mapping[str, int], depth: int = 10) -> float:
    """Normalised discounted cumulative gain, gain = grade (Järvelin & Kekäläinen 2002)."""

    def discounted(gains: Sequence[int]) -> float:
        return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains[:depth]))

    best = discounted(sorted(grades.values(), reverse=True))
    return discounted([grades.get(text, 0) for text in ranked]) / best


@pytest.mark.parametrize("name", ["scifact", "cranfield", "white_sharc"])
def test_the_ranking_is_as_good_as_that_of_bm25s(
    kb: psycopg.Connection[Any], shared_data: Path, name: str
) -> None:
    judged = read_set(shared_data / "ir" / name)
    fill(kb, judged.texts)
    kb.execute("analyze search.text_index")
    kb.execute("set local kb.keyword_terms = 512")
    rows = kb.execute(
        "select d.source, array(select u.lexeme from unnest(t.lexemes) as u, "
        "generate_series(1, coalesce(cardinality(u.positions), 1))) "
        "from search.text_index t join corpus.chunk using (chunk_id) "
        "join corpus.document d using (document_id) order by t.chunk_id"
    ).fetchall()
    sources = [source for source, _ in rows]
    book = bm25s.BM25(method="lucene", k1=K1, b=B)
    book.index([tokens for _, tokens in rows], show_progress=False)
    known = {token for _, tokens in rows for token in tokens}
    scopes = value_of(kb, "select array_agg(scope_id) from corpus.scope where kind = 'national'")

    ours: list[float] = []
    theirs: list[float] = []
    for question, grades in judged.grades.items():
        text = judged.questions[question]
        found = kb.execute(
            "select source from search.keyword_leg(terms.build_tsquery(%s), %s, "
            "'{approved,pending}', null, %s) k join corpus.chunk using (chunk_id) "
            "join corpus.document using (document_id) order by k.rank, chunk_id",
            [text, scopes, DEPTH],
        ).fetchall()
        ours.append(ndcg([source for (source,) in found], grades))
        lexemes = value_of(
            kb, "select array(select lexeme from unnest(terms.to_index(%s)))", [text]
        )
        tokens = [lexeme for lexeme in lexemes if lexeme in known]
        if not tokens:
            theirs.append(0.0)
            continue
        best, scores = book.retrieve([tokens], k=min(DEPTH, len(rows)), show_progress=False)
        ranked = [sources[n] for n, score in zip(best[0], scores[0], strict=True) if score > 0]
        theirs.append(ndcg(ranked, grades))
    assert fmean(theirs) > 0.3, "bm25s found what it should"
    assert fmean(ours) == pytest.approx(fmean(theirs), abs=0.005)
