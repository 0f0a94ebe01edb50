"""The process that reads hostile files: `python -m ingest.parse.child`.

It forks copies of itself, one for each file; plain texts share one. The readers of all else are
loaded once, with the first file that needs them. A copy runs under limits of memory, processor time
and wall-clock time and may die in any way; the parent stays clean and reports how it went. One
request per line on standard input, one answer per line on standard output; the parsed document
itself goes into a file of the folder given as argument. When standard input closes, all end and the
folder is removed.
"""

import argparse
import contextlib
import ctypes
import errno
import gc
import io
import json
import os
import resource
import select
import shutil
import signal
import sys
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TextIO

from ingest.parse.document import parse_document
from ingest.parse.kind import HEAD, kind_of
from ingest.parse.limits import MEGABYTE, Limits
from ingest.parse.result import Refused

# The asking process reads it whole.
_LARGEST_RESULT = 128 * MEGABYTE
_OPEN_FILES = 64
# Processor seconds after which a copy reads no further text: what it holds on to is let go.
_SHARE_SECONDS = 1.0
_PIPE_READ = 65_536
_PR_SET_PDEATHSIG = 1
# what the kernel counts resident memory in
_RSS_UNIT = 1024 if sys.platform == "linux" else 1
_EMPTY_WORD = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    "<w:body/></w:document>"
)


def main() -> int:
    """Serve requests until standard input closes."""
    limits, folder = _arguments(sys.argv[1:])
    # libraries may print: what they say must not get between the answers
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    requests = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    try:
        _serve(limits, folder / "result.json", requests, answers)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def _serve(limits: Limits, result: Path, requests: int, answers: TextIO) -> None:
    copies = _Copies(limits, requests=requests, answers=answers.fileno())
    try:
        waiting = b""
        while chunk := os.read(requests, _PIPE_READ):
            waiting += chunk
            while b"\n" in waiting:
                line, _, waiting = waiting.partition(b"\n")
                answer = copies.parse({**json.loads(line), "result": str(result)})
                if answer is None:
                    return
                print(json.dumps(answer), file=answers, flush=True)
    finally:
        copies.end()


def _arguments(arguments: list[str]) -> tuple[Limits, Path]:
    parser = argparse.ArgumentParser(prog="ingest.parse.child")
    for name in Limits.__dataclass_fields__:
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, required=True)
    parser.add_argument("folder", type=Path)
    given = vars(parser.parse_args(arguments))
    folder: Path = given.pop("folder")
    return Limits(**given), folder


@dataclass(frozen=True, slots=True)
class _Copy:
    """A copy of this process, and the pipes to ask it and to hear it."""

    pid: int
    asks: int
    hears: int

    def end(self) -> tuple[int, int]:
        """Kill it, whatever it does; its status and the most memory it held, in bytes."""
        os.close(self.asks)
        os.close(self.hears)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        _, status, used = os.wait4(self.pid, 0)
        return os.waitstatus_to_exitcode(status), used.ru_maxrss * _RSS_UNIT


class _Copies:
    """The copies that parse: one for each file, except that plain texts share one.

    Forking costs ten times what reading a short text does. A text meets no reader that is not
    Python, and no file of another kind is given to a copy that goes on, so that a reader that a
    file takes over gets at no other file. Who is asked next is decided here, by the bytes of the
    file, not by what a copy says it is.
    """

    def __init__(self, limits: Limits, *, requests: int, answers: int) -> None:
        self._limits = limits
        self._requests = requests
        self._answers = answers
        self._resting: _Copy | None = None
        self._is_warm = False

    def parse(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """How it went; None when the asking process is gone."""
        goes_on = _is_plain_text(Path(request["path"]))
        line = json.dumps({**request, "goes_on": goes_on}).encode() + b"\n"
        copy = self._asked(line, goes_on=goes_on)
        deadline = time.monotonic() + self._limits.wall_seconds
        said, late, orphaned = _listen(copy.hears, self._requests, deadline)
        answer = _understood(said)
        if answer.pop("goes_on", False) and goes_on:
            self._resting = copy
            return answer
        code, memory = copy.end()
        if orphaned:
            return None
        if late:
            return {"status": "timeout"}
        return answer or _how_it_died(code, memory, self._limits)

    def end(self) -> None:
        """End the one that waits for another text."""
        if self._resting is not None:
            self._resting.end()
            self._resting = None

    def _asked(self, line: bytes, *, goes_on: bool) -> _Copy:
        """A copy that has been asked: the one at rest, if it may be and lives, or a new one."""
        if goes_on and self._resting is not None:
            copy, self._resting = self._resting, None
            try:
                os.write(copy.asks, line)
            except OSError:
                copy.end()
            else:
                return copy
        if not (goes_on or self._is_warm):
            _warm_up()
            self._is_warm = True
        copy = self._fork()
        with contextlib.suppress(OSError):
            # of one that died at once it is heard how
            os.write(copy.asks, line)
        return copy

    def _fork(self) -> _Copy:
        asked, asks = os.pipe()
        hears, says = os.pipe()
        pid = os.fork()
        if pid == 0:
            # a copy that outlives its parent must not hold the line to the asking process open,
            # nor another copy's
            others = (self._resting.asks, self._resting.hears) if self._resting else ()
            for descriptor in (asks, hears, self._requests, self._answers, *others):
                os.close(descriptor)
            _parse_and_exit(self._limits, asked, says)
        os.close(asked)
        os.close(says)
        return _Copy(pid, asks, hears)


def _warm_up() -> None:
    """Let the readers load what they load on first use, so that no copy has to."""
    import ingest.parse.pdf  # noqa: F401

    page = b"<html><body><p>One short page.</p></body></html>"
    word = io.BytesIO()
    with zipfile.ZipFile(word, "w") as archive:
        archive.writestr("word/document.xml", _EMPTY_WORD)
    for data in (page, word.getvalue()):
        with contextlib.suppress(Refused):
            parse_document(data)
    gc.collect()
    gc.freeze()


def _is_plain_text(path: Path) -> bool:
    """Whether the file is certain to go to the reader of plain text, which is Python alone.

    Without a tag at its beginning: looking for HTML may cost what only a copy may spend.
    """
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD)
        return b"<" not in head and kind_of(head) == "txt"
    except (OSError, Refused):
        return False


