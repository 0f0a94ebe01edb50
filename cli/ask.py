"""`pgkb search` and `pgkb ask`: a question in, results or a cited answer out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import wiring
from cli.errors import CliError, not_blank
from cli.output import print_json, say, shorten

if TYPE_CHECKING:
    from app.answering import Found, Inquiry
    from app.calls import Hit, Scope
    from app.chat.desk import Desk
    from app.chat.events import ChatAnswer
    from app.chat.sources import CitedSource

Text = Annotated[str, typer.Argument(help="The question, in quotes.", metavar="TEXT")]
La = Annotated[str | None, typer.Option("--la", help="Authority: GSS, district or DfE code.")]
HomeLa = Annotated[
    str | None, typer.Option("--home-la", help="The child's home authority, when it differs.")
]
Urn = Annotated[str | None, typer.Option("--urn", help="The school's URN.")]
Postcode = Annotated[
    str | None,
    typer.Option("--postcode", help="The child's home, when no authority is known."),
]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", help="Topic slug; may be given several times.")
]
TopK = Annotated[int | None, typer.Option("--top-k", min=1, max=100, help="How many results.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]

_LONGEST_QUESTION = 4000


def register(app: typer.Typer) -> None:
    """Add both commands."""
    app.command("search", help="Print the passages that fit a question, best first.")(search)
    app.command("ask", help="Answer a question by quoting, with numbered sources.")(ask)


def search(
    text: Text,
    la: La = None,
    home_la: HomeLa = None,
    urn: Urn = None,
    postcode: Postcode = None,
    tag: Tags = None,
    top_k: TopK = None,
    as_json: AsJson = False,
) -> None:
    """Search and print."""
    inquiry = _inquiry(
        text, la=la, home_la=home_la, urn=urn, postcode=postcode, tags=tag, top_k=top_k
    )
    found = wiring.run(_find(inquiry))
    if as_json:
        print_json(_found_as_data(found))
        return
    print_where(found)
    if not found.hits:
        say("Nothing found.")
    for number, hit in enumerate(found.hits, start=1):
        say(f"[{number}] {hit_line(hit)}")
        say(f"      {shorten(hit.content, 110)}")
    print_notes(found.retrieval.notes)


def ask(
    text: Text,
    la: La = None,
    home_la: HomeLa = None,
    urn: Urn = None,
    postcode: Postcode = None,
    tag: Tags = None,
    top_k: TopK = None,
    as_json: AsJson = False,
) -> None:
    """Ask and print."""
    inquiry = _inquiry(
        text, la=la, home_la=home_la, urn=urn, postcode=postcode, tags=tag, top_k=top_k
    )
    reply = wiring.run(_ask(inquiry))
    if as_json:
        print_json(reply)
    else:
        print_reply(reply)


def _inquiry(
    text: str,
    *,
    la: str | None,
    home_la: str | None,
    urn: str | None,
    postcode: str | None,
    tags: list[str] | None,
    top_k: int | None,
) -> "Inquiry":
    from app.answering import Inquiry

    if not text.strip():
        raise CliError("the question is empty. Put it in quotes: pgkb ask 'how do I appeal?'")
    if len(text) > _LONGEST_QUESTION:
        raise CliError(
            f"the question has {len(text):,} characters, but {_LONGEST_QUESTION:,} is the most. "
            "Shorten it"
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise CliError("the question is not valid UTF-8. Check the terminal's encoding") from None
    return Inquiry(
        question=text,
        la=not_blank("--la", la),
        home_la=not_blank("--home-la", home_la),
        urn=not_blank("--urn", urn),
        postcode=not_blank("--postcode", postcode),
        tags=tags,
        top_k=top_k,
        viewer="cli",
    )


async def _find(inquiry: "Inquiry") -> "Found":
    from app.answering import find

    async with wiring.desk() as desk:
        return await find(desk.pool, desk.embedders, inquiry)


async def _ask(inquiry: "Inquiry") -> "ChatAnswer":
    async with wiring.desk() as desk:
        return await ask_at(desk, inquiry)


async def ask_at(desk: "Desk", inquiry: "Inquiry") -> "ChatAnswer":
    """Search and answer at a desk that is open already; nothing is kept of it."""
    from app.chat import pipeline
    from app.chat.asking import Ask, begin

    begun = await begin(desk, Ask(inquiry, keep=False))
    return await pipeline.answer(desk, begun, _untold)


async def _untold(_: object) -> None:
    """A command prints the whole answer at its end."""


def place_line(scope: "Scope") -> str:
    """`Birmingham (E08000025), school …`: where a search looked, in words."""
    parts = []
    if scope.la_code:
        parts.append(f"{scope.la_name} ({scope.la_code})")
    if scope.home_la_code:
        parts.append(f"home {scope.home_la_name} ({scope.home_la_code})")
    if scope.school_urn:
        parts.append(f"school {scope.school_name} ({scope.school_urn})")
    return ", ".join([*parts, "national"])


def print_where(found: "Found | ChatAnswer") -> None:
    """The resolved scope and the topics."""
    say(f"scope    {place_line(found.scope)}")
    say(f"topics   {', '.join(found.topics) or '-'}")


def print_notes(notes: Sequence[str]) -> None:
    """Whatever the reader should know about how the results came about."""
    for line in notes:
        say(f"note     {line}")


def hit_line(hit: "Hit | CitedSource") -> str:
    """One result on one line: title, pages, section, place, score, and what matched."""
    where = hit.school_urn or hit.la_code
    place = f"{hit.scope} {where}" if where else hit.scope
    similarity = "-" if hit.similarity is None else f"{hit.similarity:.2f}"
    return (
        f"{shorten(hit.title, 60)}{_within(hit)} · {place} · score {hit.score:.4f} · "
        f"{hit.matched_by} (similarity {similarity})"
    )


def _within(hit: "Hit | CitedSource") -> str:
    """Where in the document: `, page 3, Fees`; '' when nothing is known that the title lacks."""
    parts = []
    if hit.page_from is not None:
        span = str(hit.page_from)
        if hit.page_to not in (None, hit.page_from):
            span += f"-{hit.page_to}"
        parts.append(f", page {span}")
    if hit.heading_path and hit.heading_path[-1] != hit.title:
        parts.append(f", {shorten(hit.heading_path[-1], 60)}")
    return "".join(parts)


def print_reply(reply: "ChatAnswer", *, most_sources: int | None = None) -> None:
    """Scope, topics, sources, answer."""
    print_where(reply)
    shown = len(reply.sources) if most_sources is None else most_sources
    for source in reply.sources:
        if source.number <= shown or source.number in reply.citations:
            say(f"source   [{source.number}] {hit_line(source)}")
    print_notes(reply.notes)
    lines = reply.answer.strip().splitlines() or [""]
    say(f"answer   {lines[0]}")
    for line in lines[1:]:
        say(f"         {line}" if line.strip() else "")
    for sentence in reply.sentences:
        if sentence.supported is False:
            said = reply.answer[sentence.start : sentence.end]
            say(f"unproven {shorten(said, 100)} ({sentence.reason})")


def _found_as_data(found: "Found") -> dict[str, Any]:
    return {
        "scope": found.scope,
        "topics": found.topics,
        "expansions": found.expansions,
        "results": found.hits,
        "retrieval": found.retrieval,
    }
