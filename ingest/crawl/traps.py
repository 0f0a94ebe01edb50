"""Where a crawl would never come to an end, and pages that only pretend to be there.

An address is judged by its shape alone: calendars can be leafed through for ever, broken relative
links make paths that grow, filters combine without end. Whether a page that was answered with 200
is really an error page is judged by comparing it with what the site says about an address that
cannot exist; login walls and error pages that say so in words are refused by the parser already.
"""

import re
from collections import Counter
from urllib.parse import parse_qsl, unquote, urlsplit

# So many variants of one path may be read: more are filters of one list.
MOST_VARIANTS = 60
MOST_SEGMENTS = 14
MOST_PARAMETERS = 8
_SAME_SEGMENT = 3
_ALIKE = 0.85
_SHINGLE = 3

_CALENDAR = re.compile(
    r"calend[ae]r|\bdiary\b|\bevents?\b|\bwhats-on\b|\btimetables?\b", re.IGNORECASE
)
_DAY_IN_PATH = re.compile(
    r"/(?:19|20)\d\d[-/](?:0?[1-9]|1[0-2]|[a-z]{3,9})(?:[-/]|$)", re.IGNORECASE
)
_DAY = re.compile(r"-?\d{1,8}|\d{4}-\d{1,2}(?:-\d{1,2})?(?:T.*)?|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}")
# Parameters that leaf through time wherever they stand, and those that do in a calendar.
_TIME = frozenset(
    {"caldate", "cal_month", "calmonth", "event_date", "eventdate", "mon", "month", "startdate"}
    | {"start_date", "tribe-bar-date", "viewdate", "week"}
)
_TIME_IN_CALENDAR = frozenset(["date", "day", "year", "y", "m", "d", "from", "to", "start", "end"])
_EXPORT = frozenset(["ical", "outlook-ical"])
_WORD = re.compile(r"\w+")


def trap_of(url: str, *, variants: int = 0) -> str | None:
    """Why a normal address should not be followed, in one line; None when nothing is wrong.

    `variants` is how many addresses with this path but another query are known already.
    """
    parts = urlsplit(url)
    path = unquote(parts.path)
    segments = [segment.lower() for segment in path.split("/") if segment]
    parameters = parse_qsl(parts.query, keep_blank_values=True)
    if len(segments) > MOST_SEGMENTS:
        return f"its path has more than {MOST_SEGMENTS} parts: it probably grows for ever"
    if _repeats(segments):
        return "its path repeats itself: it probably grows for ever"
    if len(parameters) > MOST_PARAMETERS:
        return f"it has more than {MOST_PARAMETERS} parameters: a filter without end"
    if _is_calendar(path, parameters):
        return "it leafs through a calendar, which has no end"
    if parameters and variants >= MOST_VARIANTS:
        return f"there are {MOST_VARIANTS} variants of this path already: a filter without end"
    return None


def path_of(url: str) -> str:
    """The address without its query: variants have it in common."""
    return url.partition("?")[0]


def probe_of(url: str, *, token: str) -> str:
    """An address beside `url` that cannot exist; `token` is random letters and digits."""
    return f"{path_of(url).rpartition('/')[0]}/{token}"


def is_like(text: str, missing: str, *, url: str = "", probe: str = "") -> bool:
    """Whether a page says what the site says about an address that does not exist.

    Words of the addresses themselves are not compared: such pages name what they did not find.
    """
    named = set(_words(unquote(f"{url} {probe}")))
    one, other = (_shingles(said, named) for said in (text, missing))
    if not one or not other:
        return one == other
    return (one & other).total() / (one | other).total() >= _ALIKE


def _repeats(segments: list[str]) -> bool:
    if any(count >= _SAME_SEGMENT for count in Counter(segments).values()):
        return True
    # /a/b/a/b: a relative link that was meant to be an absolute one
    return any(
        segments[start : start + length] == segments[start + length : start + 2 * length]
        for length in range(2, len(segments) // 2 + 1)
        for start in range(len(segments) - 2 * length + 1)
    )


def _is_calendar(path: str, parameters: list[tuple[str, str]]) -> bool:
    names = {name.lower() for name, _ in parameters}
    if not names.isdisjoint(_EXPORT):
        return True
    times = {name.lower() for name, value in parameters if _DAY.fullmatch(value)}
    if not times.isdisjoint(_TIME):
        return True
    if _CALENDAR.search(path) is None and not any(map(_CALENDAR.search, names)):
        return False
    return not times.isdisjoint(_TIME_IN_CALENDAR) or _DAY_IN_PATH.search(path) is not None


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _shingles(text: str, without: set[str]) -> Counter[tuple[str, ...]]:
    words = [word for word in _words(text) if word not in without]
    if len(words) < _SHINGLE:
        return Counter([tuple(words)] if words else [])
    return Counter(
        tuple(words[start : start + _SHINGLE]) for start in range(len(words) - _SHINGLE + 1)
    )
