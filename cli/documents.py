"""`pgkb documents`: what curators look at and decide. Every rule of it is SQL (schema corpus)."""

import getpass
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from cli import wiring
from cli.errors import CliError, not_blank
from cli.output import note, plural, print_json, say, shorten

if TYPE_CHECKING:
    import psycopg

    from ingest.documents.calls import Document, Happening
    from ingest.validation.calls import RunStatus

# an id is a bigint
_MOST = 2**63 - 1
DocumentId = Annotated[
    int, typer.Argument(help="Id of the document.", metavar="DOCUMENT", min=1, max=_MOST)
]
DocumentIds = Annotated[
    list[int],
    typer.Argument(help="Ids of up to 50 documents.", metavar="DOCUMENT...", min=1, max=_MOST),
]
Reason = Annotated[str | None, typer.Option("--reason", help="Why; kept with the decision.")]
Actor = Annotated[
    str | None, typer.Option("--actor", help="Who decides; by default who is logged in here.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def register(app: typer.Typer) -> None:
    """Add the command group."""
    group = typer.Typer(
        help="List documents, read their history, approve, reject, flag, supersede, undo.",
        rich_markup_mode=None,
    )
    group.command("list", help="Documents, newest first, a page at a time.")(list_documents)
    group.command("show", help="One document and its passages.")(show)
    group.command("history", help="What became of a document: versions and decisions.")(history)
    group.command("approve", help="Say that documents were read and are right.")(approve)
    group.command("reject", help="Say that documents are wrong: no longer retrieved.")(reject)
    group.command("flag", help="Put documents in question: not retrieved until decided.")(flag)
    group.command("supersede", help="Say that another document took over.")(supersede)
    group.command("undo", help="Publish what was superseded again.")(undo)
    group.command("auto-validate", help="Have undecided documents judged; workers do it.")(
        auto_validate
    )
    group.command("validation", help="How far a validation run is, by default the last.")(
        validation
    )
    app.add_typer(group, name="documents")


def list_documents(
    status: Annotated[
        str | None,
        typer.Option(
            "--status", help="pending, approved, rejected, flagged, superseded or staged."
        ),
    ] = None,
    la: Annotated[str | None, typer.Option("--la", help="GSS code of the authority.")] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", help="Topic; may be given again, any counts.")
    ] = None,
    min_quality: Annotated[
        int | None, typer.Option("--min-quality", min=0, max=100, help="Least mean quality.")
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="Part of the title.")] = None,
    before: Annotated[
        int | None,
        typer.Option(
            "--before", help="Go on after this document of the last page.", min=1, max=_MOST
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="Documents a page.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Filters narrow together."""
    from ingest.documents import calls

    for option, value in (("--status", status), ("--la", la), ("--title", title)):
        not_blank(option, value)
    with _connection() as db:
        page = calls.list_documents(
            db,
            status=status,
            la=la,
            tags=tags or (),
            min_quality=min_quality,
            title=title,
            before=before,
            page_size=limit,
        )
    following = page[-1].document_id if len(page) == limit else None
    if as_json:
        print_json({"documents": page, "next_before": following})
        return
    for document in page:
        say(_line(document))
    if not page:
        note("no document")
    if following is not None:
        note(f"more: --before {following}")


def show(
    document: DocumentId,
    version: Annotated[
        int | None,
        typer.Option("--version", help="Number of an earlier version.", min=1, max=2**31 - 1),
    ] = None,
    after: Annotated[
        int,
        typer.Option("--after", help="Go on after this passage of the last page.", max=2**31 - 1),
    ] = -1,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="Passages a page.")] = 20,
    as_json: AsJson = False,
) -> None:
    """By default of the published version."""
    from ingest.documents import calls

    with _connection() as db:
        passages = calls.list_passages(
            db, document_id=document, version=version, after_index=after, page_size=limit
        )
        found = calls.find_document(db, document_id=document)
    following = passages[-1].chunk_index if len(passages) == limit else None
    if as_json:
        print_json({"document": found, "passages": passages, "next_after": following})
        return
    if found is not None:
        say(_line(found))
        say(f"      source    {found.source}")
        place = " ".join(filter(None, (found.scope, found.la_code, found.school_urn, found.owner)))
        say(f"      scope     {place}")
        say(f"      in force  {_span(found)}")
        say(f"      tags      {', '.join(found.tags) or 'none'}")
        if found.superseded_by_document is not None:
            say(f"      superseded by document {found.superseded_by_document}")
    for passage in passages:
        say(
            f"{passage.chunk_index:>4}  {passage.status or 'staged':<10} {shorten(passage.content)}"
        )
    if following is not None:
        note(f"more: --after {following}")


def history(document: DocumentId, as_json: AsJson = False) -> None:
    """Oldest first."""
    from ingest.documents import calls

    with _connection() as db:
        found = calls.document_history(db, document_id=document)
    if as_json:
        print_json({"document_id": document, "history": found})
        return
    for happening in found:
        say(_told(happening))


def approve(
    documents: DocumentIds, reason: Reason = None, actor: Actor = None, as_json: AsJson = False
) -> int:
    """A passage that was rejected or flagged by itself stays so."""
    return _decide(documents, "approved", reason=reason, actor=actor, as_json=as_json)


def reject(
    documents: DocumentIds, reason: Reason = None, actor: Actor = None, as_json: AsJson = False
) -> int:
    """All their passages; approve takes it back."""
    return _decide(documents, "rejected", reason=reason, actor=actor, as_json=as_json)


def flag(
    documents: DocumentIds, reason: Reason = None, actor: Actor = None, as_json: AsJson = False
) -> int:
    """All their passages that are pending or approved."""
    return _decide(documents, "flagged", reason=reason, actor=actor, as_json=as_json)


def supersede(
    document: DocumentId,
    by: Annotated[
        int,
        typer.Option("--by", help="Id of the document that took over.", min=1, max=_MOST),
    ],
    reason: Reason = None,
    actor: Actor = None,
    as_json: AsJson = False,
) -> None:
    """For what titles do not tell; undo takes it back."""
    from ingest.documents import calls

    with _connection() as db:
        version_id = calls.supersede(
            db, document_id=document, successor_id=by, actor=_actor(actor), reason=reason
        )
    if as_json:
        print_json({"document_id": document, "superseded_by": by, "version_id": version_id})
    else:
        say(f"document {document} is superseded by document {by}")


def undo(
    document: DocumentId,
    version: Annotated[
        int | None,
        typer.Option(
            "--version", help="Number of the version to publish again.", min=1, max=2**31 - 1
        ),
    ] = None,
    reason: Reason = None,
    actor: Actor = None,
    as_json: AsJson = False,
) -> None:
    """By default the superseded version that began last; it stays although the same comes again."""
    from ingest.documents import calls

    with _connection() as db:
        version_id = calls.last_superseded(db, document_id=document, version=version)
        undone = calls.undo_supersession(
            db, version_id=version_id, actor=_actor(actor), reason=reason
        )
    if as_json:
        print_json(undone)
        return
    say(f"document {undone.document_id}: version {undone.version} is published again")
    if undone.stands_alone:
        note("no title supersedes it any more; `pgkb documents supersede` does")


def auto_validate(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only verdicts, no decisions.")
    ] = False,
    la: Annotated[str | None, typer.Option("--la", help="Only this authority's (GSS).")] = None,
    threshold: Annotated[
        float,
        typer.Option("--threshold", min=0, max=1, help="Confidence from which on it is approved."),
    ] = 0.75,
    reason: Reason = None,
    actor: Actor = None,
    as_json: AsJson = False,
) -> None:
    """From the threshold on undecided passages are approved, below it flagged."""
    from ingest.validation import calls

    not_blank("--la", la)
    with _connection() as db:
        run_id = calls.start_run(
            db, dry_run=dry_run, la=la, threshold=threshold, actor=_actor(actor), reason=reason
        )
        run = calls.run_status(db, run_id=run_id)
    if as_json:
        print_json(run)
    else:
        say(_progress(run))
        note(f"`pgkb worker` judges them; `pgkb documents validation {run_id}` tells how far it is")


