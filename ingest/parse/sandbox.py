"""Parsing files in a process that may die: the side that stays alive."""

import json
import os
import select
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ingest.parse.limits import MEGABYTE, Limits
from ingest.parse.result import Parsed, Refused

# The child needs to find Python and its packages. It gets no key and no address of ours.
_KEPT_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "LD_LIBRARY_PATH")
# The child reports a late parse itself; this much later it is taken for stuck.
_GRACE_SECONDS = 10


class Sandbox:
    """Parses files one at a time in a warm child process, replaced after any fault.

    Safe to use from several threads; they take turns. Use as a context manager or call `close`.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        # the child removes it too, should this process be killed
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        self.warm_up()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def warm_up(self) -> None:
        """Start the child, while the caller does something else."""
        with self._lock:
            self._running_child()

    def close(self) -> None:
        """End the child and remove what it left."""
        with self._lock:
            self._end_child()

    def interrupt(self) -> None:
        """End a parse that is under way in another thread; its file is refused."""
        child = self._child
        if child is not None:
            child.kill()

    def parse(
        self, path: Path, *, header_charset: str | None = None, source_url: str | None = None
    ) -> Parsed:
        """The document in a file. Raises Refused with one line: what, why, what to do.

        `header_charset` and `source_url` are what is known of one that was fetched.
        """
        _check_file(path, self._limits)
        request = {
            "path": str(path.absolute()),
            "header_charset": header_charset,
            "source_url": source_url,
        }
        with self._lock:
            answer = self._ask(request)
            if answer["status"] != "ok":
                raise self._refusal(answer)
            result = Path(answer["result"])
            try:
                value = json.loads(result.read_bytes())
            finally:
                result.unlink(missing_ok=True)
        return Parsed.from_json(value)

    def parse_bytes(
        self, data: bytes, *, header_charset: str | None = None, source_url: str | None = None
    ) -> Parsed:
        """The same for bytes that are in no file yet."""
        if len(data) > self._limits.max_bytes:
            raise _too_big(len(data), self._limits)
        with tempfile.NamedTemporaryFile(prefix="pgkb-parse-") as spool:
            spool.write(data)
            spool.flush()
            return self.parse(
                Path(spool.name), header_charset=header_charset, source_url=source_url
            )

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        child = self._running_child()
        ears, mouth = child.stdin, child.stdout
        if ears is None or mouth is None:
            raise RuntimeError("the child was started without pipes")
        try:
            ears.write(json.dumps(request).encode() + b"\n")
            ears.flush()
        except OSError:
            self._end_child()
            return {"status": "dead", "code": -signal.SIGKILL}
        line = b""
        deadline = time.monotonic() + self._limits.wall_seconds + _GRACE_SECONDS
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([mouth], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                self._end_child()
                return {"status": "timeout"}
            chunk = os.read(mouth.fileno(), 65_536)
            if not chunk:
                self._end_child()
                return {"status": "dead", "code": child.returncode}
            line += chunk
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _running_child(self) -> subprocess.Popen[bytes]:
        if self._child is not None and self._child.poll() is not None:
            self._end_child()
        if self._child is None:
            self._child = self._start_child()
        return self._child

    def _start_child(self) -> subprocess.Popen[bytes]:
        environment = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
        root = str(Path(__file__).resolve().parents[2])
        environment["PYTHONPATH"] = os.pathsep.join(
            part for part in (root, os.environ.get("PYTHONPATH", "")) if part
        )
        options = [
            f"--{name.replace('_', '-')}={getattr(self._limits, name)}"
            for name in Limits.__dataclass_fields__
        ]
        self._folder = tempfile.TemporaryDirectory(prefix="pgkb-parse-", ignore_cleanup_errors=True)
        return subprocess.Popen(
            [sys.executable, "-m", "ingest.parse.child", *options, self._folder.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            # an interrupt from the keyboard is for the parent, which then ends the child
            start_new_session=True,
        )

    def _end_child(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                stream.close()
        try:
            child.wait(timeout=2)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _refusal(self, answer: dict[str, Any]) -> Refused:
        limits = self._limits
        match answer["status"]:
            case "refused":
                return Refused(answer["kind"], answer["reason"])
            case "unreadable":
                return Refused(
                    "corrupt",
                    f"the file cannot be read ({answer['reason']}): check it and its permissions",
                )
            case "too-big":
                return _too_big(limits.max_bytes + 1, limits)
            case "too-long":
                return Refused(
                    "too-big", "there is too much text in it: split it into smaller files"
                )
            case "timeout":
                return Refused(
                    "timeout",
                    f"reading it took more than {limits.cpu_seconds} seconds: it is damaged or "
                    "far too complex; save it again or split it",
                )
            case "memory":
                return Refused(
                    "memory",
                    f"reading it needs more than {limits.memory_bytes // MEGABYTE} MB of memory: "
                    "split it into smaller files",
                )
            case _:
                return Refused("crash", _how_it_died(answer.get("code")))


def _check_file(path: Path, limits: Limits) -> None:
    try:
        status = path.stat()
    except OSError as error:
        raise Refused(
            "corrupt",
            f"the file cannot be read ({error.strerror}): check its name and permissions",
        ) from error
    if not stat.S_ISREG(status.st_mode):
        raise Refused("type", "not a regular file: ingest a file or a folder")
    if status.st_size > limits.max_bytes:
        raise _too_big(status.st_size, limits)


def _too_big(size: int, limits: Limits) -> Refused:
    return Refused(
        "too-big",
        f"the file has {size / MEGABYTE:.1f} MB, more than the {limits.max_bytes // MEGABYTE} MB "
        "allowed: split it into smaller files",
    )


def _how_it_died(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return (
            f"the reader was stopped on this file ({name}): it is probably damaged; "
            "open it and save it again"
        )
    return "the reader broke down on this file: it is probably damaged; open it and save it again"