def _understood(said: bytes) -> dict[str, Any]:
    """What a copy answered; nothing when it died before, or babbles."""
    try:
        answer = json.loads(said)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _how_it_died(code: int, memory: int, limits: Limits) -> dict[str, Any]:
    if code == -signal.SIGXCPU:
        return {"status": "timeout"}
    # native code that gets no memory falls over its own feet
    if memory > limits.memory_bytes // 2:
        return {"status": "memory"}
    return {"status": "dead", "code": code}


def _listen(hears: int, requests: int, deadline: float) -> tuple[bytes, bool, bool]:
    """What the copy says until its line or it ends, whether it is late, whether nobody asks."""
    said = b""
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return said, True, False
        ready, _, _ = select.select([hears, requests], [], [], left)
        if hears in ready:
            chunk = os.read(hears, _PIPE_READ)
            said += chunk
            if not chunk or said.endswith(b"\n"):
                return said, False, False
        elif requests in ready:
            # only one request is ever under way, so this can only be the end of the input
            return said, False, True


def _parse_and_exit(limits: Limits, asked: int, says: int) -> NoReturn:
    """In a copy: parse under limits, leave the result in its file, say 'ok'; end at once.

    It goes on with the next file when it is asked to, until it has used a part of its seconds.
    """
    try:
        _restrict(limits)
        share = min(_SHARE_SECONDS, limits.cpu_seconds / 10)
        with os.fdopen(asked, encoding="utf-8") as requests:
            for line in requests:
                request = json.loads(line)
                # in case the parent is killed and nobody watches the clock any more
                signal.setitimer(signal.ITIMER_REAL, limits.wall_seconds + 5)
                answer, is_well = _answer(request, limits)
                goes_on = request["goes_on"] and is_well and time.process_time() < share
                os.write(says, json.dumps({**answer, "goes_on": goes_on}).encode() + b"\n")
                if not goes_on:
                    break
                signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        os._exit(0)


def _answer(request: dict[str, Any], limits: Limits) -> tuple[dict[str, Any], bool]:
    """How parsing went, and whether nothing but the file is to blame."""
    try:
        return _parse(request, limits), True
    except MemoryError:
        return {"status": "memory"}, False
    except BaseException as error:
        return {"status": "dead", "code": 1, "what": type(error).__name__}, False


def _die_with_parent() -> None:
    """Ask Linux to end this copy when its parent is killed; elsewhere its alarm does."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _restrict(limits: Limits) -> None:
    _die_with_parent()
    for what, amount in (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_FSIZE, _LARGEST_RESULT),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        if hard != resource.RLIM_INFINITY:
            amount = min(amount, hard)
        resource.setrlimit(what, (amount, hard))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _parse(request: dict[str, Any], limits: Limits) -> dict[str, Any]:
    try:
        with Path(request["path"]).open("rb") as stream:
            data = stream.read(limits.max_bytes + 1)
    except OSError as error:
        return {"status": "unreadable", "reason": error.strerror or type(error).__name__}
    if len(data) > limits.max_bytes:
        return {"status": "too-big"}
    try:
        parsed = parse_document(
            data, header_charset=request["header_charset"], source_url=request["source_url"]
        )
    except Refused as refused:
        return {"status": "refused", "kind": refused.kind, "reason": refused.reason}
    try:
        with Path(request["result"]).open("w", encoding="utf-8") as stream:
            json.dump(parsed.to_json(), stream, ensure_ascii=False)
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        return {"status": "too-long"}
    return {"status": "ok", "result": request["result"]}


if __name__ == "__main__":
    sys.exit(main())
