"""The process that reads hostile files: `python -m ingest.parse.child`.

It imports the readers once, then forks a copy of itself for each file. The copy runs under limits
of memory, processor time and wall-clock time and may die in any way; the parent stays clean and
reports how it went. One request per line on standard input, one answer per line on standard
output; the parsed document itself goes into a file of the folder given as argument. When standard
input closes, all end and the folder is removed.
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
from pathlib import Path
from typing import Any, NoReturn, TextIO

from ingest.parse.document import parse_document
from ingest.parse.limits import MEGABYTE, Limits
from ingest.parse.result import Refused

# The asking process reads it whole.
_LARGEST_RESULT = 128 * MEGABYTE
_OPEN_FILES = 64
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
    _warm_up()
    requests = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    try:
        _serve(limits, folder / "result.json", requests, answers)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def _serve(limits: Limits, result: Path, requests: int, answers: TextIO) -> None:
    waiting = b""
    while chunk := os.read(requests, _PIPE_READ):
        waiting += chunk
        while b"\n" in waiting:
            line, _, waiting = waiting.partition(b"\n")
            request = {**json.loads(line), "result": str(result)}
            answer = _supervise(request, limits, requests, answers.fileno())
            if answer is None:
                return
            print(json.dumps(answer), file=answers, flush=True)


def _warm_up() -> None:
    """Let the readers load what they load on first use, so that no copy has to."""
    page = b"<html><body><p>One short page.</p></body></html>"
    word = io.BytesIO()
    with zipfile.ZipFile(word, "w") as archive:
        archive.writestr("word/document.xml", _EMPTY_WORD)
    for data in (page, word.getvalue()):
        with contextlib.suppress(Refused):
            parse_document(data)
    gc.collect()
    gc.freeze()


def _arguments(arguments: list[str]) -> tuple[Limits, Path]:
    parser = argparse.ArgumentParser(prog="ingest.parse.child")
    for name in Limits.__dataclass_fields__:
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, required=True)
    parser.add_argument("folder", type=Path)
    given = vars(parser.parse_args(arguments))
    folder: Path = given.pop("folder")
    return Limits(**given), folder


def _supervise(
    request: dict[str, Any], limits: Limits, requests: int, answers: int
) -> dict[str, Any] | None:
    """Fork, wait, and say how it went; None when the asking process is gone."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        # a copy that outlives its parent must not hold the line to the asking process open
        for descriptor in (reads, requests, answers):
            os.close(descriptor)
        _parse_and_exit(request, limits, writes)
    os.close(writes)
    try:
        said, late, orphaned = _listen(reads, requests, time.monotonic() + limits.wall_seconds)
    finally:
        os.close(reads)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        _, status, used = os.wait4(pid, 0)
    if orphaned:
        return None
    if late:
        return {"status": "timeout"}
    try:
        answer: dict[str, Any] = json.loads(said)
    except ValueError:
        code = os.waitstatus_to_exitcode(status)
        if code == -signal.SIGXCPU:
            return {"status": "timeout"}
        # native code that gets no memory falls over its own feet
        if used.ru_maxrss * _RSS_UNIT > limits.memory_bytes // 2:
            return {"status": "memory"}
        return {"status": "dead", "code": code}
    return answer


def _listen(reads: int, requests: int, deadline: float) -> tuple[bytes, bool, bool]:
    """What the copy says until it ends, whether it is late, whether nobody asks any more."""
    said = b""
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return said, True, False
        ready, _, _ = select.select([reads, requests], [], [], left)
        if reads in ready:
            chunk = os.read(reads, _PIPE_READ)
            if not chunk:
                return said, False, False
            said += chunk
        elif requests in ready:
            # only one request is ever under way, so this can only be the end of the input
            return said, False, True


def _parse_and_exit(request: dict[str, Any], limits: Limits, writes: int) -> NoReturn:
    """In the copy: parse under limits, leave the result in its file, say 'ok', end at once."""
    try:
        _restrict(limits)
        answer = _parse(request, limits)
    except MemoryError:
        answer = {"status": "memory"}
    except BaseException as error:
        answer = {"status": "dead", "code": 1, "what": type(error).__name__}
    with contextlib.suppress(OSError):
        os.write(writes, json.dumps(answer).encode())
    os._exit(0)


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
    # in case the parent is killed and nobody watches the clock any more
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limits.wall_seconds + 5)


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
