"""A judged corpus in a database of its own, brought there the way documents really come."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import calls
from bench.collection import Collection, Document
from bench.database import BenchError, Connection, Say, bench_database, connect
from bench.judged import QuestionSet, read_pack_questions
from bench.vectors import KeptVectors
from ingest import calls as ingest_calls
from ingest import sample
from ingest.connect import holder_name
from ingest.embedding import calls as embedding_calls
from ingest.embedding.embedders import chosen_embedder
from ingest.items import Item
from ingest.load import load_paths
from ingest.packs import loading as pack
from ingest.tasks import calls as task_calls
from ingest.upkeep.calls import fold_statistics

NAME = "pgkb_eval"
# whole documents: no passage may be larger
WHOLE = {"kb.chunk_size": "8000", "kb.chunk_overlap": "0"}
# a title nobody sees: without one the source would stand before every passage
_NO_TITLE = "\u00a0"
_BATCH = 64
_EVERY = 10.0


@dataclass(frozen=True, slots=True)
class Scratch:
    """A loaded corpus with its judged questions; `notes` say what is special about it."""

    db: Connection
    questions: QuestionSet
    notes: Sequence[str]

    @property
    def set_name(self) -> str:
        """The name its figures are kept by."""
        return self.questions.name


@dataclass(frozen=True, slots=True)
class Options:
    """Where vectors are kept, whether the database stays, and who hears how it goes."""

    vectors: Path
    keep: bool
    say: Say


@contextmanager
def scratch_collection(
    collection: Collection, options: Options, *, whole: bool = False
) -> Iterator[Scratch]:
    """The documents of a folder, chunked as ever or each as one passage."""
    with _database(options) as (db, embedder, _):
        documents = _load_documents(
            db, collection.documents, embedder, whole=whole, say=options.say
        )
        _load_questions(db, collection.questions, documents, embedder, options.say)
        notes = [*collection.notes]
        if doubles := len(documents) - len(set(documents.values())):
            notes.append(f"{doubles} documents repeat the text of another and count as that one")
        yield Scratch(db, collection.questions, notes)


@contextmanager
def scratch_pack(pack_dir: Path, build_dir: Path, options: Options) -> Iterator[Scratch]:
    """A pack, its sample corpus through the whole ingest, and its judged questions."""
    items = sample.build(pack_dir, build_dir)
    names = {str(Path(item.path).with_suffix("")): item for item in items}
    questions = read_pack_questions(pack_dir, names)
    with _database(options) as (db, embedder, url):
        pack.load_pack(db, pack_dir)
        db.commit()
        options.say(f"ingesting {len(items)} documents")
        files = [
            Item(
                path=build_dir / item.path,
                source=item.source,
                title=item.title,
                la_code=item.la_code,
                school_urn=item.school_urn,
                authority=item.authority,
                document_type=item.document_type,
                effective_date=item.effective_date,
                tags=item.tags,
            )
            for item in items
        ]
        by_path = {build_dir / item.path: name for name, item in names.items()}
        documents: dict[str, int] = {}
        for result in load_paths(url, files, embedder=embedder):
            if result.document_id is None:
                raise BenchError(f"{result.path} was {result.status}: {result.reason}")
            documents[by_path[result.path]] = result.document_id
        _load_questions(db, questions, documents, embedder, options.say)
        yield Scratch(db, questions, ())


@contextmanager
def _database(options: Options) -> Iterator[tuple[Connection, KeptVectors, str]]:
    with ExitStack() as stack:
        url = stack.enter_context(bench_database(keep=options.keep, say=lambda _: None, name=NAME))
        db = stack.enter_context(connect(url))
        # a database that is dropped again need not survive a power cut
        db.execute("set synchronous_commit = off")
        db.commit()
        embedder = chosen_embedder(embedding_calls.active_set(db))
        stack.callback(embedder.close)
        yield db, KeptVectors(embedder, options.vectors), url


def _load_documents(
    db: Connection, documents: Sequence[Document], embedder: KeptVectors, *, whole: bool, say: Say
) -> dict[str, int]:
    """Stage, embed, publish; the stored document of every row that has text."""
    set_name = embedding_calls.active_set(db).name
    for name, value in (WHOLE if whole else {}).items():
        db.execute("select set_config(%s, %s, false)", [name, value])
    stored: dict[str, int] = {}
    told = time.monotonic()
    with_text = [document for document in documents if document.body.strip()]
    for start in range(0, len(with_text), _BATCH):
        if time.monotonic() - told > _EVERY:
            told = time.monotonic()
            say(f"{start:,} of {len(with_text):,} documents")
        batch = [
            (document, _stage(db, document, start + place))
            for place, document in enumerate(with_text[start : start + _BATCH])
        ]
        chunks = [
            chunk
            for _, staged in batch
            if staged.lease_token is not None
            for chunk in embedding_calls.chunks_to_embed(
                db, version_id=staged.version_id, batch_size=100_000, set_name=set_name
            )
        ]
        embedding_calls.store_vectors(
            db,
            chunk_ids=[chunk.chunk_id for chunk in chunks],
            vectors=embedder.embed([chunk.embedding_text for chunk in chunks]),
            set_name=set_name,
        )
        for outcome in task_calls.publish_tasks(
            db,
            task_ids=[
                staged.task_id for _, staged in batch if staged.task_id and staged.lease_token
            ],
            lease_tokens=[staged.lease_token for _, staged in batch if staged.lease_token],
        ):
            if outcome.failure:
                raise BenchError(outcome.failure)
        stored |= {document.id: staged.document_id for document, staged in batch}
        db.commit()
    for name in WHOLE if whole else {}:
        db.execute("select set_config(%s, '', false)", [name])
    fold_statistics(db)
    db.commit()
    return stored


def _stage(db: Connection, document: Document, number: int) -> ingest_calls.Staged:
    new = ingest_calls.NewDocument(
        # a site each: two rows with one title are two documents, not two versions of one
        source=f"https://{number}.eval.invalid/",
        title=document.title.strip() or _NO_TITLE,
        body=document.body,
        file_type="txt",
    )
    return ingest_calls.stage_document(db, new=new, lease_holder=holder_name())


def _load_questions(
    db: Connection,
    questions: QuestionSet,
    documents: Mapping[str, int],
    embedder: KeptVectors,
    say: Say,
) -> None:
    say(f"embedding {len(questions.questions):,} questions")
    calls.load_set(db, questions)
    calls.name_documents(db, questions.name, documents)
    vectors = embedder.embed([question.question for question in questions.questions])
    keys = [question.id for question in questions.questions]
    calls.store_vectors(db, questions.name, dict(zip(keys, vectors, strict=True)))
    db.commit()
    db.autocommit = True
    db.execute("analyze")
    db.autocommit = False
