"""Starts and stops the embedding endpoint as a process that outlives the caller."""

import contextlib
import fcntl
import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from providers.protocols import ProviderError

SERVICE = "pgkb-embeddings"  # what the endpoint calls itself in its health answer
# Seconds; loading the model takes one. On a busy machine it takes many, and that is no reason to
# give up on a process that gets on; one that does nothing for so long never will.
STALLED_AFTER = 60.0
LONGEST_START = 600.0
TELL_EVERY = 10.0
STOP_TIMEOUT = 10.0  # seconds before a process that does not listen is killed
ROOT = Path(__file__).resolve().parents[1]

# Children of this process, kept so that they can be reaped.
_children: dict[int, "subprocess.Popen[bytes]"] = {}


@dataclass(frozen=True, slots=True)
class Health:
    """What a running endpoint says of itself."""

    pid: int
    model: str
    width: int


def health(port: int, *, timeout: float = 2.0) -> Health | None:
    """The endpoint on a local port, or None when nothing or something else answers there."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("GET", "/health")
        answer = json.loads(connection.getresponse().read(10_000))
        if answer["service"] != SERVICE:
            return None
        return Health(int(answer["pid"]), str(answer["model"]), int(answer["width"]))
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return None
    finally:
        connection.close()


def is_up(port: int) -> bool:
    """True when the embedding endpoint answers on the local port."""
    return health(port) is not None


def _untold(_: str) -> None:
    """Nobody watches."""


def start_background(port: int, log_path: Path, *, tell: Callable[[str], None] = _untold) -> int:
    """Make sure the endpoint runs on the port; its process id. `tell` hears why it takes long.

    Idempotent, and safe when two processes start it at once: the second waits and gets the same
    id. The id is kept beside the log (``.pid``). Raises ProviderError with the log's path.
    """
    with _locked(log_path):
        running = health(port)
        if running is None:
            running = _launch(port, log_path, tell)
        _write_pid(log_path, running.pid)
        return running.pid


def stop(log_path: Path) -> bool:
    """End the endpoint started with this log; False when none was running."""
    if not log_path.parent.is_dir():
        return False
    with _locked(log_path):
        pid_path = log_path.with_suffix(".pid")
        process = _recorded(pid_path)
        if process is None:
            pid_path.unlink(missing_ok=True)
            return False
        _end(process)
        pid_path.unlink(missing_ok=True)
        return True


def _end(process: psutil.Process) -> None:
    try:
        process.terminate()
        deadline = time.monotonic() + STOP_TIMEOUT
        while not _is_gone(process):
            if time.monotonic() > deadline:
                process.kill()
            time.sleep(0.05)
    except psutil.NoSuchProcess:
        pass
    except psutil.AccessDenied:
        raise ProviderError(
            f"the embedding endpoint (process {process.pid}) belongs to another user: "
            "stop it as that user",
            code="misconfigured",
        ) from None
    child = _children.pop(process.pid, None)
    if child is not None:
        child.wait()


def _is_gone(process: psutil.Process) -> bool:
    # an ended process whose parent never asks stays listed as a zombie
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


@contextlib.contextmanager
def _locked(log_path: Path) -> Iterator[None]:
    """Alone among all processes that use this log; the system drops the lock of a dead one."""
    lock = _open(log_path.with_suffix(".lock"))
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _open(path: Path) -> int:
    """A file of our own to append to, made with its folder when missing."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_CREAT | os.O_APPEND | os.O_RDWR, 0o600)
    except OSError as error:
        raise ProviderError(
            f"the embedding endpoint cannot write {path} ({error.strerror}): "
            "choose another folder or change its owner",
            code="misconfigured",
        ) from None


def _launch(port: int, log_path: Path, tell: Callable[[str], None]) -> Health:
    log = _open(log_path)
    try:
        child = subprocess.Popen(
            [sys.executable, "-m", "providers.endpoint", "--port", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env=_environment(),
        )
    finally:
        os.close(log)
    _children[child.pid] = child
    try:
        return _started(child, port, log_path, tell)
    except BaseException:
        # also when somebody interrupts the wait: nothing half started stays
        child.kill()
        child.wait()
        del _children[child.pid]
        raise


def _started(
    child: "subprocess.Popen[bytes]", port: int, log_path: Path, tell: Callable[[str], None]
) -> Health:
    """What the process says once it answers. Raises ProviderError when it never will."""
    began = moved_at = time.monotonic()
    told = 0
    done = 0.0
    while True:
        running = health(port)
        if running is not None and running.pid == child.pid:
            return running
        if child.poll() is not None:
            why = _last_line(log_path)
            break
        now = time.monotonic()
        if (work := _work_done(child.pid)) > done:
            done, moved_at = work, now
        if now - moved_at > STALLED_AFTER:
            why = f"its process did nothing for {STALLED_AFTER:.0f} s"
            break
        if now - began > LONGEST_START:
            why = f"it was not ready after {LONGEST_START:.0f} s"
            break
        if now - began > (told + 1) * TELL_EVERY:
            told += 1
            tell(
                f"the embedding endpoint is still loading its model after {now - began:.0f} s "
                f"({done:.1f} s of computing): this machine is busy"
            )
        time.sleep(0.05)
    raise ProviderError(
        f"the embedding endpoint did not start on port {port}: {why} (log: {log_path})",
        code="misconfigured",
    )


def _work_done(pid: int) -> float:
    """Seconds the process has computed."""
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)


def _environment() -> dict[str, str]:
    """This process's environment without the secrets that the endpoint has no use for."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.endswith(("_KEY", "_TOKEN", "PASSWORD")) and name != "PGKB_DATABASE_URL"
    }
    path = [str(ROOT), kept.get("PYTHONPATH", "")]
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, path))}


def _last_line(log_path: Path) -> str:
    lines = log_path.read_text("utf-8", "replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "it wrote nothing")


def _write_pid(log_path: Path, pid: int) -> None:
    try:
        started = psutil.Process(pid).create_time()
    except psutil.Error:
        return
    target = log_path.with_suffix(".pid")
    draft = target.with_suffix(".pid-new")
    draft.write_text(json.dumps({"pid": pid, "started": started}))
    draft.replace(target)


def _recorded(pid_path: Path) -> psutil.Process | None:
    """The recorded process, if that very one still lives: ids are used again."""
    try:
        record = json.loads(pid_path.read_text())
        process = psutil.Process(int(record["pid"]))
        if _is_gone(process) or abs(process.create_time() - float(record["started"])) > 1:
            return None
    except (OSError, ValueError, KeyError, TypeError, psutil.Error):
        return None
    return process
