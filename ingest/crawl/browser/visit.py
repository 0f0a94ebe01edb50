"""One page in a browser: each request it wants to make is judged here, and made for it."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import urldefrag, urljoin

from ingest.crawl.browser.limits import BrowserLimits
from ingest.crawl.scope import host_of, registrable
from ingest.crawl.urls import normal_url
from ingest.fetch import FetchError
from ingest.fetch.answers import REDIRECTS, status_failure
from ingest.fetch.relay import Relay, Relayed

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Request, Route

_NOT_NEEDED = frozenset(["image", "media", "font", "texttrack", "manifest", "ping", "eventsource"])
# how scripts ask for data; what measures readers goes out as a ping, or to others
_SCRIPTED = frozenset(["xhr", "fetch"])
_OURS = frozenset(["host", "cookie", "accept-encoding", "connection", "content-length"])
_NOT_PASSED_ON = frozenset(
    ["content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"]
)
_PAGE_TYPES = ("text/html", "application/xhtml+xml", "text/plain", "application/xml", "text/xml")
_AT_REST: tuple[Literal["domcontentloaded", "networkidle"], ...] = (
    "domcontentloaded",
    "networkidle",
)
_NOTHING_NEW = 204
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page after its scripts ran; `requests` is how many were made for it.

    `wanted_post` says that its scripts asked their own site by POST, which is refused.
    """

    url: str
    status: int
    markup: str
    requests: int
    wanted_post: bool = False


def of_one_site(url: str, page: str) -> bool:
    """Whether one body registered the names of both addresses."""
    return registrable(host_of(url)) == registrable(host_of(page))


