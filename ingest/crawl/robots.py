"""What a site's robots.txt asks of us, and what it means when it cannot be had (RFC 9309).

- It is there (200): its rules hold for a day. It is found after at most five redirects, wherever
  they lead on the public internet; the rules are those of the site that was asked.
- The site says that there is none for us (4xx, and redirects without end): everything is allowed
  for a day. That goes for 401 and 403 too, as RFC 9309 section 2.3.1.3 has it: a refusal to show
  the file states no rule, and a site that wants no visit refuses its pages in the same way.
- The site gives no answer, or one that will pass (5xx, 408, 425, 429, timeouts, a dead name, a
  broken body): "not now". Nothing is fetched and nothing is remembered but when to ask again.
"""

import io
import re
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal

from protego import Protego

from ingest.crawl.urls import normal_url, site_key
from ingest.fetch import Fetcher, FetchError
from ingest.parse.decode import decode
from ingest.parse.result import Refused

# RFC 9309 section 2.5: a parser may stop here, and must not stop before
MOST_BYTES = 500 * 1024
MOST_REDIRECTS = 5
# A site that asks for more patience than this cannot be crawled within its own lifetime.
LONGEST_DELAY = 300.0
_WALL_SECONDS = 30.0
_MOST_SITEMAPS = 100
_GOOD_FOR = timedelta(days=1)
_ASK_AGAIN = timedelta(minutes=30)
_PASSING_4XX = frozenset([408, 425, 429])
_COMMENT_PRODUCT = re.compile(r"compatible;\s*([A-Za-z_-]+)", re.IGNORECASE)
_PRODUCT = re.compile(r"[A-Za-z_-]+")

RobotsState = Literal["rules", "allow-all", "not-now"]


@dataclass(frozen=True, slots=True)
class RobotsAnswer:
    """What asking for a robots.txt gave.

    `text` is what to keep and to read with `RobotsRules.read`, '' unless `state` is "rules".
    `good_for` says how long to go by this answer: until then pages are fetched, or, with
    "not-now", none is. `reason` is one line for people.
    """

    state: RobotsState
    text: str
    reason: str
    good_for: timedelta
    status: int | None = None


class RobotsRules:
    """The rules of one robots.txt for the one agent that we are."""

    def __init__(self, rules: Protego, agent: str) -> None:
        self._rules = rules
        self._agent = agent

    @classmethod
    def read(cls, text: str, *, user_agent: str) -> "RobotsRules":
        """The rules in `text` for who is known as `user_agent`; '' allows everything."""
        return cls(Protego.parse(text), agent_token(user_agent))

    def allows(self, url: str) -> bool:
        """Whether a normal address may be fetched: the longest rule wins, Allow on a tie."""
        return self._rules.can_fetch(url, self._agent)

    @property
    def delay(self) -> float | None:
        """Seconds to leave between two requests, None where the site asks for nothing.

        The slower of Crawl-delay and Request-rate; hours of the day in the latter are not read,
        it holds always.
        """
        rate = self._rules.request_rate(self._agent)
        asked = [
            self._rules.crawl_delay(self._agent),
            rate.seconds / rate.requests if rate is not None else None,
        ]
        delays = [delay for delay in asked if delay is not None]
        return min(max(delays), LONGEST_DELAY) if delays else None

    def sitemaps(self, site: str) -> tuple[str, ...]:
        """The sitemaps it names, as normal addresses; `site` is where the robots.txt is."""
        found = (normal_url(link, base=f"{site}/") for link in self._rules.sitemaps)
        return tuple(dict.fromkeys(url for url in found if url is not None))[:_MOST_SITEMAPS]


def agent_token(user_agent: str) -> str:
    """The name a robots.txt calls us by: the product of a User-Agent header.

    Of "Name/1.0 (...)" the first word, of "Mozilla/5.0 (compatible; Name/1.0; ...)" the real one.
    """
    match = _COMMENT_PRODUCT.search(user_agent)
    if match is not None:
        return match[1].lower()
    first = _PRODUCT.match(user_agent.strip())
    return first[0].lower() if first else "pgkb"


def robots_url(url: str) -> str:
    """Where the robots.txt stands that speaks for a normal address."""
    return f"{site_key(url)}/robots.txt"


def ask_robots(fetcher: Fetcher, url: str, *, failures: int = 0) -> RobotsAnswer:
    """Fetch the robots.txt that speaks for `url`; raises nothing.

    `failures` is how many times in a row the answer was "not now" before: patience grows with it.
    """
    careful = fetcher.with_settings(
        replace(
            fetcher.settings,
            max_redirects=MOST_REDIRECTS,
            max_bytes=MOST_BYTES,
            cut=True,
            wall_seconds=min(_WALL_SECONDS, fetcher.settings.wall_seconds),
        )
    )
    body = io.BytesIO()
    try:
        fetched = careful.fetch(robots_url(url), body)
    except FetchError as error:
        return _without_rules(error, failures)
    return RobotsAnswer(
        state="rules",
        text=robots_text(body.getvalue()),
        reason="the site has a robots.txt",
        good_for=_GOOD_FOR,
        status=fetched.status,
    )


def robots_text(body: bytes) -> str:
    """The text of a robots.txt, '' for what is no text.

    A byte order mark goes, which would hide the first line (C-02), and so does a line that the
    size limit cut through: half a rule is another rule.
    """
    cut = len(body) >= MOST_BYTES
    body = body[:MOST_BYTES]
    if cut:
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    try:
        text = decode(body).text
    except Refused:
        return ""
    return text.replace("\x00", "").removeprefix("\ufeff")


def _without_rules(error: FetchError, failures: int) -> RobotsAnswer:
    status = error.status
    if error.kind == "redirects" or (
        status is not None and 400 <= status < 500 and status not in _PASSING_4XX
    ):
        return RobotsAnswer(
            state="allow-all",
            text="",
            reason=f"the site has no robots.txt for us ({error.reason})",
            good_for=_GOOD_FOR,
            status=status,
        )
    wait = min(_ASK_AGAIN * 2 ** min(failures, 10), _GOOD_FOR)
    if error.retry_after is not None:
        wait = max(wait, timedelta(seconds=error.retry_after))
    return RobotsAnswer(
        state="not-now",
        text="",
        reason=f"its robots.txt cannot be had, so nothing is fetched now ({error.reason})",
        good_for=wait,
        status=status,
    )
