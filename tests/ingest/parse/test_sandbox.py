"""Hostile files do harm to nobody but themselves."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from ingest.parse import Limits, Refused, Sandbox, child
from tests.ingest.parse.makers import docx, endless_pdf, para, pdf, write

# Takes PDFium, lexbor and everything else several seconds.
SLOW = "<html><body>" + "<div>" * 200_000 + "deep"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One warm sandbox for all tests that do not change its limits."""
    with Sandbox() as one:
        yield one


def child_of(sandbox: Sandbox) -> psutil.Process:
    """The sandbox's warm process."""
    child = sandbox._child
    assert child is not None
    return psutil.Process(child.pid)


def copies_of(sandbox: Sandbox, *, besides: Sequence[psutil.Process] = ()) -> list[psutil.Process]:
    """The copies that parse a file now, waited for; `besides` are those that rest."""
    deadline = time.monotonic() + 20
    while True:
        copies: list[psutil.Process] = child_of(sandbox).children()
        if at_work := [copy for copy in copies if copy not in besides]:
            return at_work
        assert time.monotonic() < deadline, "no copy was forked"
        time.sleep(0.01)


def test_a_file_is_parsed_with_its_facts(sandbox: Sandbox, tmp_path: Path) -> None:
    data = docx(para("The fee is ten pounds."))
    parsed = sandbox.parse(write(tmp_path, "fee.docx", data))
    assert parsed.text == "The fee is ten pounds."
    assert parsed.file_type == "docx"
    assert parsed.metadata["file_bytes"] == len(data)
    assert len(parsed.metadata["file_sha256"]) == 64
    assert parsed.metadata["extractor"].startswith("pgkb ")


def test_bytes_are_parsed_like_files(sandbox: Sandbox) -> None:
    assert sandbox.parse_bytes(b"Just words.").text == "Just words."


def test_a_name_decides_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    """P-16"""
    page = b"<html><body><p>A page at a wrong address.</p></body></html>"
    assert sandbox.parse(write(tmp_path, "policy.pdf", page)).file_type == "html"
    with pytest.raises(Refused, match="Linux program"):
        sandbox.parse(write(tmp_path, "notes.txt", Path("/bin/sh").read_bytes()))


def test_a_file_above_the_size_limit_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "big.txt"
    with path.open("wb") as stream:
        stream.truncate(51 * 1024 * 1024)
    with Sandbox() as sandbox, pytest.raises(Refused, match=r"51\.0 MB.*50 MB.*split") as caught:
        sandbox.parse(path)
    assert caught.value.kind == "too-big"


def test_what_is_no_file_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Refused, match="not a regular file"):
        sandbox.parse(tmp_path / "pipe")
    with pytest.raises(Refused, match="cannot be read"):
        sandbox.parse(tmp_path / "missing.txt")


def test_a_file_that_takes_too_long_is_refused_and_the_next_one_is_read(tmp_path: Path) -> None:
    """P-08"""
    with Sandbox(Limits(wall_seconds=1)) as sandbox:
        started = time.monotonic()
        with pytest.raises(Refused, match="took more than") as caught:
            sandbox.parse(write(tmp_path, "slow.html", SLOW))
        assert caught.value.kind == "timeout"
        assert time.monotonic() - started < 10
        assert sandbox.parse(write(tmp_path, "good.txt", "Good words.")).text == "Good words."


def test_a_file_that_burns_its_processor_seconds_is_refused(tmp_path: Path) -> None:
    """P-08"""
    with Sandbox(Limits(cpu_seconds=1)) as sandbox:
        with pytest.raises(Refused, match="took more than 1 seconds") as caught:
            sandbox.parse(write(tmp_path, "slow.html", SLOW))
        assert caught.value.kind == "timeout"


def test_a_file_that_needs_too_much_memory_is_refused(tmp_path: Path) -> None:
    page = "<html><body>" + "<p>One of very many paragraphs.</p>" * 300_000
    with Sandbox(Limits(memory_bytes=300 * 1024 * 1024)) as sandbox:
        with pytest.raises(Refused) as caught:
            sandbox.parse(write(tmp_path, "huge.html", page))
        assert caught.value.kind in ("memory", "crash")
        assert sandbox.parse(write(tmp_path, "good.txt", "Good words.")).text == "Good words."


