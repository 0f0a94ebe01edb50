"""`pgkb demo`: from an empty machine to cited answers, asked as different people."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import ask, loading, servers, wiring
from cli.errors import CliError
from cli.output import note, plural, print_json, say

if TYPE_CHECKING:
    from app.answering import Found, Reply

_SHOWN_SOURCES = 4


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who asks: who they are, in words and in codes."""

    who: str
    question: str
    la: str | None = None
    home_la: str | None = None
    urn: str | None = None


_TRANSPORT = "will the council pay for a taxi to his special school?"
_EXCLUDED = "my son was kicked out of school, what can I do?"

VISITORS = (
    Visitor("A parent in Birmingham", _EXCLUDED, la="E08000025"),
    Visitor("A parent in Kent, the same question", _EXCLUDED, la="E10000016"),
    Visitor(
        "A child who lives in Kent and goes to school in Birmingham",
        _TRANSPORT,
        la="E08000025",
        home_la="E10000016",
    ),
    Visitor(
        "A parent at a school",
        "who do I talk to about my daughter's dyslexia support?",
        la="E08000025",
        urn="990001",
    ),
    Visitor("A parent who only knows the district, Canterbury", _TRANSPORT, la="E07000106"),
    Visitor(
        "A parent with Barnsley's old code",
        "how do I ask for an EHC needs assessment?",
        la="E08000016",
    ),
    Visitor(
        "Somebody with no authority on file", "how long does the council have to issue a plan?"
    ),
    Visitor("Somebody who knows the section", "what does section 36 say about assessments?"),
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
    loading.run_ingest([], manifest=out / sample.MANIFEST)


async def _ask_all(*, as_json: bool) -> list[dict[str, Any]]:
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
            found, reply = await ask.ask_at(desk, inquiry)
            told.append({"visitor": visitor, **ask.reply_as_data(found, reply)})
            if not as_json:
                _show(number, visitor, found, reply)
    return told


def _show(number: int, visitor: Visitor, found: "Found", reply: "Reply") -> None:
    say(f"── {number}. {visitor.who} {'─' * max(3, 90 - len(visitor.who))}")
    say(f"question {visitor.question}")
    ask.print_reply(found, reply, most_sources=_SHOWN_SOURCES)
    say("")
