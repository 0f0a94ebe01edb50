"""The system's Chromium: found, started for one page with an empty profile, and ended."""

import importlib.util
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.crawl.browser.limits import BrowserLimits
from ingest.crawl.browser.visit import Rendered, Visit
from ingest.crawl.browser.watchdog import Watchdog
from ingest.errors import IngestError
from ingest.fetch import Fetcher, FetchError

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Playwright

# Statuses that a site may give to a program and not to a browser.
REFUSALS = frozenset([403, 406, 429])
# A page with no text and less than this is no page for anybody.
SMALLEST_SHELL = 256

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # no way out but through us: names do not resolve, and what needs none meets a dead proxy
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--renderer-process-limit=2",
    "--js-flags=--max-old-space-size=256",
)


class BrowserMissingError(IngestError):
    """There is no browser to read pages with; the message says what to install."""


def may_help(*, status: int | None, size: int = 0, has_text: bool = False) -> bool:
    """Whether a browser might read what a plain fetch did not.

    `status` is the answer's, `size` that of the page, `has_text` whether any was found in it.
    """
    if status in REFUSALS:
        return True
    return status == 200 and not has_text and size > SMALLEST_SHELL


class Browser:
    """Reads pages by the rules and through the connections of a fetcher."""

    def __init__(
        self,
        fetcher: Fetcher,
        *,
        limits: BrowserLimits | None = None,
        program: str | None = None,
    ) -> None:
        """Raises BrowserMissingError; `program` is Chromium, looked for on PATH by default."""
        self._limits = limits or BrowserLimits()
        if importlib.util.find_spec("playwright") is None:
            raise BrowserMissingError(
                "pages that only scripts write need Playwright: pip install 'pgkb[browser]'"
            )
        found = program or next(filter(None, map(shutil.which, _PROGRAMS)), None)
        if found is None or shutil.which(found) is None:
            raise BrowserMissingError(
                "pages that only scripts write need Chromium: install it, "
                "e.g. apt-get install chromium"
            )
        self._program = found
        self._fetcher = fetcher.with_settings(
            replace(
                fetcher.settings,
                max_bytes=self._limits.max_bytes,
                wall_seconds=self._limits.wall_seconds,
            )
        )

    def render(self, url: str, *, check: Callable[[str], None] = lambda url: None) -> Rendered:
        """The page at a normal address as a reader sees it. Raises FetchError.

        `check` is called with each address before it is asked for. A FetchError of it refuses
        the address; any other error ends the page and reaches the caller.
        """
        # Playwright is optional
        from playwright.sync_api import Error, sync_playwright

        relay = self._fetcher.relay()
        with tempfile.TemporaryDirectory(
            prefix="pgkb-browser-", ignore_cleanup_errors=True
        ) as home:
            profile = Path(home, "profile")
            with Watchdog(profile, self._limits) as watchdog:
                try:
                    with sync_playwright() as playwright:
                        context = self._start(playwright, profile)
                        try:
                            return Visit(context, relay, check, self._limits).see(url)
                        finally:
                            context.close()
                except Error as error:
                    raise watchdog.reason or FetchError(
                        "broken", "the browser could not show the page", passing=True
                    ) from error
                except FetchError as error:
                    raise watchdog.reason or error from error
                finally:
                    relay.close()

    def _start(self, playwright: "Playwright", profile: Path) -> "BrowserContext":
        return playwright.chromium.launch_persistent_context(
            profile,
            executable_path=self._program,
            args=list(_FLAGS),
            # Chromium's own sandbox refuses to run for root
            chromium_sandbox=os.geteuid() != 0,
            headless=True,
            accept_downloads=False,
            service_workers="block",
            user_agent=self._fetcher.settings.user_agent,
            timeout=self._limits.wall_seconds * 1000,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
