"""Ends a browser that takes too long or too much, whatever the page does."""

import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil

from ingest.crawl.browser.limits import BrowserLimits
from ingest.fetch import FetchError

_LOOK = 0.25


class Watchdog:
    """Kills the browser of a profile when its time or its memory is used up."""

    def __init__(self, profile: Path, limits: BrowserLimits) -> None:
        self.reason: FetchError | None = None
        self._mark = f"--user-data-dir={profile}"
        self._limits = limits
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="browser-watchdog", daemon=True)

    def __enter__(self) -> "Watchdog":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()
        # a browser that outlives its page would outlive us
        self._kill()

    def _watch(self) -> None:
        ends = time.monotonic() + self._limits.wall_seconds
        while not self._over.wait(_LOOK):
            if time.monotonic() >= ends:
                self.reason = FetchError(
                    "timeout",
                    f"the browser took more than {self._limits.wall_seconds:g} seconds",
                    passing=True,
                )
            elif self._memory() > self._limits.memory:
                self.reason = FetchError("too-big", "the page takes too much memory in a browser")
            if self.reason is not None:
                self._kill()
                return

    def _processes(self) -> list[psutil.Process]:
        """The browser and all it started; it runs in a group of its own, so it is known by name."""
        try:
            ours = psutil.Process().children(recursive=True)
        except psutil.Error:
            return []
        found = []
        for process in ours:
            try:
                if self._mark in process.cmdline():
                    found += [process, *process.children(recursive=True)]
            except psutil.Error:
                continue
        return found

    def _memory(self) -> int:
        total = 0
        for process in set(self._processes()):
            with suppress(psutil.Error):
                total += process.memory_info().rss
        return total

    def _kill(self) -> None:
        for process in set(self._processes()):
            with suppress(psutil.Error):
                process.kill()
