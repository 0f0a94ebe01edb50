"""`pgkb demo`: from an empty machine to cited answers, asked as different people."""

import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import ask, loading, servers, wiring
from cli.errors import CliError
from cli.output import note, plural, print_json, say

if TYPE_CHECKING:
    from app.chat.events import ChatAnswer

_SHOWN_SOURCES = 4


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who asks: who they are, in words and in codes."""

    who: str
    question: str
    la: str | None = None
    home_la: str | None = None
    urn: str | None = None


_BREAK = "can we get a break from caring for our disabled son?"
_TAXI = "will the council pay for a taxi to his special school?"

VISITORS = (
    Visitor("A parent in Birmingham", _BREAK, la="E08000025"),
    Visitor("A parent in Kent, with the same question", _BREAK, la="E10000016"),
    Visitor(
        "A child who lives in Kent and goes to school in Birmingham",
        _TAXI,
        la="E08000025",
        home_la="E10000016",
    ),
    Visitor(
        "A parent at a school in Birmingham",
        "who is the SENCO and how do I reach them?",
        la="E08000025",
        urn="990001",
    ),
    Visitor(
        "A parent who only knows the district, Canterbury",
        "my son was kicked out of school, what can I do?",
        la="E07000106",
    ),
    Visitor(
        "A parent with Barnsley's old code",
        "how do I ask for an EHC needs assessment?",
        la="E08000016",
    ),
    Visitor(
        "Somebody with no authority on file",
        "how long does the council have to issue an EHC plan?",
    ),
    Visitor(
        "Somebody who knows the number of a policy",
        "KCC-SEN-07: what is the walking distance for children under eight?",
        la="E10000016",
    ),
    Visitor("Somebody off the subject", "which tyres suit a tractor on wet clay?", la="E10000016"),
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo", help="Start everything, load the sample, ask nine questions.")(demo)


def demo(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Run the whole way; repeating it is quick."""
    started = time.monotonic()
    root = Path(__file__).resolve().parent.parent
    if not (root / "packs" / "send" / "sample").is_dir():
        raise CliError(
            "the sample corpus is not here: `pgkb demo` runs from a checkout. "
            "Clone the repository and run `make demo`"
        )
    report = servers.bring_up(None)
    note(f"database ready at {report['server']['url']}")
    _ingest_sample(root)
    note("")
    answers = wiring.run(_ask_all(as_json=as_json))
    if as_json:
        print_json({"visitors": answers})
    note(f"{plural(len(VISITORS), 'question')} answered, {time.monotonic() - started:.0f} s in all")


def _ingest_sample(root: Path) -> None:
    """Write the sample's files, PDF and DOCX among them, and store what is new."""
    from ingest import sample

    out = root / "build" / "sample"
    sample.build(root / "packs" / "send", out)
    counts: Counter[str] = Counter()
    items = loading.read_manifest(out / sample.MANIFEST)
    with closing(loading.ingest_items(items)) as finished:
        for result in finished:
            counts[result.status] += 1
            if result.status in {"refused", "failed"}:
                note(loading.result_line(result))
    note(f"sample corpus: {loading.in_words(counts)}")


async def _ask_all(*, as_json: bool) -> list[dict[str, Any]]:
    import msgspec

    from app.answering import Inquiry

    told = []
    async with wiring.desk() as desk:
        for number, visitor in enumerate(VISITORS, start=1):
            inquiry = Inquiry(
                question=visitor.question,
                la=visitor.la,
                home_la=visitor.home_la,
                urn=visitor.urn,
                viewer="demo",
            )
            reply = await ask.ask_at(desk, inquiry)
            told.append({"visitor": visitor, **msgspec.to_builtins(reply)})
            if not as_json:
                _show(number, visitor, reply)
    return told


def _show(number: int, visitor: Visitor, reply: "ChatAnswer") -> None:
    say(f"── {number}. {visitor.who} {'─' * max(3, 90 - len(visitor.who))}")
    say(f"question {visitor.question}")
    ask.print_reply(reply, most_sources=_SHOWN_SOURCES)
    say("")