@pytest.mark.parametrize(
    ("limits", "kind"),
    [(Limits(cpu_seconds=1), "timeout"), (Limits(memory_bytes=256 * 1024 * 1024), "memory")],
    ids=["time", "memory"],
)
def test_a_small_pdf_that_unfolds_without_end_is_stopped(
    limits: Limits, kind: str, tmp_path: Path
) -> None:
    """P-08"""
    data = endless_pdf()
    assert len(data) < 5000
    with Sandbox(limits) as sandbox:
        with pytest.raises(Refused) as caught:
            sandbox.parse(write(tmp_path, "endless.pdf", data))
        assert caught.value.kind == kind
        assert sandbox.parse(write(tmp_path, "good.txt", "Good words.")).text == "Good words."


def test_more_text_than_the_asking_process_should_hold_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-01"""
    monkeypatch.setattr("ingest.parse.child._LARGEST_RESULT", 10_000)
    path = write(tmp_path, "long.txt", "Words and words. " * 1000)
    request = {
        "path": str(path),
        "result": str(tmp_path / "out"),
        "header_charset": None,
        "source_url": None,
        "goes_on": False,
    }
    asked, asks = os.pipe()
    hears, says = os.pipe()
    pid = os.fork()
    if pid == 0:
        child._parse_and_exit(Limits(), asked, says)
    os.close(asked)
    os.close(says)
    os.write(asks, json.dumps(request).encode() + b"\n")
    with os.fdopen(hears) as answer:
        assert json.loads(answer.read()) == {"status": "too-long", "goes_on": False}
    os.close(asks)
    os.waitpid(pid, 0)


def test_plain_texts_share_a_copy_and_no_other_file_gets_into_it(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    def parse(name: str, data: bytes | str) -> tuple[str, set[int]]:
        """What was read, and the copies that are still there."""
        text = sandbox.parse(write(tmp_path, name, data)).text
        return text, {copy.pid for copy in child_of(sandbox).children()}

    text, kept = parse("first.txt", "First words.")
    assert text == "First words."
    assert len(kept) == 1
    for name, data in {
        "second.txt": b"Second words.",
        "page.html": b"<html><body><p>A page.</p></body></html>",
        # may be HTML further on: only its copy may find out
        "comment.txt": b"<!-- a --> 2 < 3",
        "letter.docx": docx(para("A letter.")),
        "paper.pdf": pdf([["A paper."]]),
        "third.txt": b"Third words.",
    }.items():
        assert parse(name, data)[1] == kept, name


def test_a_shared_copy_is_replaced_after_its_share_of_seconds(tmp_path: Path) -> None:
    """A text has nearly all of its seconds, and what was held on to is let go."""
    with Sandbox(Limits(cpu_seconds=1)) as sandbox:
        sandbox.parse(write(tmp_path, "short.txt", "Few words."))
        assert child_of(sandbox).children() != []
        # more than a tenth of its second
        long = write(tmp_path, "long.txt", "Words and more words.\n\n" * 40_000)
        assert sandbox.parse(long).text.startswith("Words")
        assert child_of(sandbox).children() == []


def test_a_shared_copy_that_was_killed_is_replaced(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.parse(write(tmp_path, "first.txt", "First words."))
    (copy,) = child_of(sandbox).children()
    copy.kill()
    while copy.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)
    assert sandbox.parse(write(tmp_path, "next.txt", "Next words.")).text == "Next words."
    assert [other.pid for other in child_of(sandbox).children()] != [copy.pid]


def test_a_shared_copy_ends_with_the_sandbox(tmp_path: Path) -> None:
    with Sandbox() as sandbox:
        sandbox.parse(write(tmp_path, "first.txt", "First words."))
        copies = child_of(sandbox).children()
        assert len(copies) == 1
    _, alive = psutil.wait_procs(copies, timeout=10)
    assert alive == []


def test_fifty_thousand_nested_elements_cost_little_memory(tmp_path: Path) -> None:
    """P-08"""
    page = "<html><body>" + "<div>" * 50_000 + "The deepest words."
    with Sandbox(Limits(memory_bytes=300 * 1024 * 1024)) as sandbox:
        parsed = sandbox.parse(write(tmp_path, "deep.html", page))
    assert parsed.text == "The deepest words."


def parse_in_background(sandbox: Sandbox, path: Path) -> tuple[threading.Thread, list[Refused]]:
    """Start parsing in a thread; what is refused ends up in the list."""
    refusals: list[Refused] = []

    def parse() -> None:
        try:
            sandbox.parse(path)
        except Refused as refused:
            refusals.append(refused)

    thread = threading.Thread(target=parse)
    thread.start()
    return thread, refusals


def test_a_killed_copy_costs_only_its_file(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.warm_up()
    resting = child_of(sandbox).children()
    thread, refusals = parse_in_background(sandbox, write(tmp_path, "slow.html", SLOW))
    before = child_of(sandbox).pid
    for copy in copies_of(sandbox, besides=resting):
        copy.send_signal(signal.SIGKILL)
    thread.join(20)
    assert [refused.kind for refused in refusals] == ["crash"]
    assert "SIGKILL" in refusals[0].reason
    assert sandbox.parse(write(tmp_path, "good.txt", "Good words.")).text == "Good words."
    assert child_of(sandbox).pid == before


def test_a_killed_child_takes_its_copy_along_and_is_replaced(tmp_path: Path) -> None:
    with Sandbox() as sandbox:
        thread, refusals = parse_in_background(sandbox, write(tmp_path, "slow.html", SLOW))
        copies = copies_of(sandbox)
        child_of(sandbox).kill()
        thread.join(20)
        assert [refused.kind for refused in refusals] == ["crash"]
        assert sandbox.parse(write(tmp_path, "good.txt", "Good words.")).text == "Good words."
    _, alive = psutil.wait_procs(copies, timeout=10)
    assert alive == []


def test_closing_the_sandbox_in_the_middle_ends_every_process(tmp_path: Path) -> None:
    sandbox = Sandbox()
    sandbox.warm_up()
    thread, _ = parse_in_background(sandbox, write(tmp_path, "slow.html", SLOW))
    family = [child_of(sandbox), *copies_of(sandbox)]
    child = sandbox._child
    assert child is not None
    assert child.stdin is not None
    child.stdin.close()
    thread.join(20)
    sandbox.close()
    gone, alive = psutil.wait_procs(family, timeout=10)
    assert alive == []
    assert len(gone) == 2


def test_a_killed_parent_leaves_no_file_behind(tmp_path: Path) -> None:
    program = (
        "import pathlib, sys, time; from ingest.parse import Sandbox\n"
        "sandbox = Sandbox(); sandbox.parse(pathlib.Path(sys.argv[1]))\n"
        "print(sandbox._child.pid, flush=True); time.sleep(60)"
    )
    good = write(tmp_path, "good.txt", "Good words.")
    spool = tmp_path / "spool"
    spool.mkdir()
    parent = subprocess.Popen(
        [sys.executable, "-c", program, str(good)],
        cwd=Path(__file__).resolve().parents[3],
        env={**os.environ, "TMPDIR": str(spool)},
        stdout=subprocess.PIPE,
    )
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    assert list(spool.iterdir()) != []
    parent.kill()
    parent.communicate()
    psutil.wait_procs([child], timeout=10)
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE
    assert list(spool.iterdir()) == []


def test_the_child_gets_no_secret_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("PGKB_DATABASE_URL", "postgresql://secret@localhost/x")
    with Sandbox() as sandbox:
        sandbox.parse(write(tmp_path, "good.txt", "Good words."))
        environment = child_of(sandbox).environ()
    assert "OPENAI_API_KEY" not in environment
    assert "PGKB_DATABASE_URL" not in environment


def test_a_bad_file_does_not_stop_the_others(sandbox: Sandbox, tmp_path: Path) -> None:
    files = {
        "bomb.docx": docx(para("x" * 30_000_000)),
        "locked.pdf": pdf([["secret"]], user_password="secret"),
        "scan.pdf": pdf([[]]),
        "good.pdf": pdf([["Good words."]]),
        "empty.txt": b"",
        "noise.txt": os.urandom(3000),
        "good.txt": b"Good words.",
    }
    outcomes = {}
    for name, data in files.items():
        try:
            outcomes[name] = sandbox.parse(write(tmp_path, name, data)).text
        except Refused as refused:
            outcomes[name] = refused.kind
    assert outcomes == {
        "bomb.docx": "too-big",
        "locked.pdf": "password",
        "scan.pdf": "no-text",
        "good.pdf": "Good words.",
        "empty.txt": "empty",
        "noise.txt": "type",
        "good.txt": "Good words.",
    }