def validation(
    run: Annotated[
        int | None, typer.Argument(help="Number of the run.", metavar="RUN", min=1, max=_MOST)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Counts of its verdicts; the verdicts themselves: validation.list_verdicts in SQL."""
    from ingest.validation import calls

    with _connection() as db:
        found = calls.run_status(db, run_id=run)
    if as_json:
        print_json(found)
        return
    say(_progress(found))
    if found.batches_stuck:
        note(f"{found.batches_stuck} of its batches were given up: `pgkb jobs list`")


def _progress(run: "RunStatus") -> str:
    kind = "dry run" if run.dry_run else "run"
    return (
        f"{kind} {run.run_id}: {run.judged} of {plural(run.documents, 'document')} judged; "
        f"{run.approve} approve, {run.flag} flag, {run.leave} leave; "
        f"{plural(run.changed, 'passage')} decided"
    )


def _decide(
    documents: Sequence[int], status: str, *, reason: str | None, actor: str | None, as_json: bool
) -> int:
    from ingest.documents import calls

    with _connection() as db:
        decisions = calls.decide_documents(
            db, document_ids=documents, status=status, actor=_actor(actor), reason=reason
        )
    if as_json:
        print_json({"status": status, "decisions": decisions})
    else:
        for decision in decisions:
            told = filter(
                None,
                (
                    plural(decision.changed, "passage") if decision.changed else None,
                    decision.explanation,
                ),
            )
            say(f"{decision.document_id:>6}  {decision.outcome:<9}  {'; '.join(told)}")
    return int(any(decision.outcome in {"refused", "unknown"} for decision in decisions))


def _actor(named: str | None) -> str | None:
    """Who decides, in the words of the caller, else of the operating system."""
    if not_blank("--actor", named) is not None:
        return named
    try:
        return getpass.getuser()
    except (KeyError, OSError) as error:
        raise CliError("who decides is not known here. Say so with --actor NAME") from error


def _line(document: "Document") -> str:
    counts = [
        f"{count} {word}"
        for word in ("pending", "approved", "rejected", "flagged")
        if (count := getattr(document, word))
    ]
    told = ", ".join(counts) if document.state == "published" else document.state
    quality = "  -" if document.quality_score is None else f"{document.quality_score:>3}"
    place = document.school_urn or document.la_code or document.scope
    return (
        f"{document.document_id:>6}  {quality}  {place:<9}  {shorten(document.title, 60)}  ({told})"
    )


def _span(document: "Document") -> str:
    if document.in_force_from is None:
        return "not yet"
    until = f" until {document.in_force_to}" if document.in_force_to else ""
    return f"from {document.in_force_from}{until} (version {document.version})"


def _told(happening: "Happening") -> str:
    detail = happening.detail
    match happening.what:
        case "status_changed":
            passages = plural(len(detail.get("chunks", [])), "passage")
            what = f"{passages} {detail.get('from')} -> {detail.get('to')}"
        case "published" | "staged":
            what = f"{happening.what}: {shorten(str(detail.get('title')), 60)}"
        case _:
            what = happening.what
    who = f"  by {happening.actor}" if happening.actor else ""
    login = f" ({happening.login})" if happening.login not in (None, happening.actor) else ""
    why = f"  because {shorten(happening.reason)}" if happening.reason else ""
    return f"{happening.at:%Y-%m-%d %H:%M}  version {happening.version}  {what}{who}{login}{why}"


@contextmanager
def _connection() -> "Iterator[psycopg.Connection]":
    from ingest.connect import connect

    with connect(wiring.database_url()) as db:
        yield db
