"""One spelling for each address: two links with the same spelling are one page.

`intake.tidy_url`, in the database, makes the same what every server treats as the same, because a
person typed that address and it is shown to them. This function goes further for links that a
machine found: parameters that only follow readers about are left out, parameters are put in order,
dots in paths are resolved and percent signs spelled one way. What it gives is tidy already, so
`tidy_url(normal_url(x)) = normal_url(x)`. It is also the address that is fetched, so it keeps
whatever a server might answer differently: a slash at the end of a path (only the root's is
supplied), doubled slashes, the case of a path, `+` and `%20`, the order of values of one name.
"""

import re
from ipaddress import ip_address
from urllib.parse import quote, urljoin

import httpx2

from ingest.fetch.errors import FetchError
from ingest.fetch.urls import checked_url

_LONGEST = 2000
_BREAKS = str.maketrans("", "", "\t\r\n")
_LAST_DOTS = re.compile(r"(/\.{1,2})(?=#|$)")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SAFE = "%/:@!$&'()*+,;=~?"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TRACKING = _words(
    "_ga _gl _hsenc _hsmi dclid epik fbclid gad_source gbraid gclid gclsrc igshid li_fat_id mc_cid"
    " mc_eid mkt_tok ml_subscriber ml_subscriber_hash msclkid oly_anon_id oly_enc_id s_cid"
    " srsltid ttclid twclid vero_conv vero_id wbraid wickedid wt_mc wt_zmc yclid"
)
_TRACKING_STARTS = ("hsa_", "itm_", "matomo_", "mtm_", "piwik_", "pk_", "utm_")
_SESSION = _words(
    "cfid cftoken jsessionid phpsessid sessid session-id session_id sessionid sessionkey zenid"
    " osclid oscsid"
)
_SESSION_STARTS = ("aspsessionid", "asp.net_sessionid")
# `sid` is a session to some sites and a section to others: only a long random value is a session
_MAYBE_SESSION = _words("sid s_id token csrf csrf_token")
_RANDOM = re.compile(r"(?=[^&]*\d)(?=[^&]*[A-Za-z])[A-Za-z0-9_\-]{20,}")


def normal_url(url: str, *, base: str | None = None) -> str | None:
    """The address in its one spelling, None when it is none that may be fetched.

    With `base`, a normal address, `url` may be relative to it. Normalising twice changes nothing.
    """
    text = url.strip(" \t\r\n\f").translate(_BREAKS)
    path, mark, rest = text.partition("?")
    # browsers read a backslash before the query as a slash, so sites get away with it
    # and a last dot stands for a directory, which httpx2 forgets
    text = _LAST_DOTS.sub(r"\1/", path.replace("\\", "/")) + mark + rest
    try:
        if base is not None:
            text = urljoin(base, text)
        parsed = checked_url(text, ports=None)
        host = parsed.raw_host.decode("ascii").rstrip(".")
        if ":" in host:
            host = f"[{ip_address(host)}]"
    except (FetchError, httpx2.InvalidURL, ValueError, TypeError):
        return None
    if not host:
        return None
    path, _, query = parsed.raw_path.decode("ascii").partition("?")
    query = _kept_query(_one_escape(query))
    normal = (
        f"{parsed.scheme}://{host}{'' if parsed.port is None else f':{parsed.port}'}"
        f"{_resolved(_without_sessions(_one_escape(path)))}{'?' if query else ''}{query}"
    )
    return normal if len(normal) <= _LONGEST else None


def site_key(url: str) -> str:
    """Scheme, host and port of a normal address: what one robots.txt speaks for."""
    return "/".join(url.split("/", 3)[:3])


def _is_passing_parameter(name: str, value: str) -> bool:
    """Whether a parameter follows a reader or a session about and says nothing of the page."""
    name = name.lower()
    return (
        name in _TRACKING
        or name in _SESSION
        or name.startswith((*_TRACKING_STARTS, *_SESSION_STARTS))
        or (name in _MAYBE_SESSION and _RANDOM.fullmatch(value) is not None)
    )


def _one_escape(text: str) -> str:
    """Percent signs one way: what needs none has none, the others have upper-case digits."""

    def spell(escape: re.Match[str]) -> str:
        if escape[1] is None:
            return "%25"
        character = chr(int(escape[1], 16))
        return character if character in _UNRESERVED else escape[0].upper()

    return _ESCAPE.sub(spell, quote(text, safe=_SAFE))


def _kept_query(query: str) -> str:
    """The parameters that say something, in the order of their names."""
    kept = []
    for parameter in query.split("&"):
        name, _, value = parameter.partition("=")
        if parameter and not _is_passing_parameter(name, value):
            kept.append((name, parameter))
    # stable: several values of one name stay in their order, which may mean something
    return "&".join(parameter for _, parameter in sorted(kept, key=lambda found: found[0]))


def _without_sessions(path: str) -> str:
    """The path less session ids after a semicolon, as Java's servers write them."""
    if ";" not in path:
        return path
    segments = []
    for segment in path.split("/"):
        name, *parameters = segment.split(";")
        kept = [p for p in parameters if not _is_passing_parameter(*_split(p))]
        segments.append(";".join([name, *kept]))
    return "/".join(segments)


def _split(parameter: str) -> tuple[str, str]:
    name, _, value = parameter.partition("=")
    return name, value


def _resolved(path: str) -> str:
    """The path with `.` and `..` resolved."""
    segments = path.split("/")[1:]
    resolved: list[str] = []
    for segment in segments:
        if segment == "..":
            del resolved[-1:]
        elif segment != ".":
            resolved.append(segment)
    if segments and segments[-1] in {".", ".."}:
        resolved.append("")
    return "/" + "/".join(resolved)