class Visit:
    """One page in a browser that was started for it."""

    def __init__(
        self,
        context: "BrowserContext",
        relay: Relay,
        check: Callable[[str], None],
        limits: BrowserLimits,
    ) -> None:
        self._context = context
        self._relay = relay
        self._check = check
        self._limits = limits
        self._ends = time.monotonic() + limits.wall_seconds
        self._requests = 0
        self._loads = 0
        # where scripts wanted to POST to
        self._posts: list[str] = []
        # of the page itself: its last answer, where it sends on to, why it was refused
        self._answer: Relayed | None = None
        self._moved: str | None = None
        self._failure: FetchError | None = None
        self._trouble: Exception | None = None
        self._page: Page | None = None

    def see(self, url: str) -> Rendered:
        """Go there, let its scripts run, and take what is shown."""
        context = self._context
        context.route("**/*", self._on_request)
        context.route_web_socket("**/*", lambda socket: socket.close())
        page = self._page = context.new_page()
        context.on("page", lambda other: other.close())
        page.on("dialog", lambda dialog: dialog.dismiss())
        self._go(page, url)
        self._settle(page)
        markup = self._markup(page)
        wrong = self._trouble or self._failure
        if wrong is not None:
            raise wrong
        if self._answer is None:
            raise FetchError("broken", "the browser got no page", passing=True)
        if self._answer.status >= 400:
            raise status_failure(self._answer.status, dict(self._answer.headers))
        shown_at = normal_url(page.url)
        if shown_at is None:
            raise FetchError("broken", "scripts lead from the page to something that is no page")
        return Rendered(
            url=shown_at,
            status=self._answer.status,
            markup=markup,
            requests=self._requests,
            wanted_post=any(of_one_site(url, shown_at) for url in self._posts),
        )

    def _go(self, page: "Page", url: str) -> None:
        """Open it; where it sends on, that is opened as a page of its own."""
        from playwright.sync_api import Error

        for _ in range(_TRIES):
            self._moved = None
            try:
                page.goto(url, wait_until="commit", timeout=self._left())
            except Error as error:
                if self._moved is None:
                    raise self._trouble or self._failure or error from None
            if self._moved is None:
                return
            url = self._moved
        raise FetchError("redirects", f"it was sent on more than {_TRIES} times")

    def _settle(self, page: "Page") -> None:
        """Wait until it asks for nothing more, or long enough; follow it where a script goes."""
        from playwright.sync_api import TimeoutError as Late

        for _ in range(_TRIES):
            # a page that never comes to rest is taken as it is
            for state in _AT_REST:
                with suppress(Late):
                    page.wait_for_load_state(
                        state, timeout=min(self._left(), self._limits.settle_seconds * 1000)
                    )
            if self._moved is None:
                return
            self._go(page, self._moved)

    def _markup(self, page: "Page") -> str:
        from playwright.sync_api import Error

        for _ in range(_TRIES):
            try:
                return self._content(page)
            except Error:
                # it is on its way to another page
                page.wait_for_timeout(min(200, self._left()))
        return self._content(page)

    def _content(self, page: "Page") -> str:
        length = page.evaluate("document.documentElement.outerHTML.length")
        if length > self._limits.max_markup:
            raise FetchError("too-big", "scripts make the page larger than is allowed")
        # half of a pair of surrogates is no character, although scripts may write one
        return page.content().encode("utf-8", "replace").decode()

    def _left(self) -> float:
        """Milliseconds; never nought, which Playwright takes for no limit."""
        return max((self._ends - time.monotonic()) * 1000, 1)

    def _on_request(self, route: "Route", request: "Request") -> None:
        from playwright.sync_api import Error

        try:
            if not self._is_wanted(request):
                if request.method == "POST" and request.resource_type in _SCRIPTED:
                    self._posts.append(request.url)
                if self._is_main(request):
                    # a form that sends itself, say: the page stays where it is
                    route.fulfill(status=_NOTHING_NEW)
                else:
                    route.abort()
                return
            try:
                answer = self._fetch(request)
            except FetchError as error:
                if self._is_main(request):
                    self._failure = error
                route.abort()
                return
            except Error:
                raise
            except Exception as error:
                # the caller's own, of `check`: it is told where it waits
                self._trouble = error
                route.abort()
                return
            if answer is None:
                # aborting would send it to an error page, which may come in the way of the next
                route.fulfill(status=_NOTHING_NEW)
                return
            route.fulfill(status=answer.status, headers=_passed_on(answer), body=answer.body)
        except Error:
            # the page was closed or killed meanwhile
            return

    def _is_wanted(self, request: "Request") -> bool:
        self._requests += 1
        return (
            self._requests <= self._limits.max_requests
            and request.method == "GET"
            and request.url.startswith(("http://", "https://"))
            and request.resource_type not in _NOT_NEEDED
        )

    def _is_main(self, request: "Request") -> bool:
        from playwright.sync_api import Error

        try:
            return (
                request.is_navigation_request()
                and self._page is not None
                and request.frame == self._page.main_frame
            )
        except Error:
            # a window that a script opened, and that is closed at once
            return False

    def _fetch(self, request: "Request") -> Relayed | None:
        """What a request gets, None for a page that is elsewhere: the browser is sent there."""
        url = urldefrag(request.url).url
        main = self._is_main(request)
        if main:
            self._loads += 1
            if self._loads > _TRIES:
                raise FetchError("redirects", "the page loads itself again and again")
        for _ in range(_TRIES):
            self._check(url)
            answer = self._relay.get(url, self._headers(request, url))
            location = dict(answer.headers).get("location", "")
            if answer.status not in REDIRECTS or not location:
                if main:
                    self._answer, self._failure = answer, None
                    _refuse_download(answer)
                return answer
            url = _joined(url, location)
            if main:
                self._moved = url
                return None
        raise FetchError("redirects", f"it was sent on more than {_TRIES} times")

    def _headers(self, request: "Request", url: str) -> dict[str, str]:
        headers = {
            name: value for name, value in request.headers.items() if name.lower() not in _OURS
        }
        cookies = "; ".join(
            f"{cookie.get('name', '')}={cookie.get('value', '')}"
            for cookie in self._context.cookies(url)
        )
        return {**headers, "cookie": cookies} if cookies else headers


def _refuse_download(answer: Relayed) -> None:
    """A browser shows pages; files are fetched without one."""
    headers = dict(answer.headers)
    kind = headers.get("content-type", "text/html").partition(";")[0].strip().lower()
    disposition = headers.get("content-disposition", "").strip().lower()
    if kind not in _PAGE_TYPES or disposition.startswith("attachment"):
        raise FetchError("broken", "it is a file and no page: a browser shows none of it")


def _joined(url: str, location: str) -> str:
    try:
        return urldefrag(urljoin(url, location)).url
    except ValueError as error:
        raise FetchError("address", "the site sends on to something that is no address") from error


def _passed_on(answer: Relayed) -> dict[str, str]:
    """The headers for the browser; several of one name in lines, as Playwright wants them."""
    headers: dict[str, str] = {}
    for name, value in answer.headers:
        if name not in _NOT_PASSED_ON:
            known = headers.get(name)
            separator = "\n" if name == "set-cookie" else ", "
            headers[name] = value if known is None else f"{known}{separator}{value}"
    return headers
