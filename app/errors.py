"""SQL never knows HTTP: here, and only here, an error becomes a status and a text for people.

What the database says under one of pgkb's own SQLSTATEs is written for people and passed on.
Everything else is told in a fixed sentence; its detail goes to the log, secrets masked.
"""

import logging
import re
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias
from uuid import uuid4

import asyncpg
import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.openapi import ResponseSpec
from litestar.openapi.spec import Example
from litestar.types import Message, Scope

from app.admin.spool import SpoolError
from app.masking import mask_private, mask_secrets
from app.pool import PoolBusyError

AnyRequest: TypeAlias = Request[Any, Any, Any]

_log = logging.getLogger("pgkb.app")

PROBLEM_JSON = "application/problem+json"
_REQUEST_ID = "pgkb_request_id"
_PRIVATE = "pgkb_private"
_SAFE_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")

# every SQLSTATE of db/README.md; a test compares
STATUS_BY_SQLSTATE: dict[str, int] = {
    "ST001": 500,
    "ST002": 503,
    "PL001": 422,
    "PL002": 422,
    "PL003": 422,
    "PL004": 422,
    "PL005": 422,
    "PL006": 422,
    "PL007": 422,
    "PL008": 422,
    "TK001": 404,
    "TK002": 422,
    "TK003": 500,
    "TK004": 422,
    "JU001": 404,
    "JU002": 422,
    "JU003": 422,
    "JU004": 409,
    "JU005": 404,
    "TE001": 422,
    "TE002": 422,
    "TE003": 422,
    "TE004": 422,
    "IN001": 404,
    "IN002": 422,
    "UL001": 422,
    "UL002": 422,
    "UL003": 404,
    "VA001": 422,
    "VA002": 404,
    "WC001": 404,
    "WC002": 422,
    "WC003": 422,
    "WC004": 409,
    "KB001": 422,
    "KB002": 422,
    "KB003": 413,
    "KB004": 422,
    "KB005": 500,
    "KB006": 422,
    "KB007": 422,
    "KB008": 422,
    "KB009": 404,
    "KB010": 409,
    "KB011": 415,
    "KB012": 422,
    "KB013": 409,
    "KB014": 404,
    "KB015": 409,
    "KB021": 422,
    "KB022": 404,
    "KB023": 409,
    "KB024": 409,
    "VE001": 422,
    "VE002": 422,
    "VE003": 422,
    "VE004": 503,
    "VE005": 404,
    "VE006": 409,
    "VE007": 422,
    "VE008": 502,
    "VE009": 409,
    "VE010": 409,
    "VE011": 422,
    "VE012": 409,
    "VE013": 422,
    "VE014": 409,
    "QU001": 422,
    "QU002": 422,
    "LI001": 500,
    "PE001": 422,
    "PE002": 409,
    "PE003": 422,
    "PE004": 403,
    "PE005": 409,
    "PE006": 404,
    "PE007": 404,
    "PE008": 422,
    "PE009": 500,
    "PE010": 422,
    "SE001": 422,
    "SE002": 422,
    "SE003": 422,
    "SE004": 409,
    "UP001": 404,
    "UP002": 422,
    "UP003": 409,
}


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The body of every answer that is not the one asked for (RFC 9457)."""

    title: str
    status: int
    code: str
    request_id: str
    hint: str | None = None
    errors: list[dict[str, str]] = []
    type: str = "about:blank"


@dataclass(frozen=True, slots=True)
class Trouble:
    """An error as people may see it: what, which code, what to do."""

    status: int
    code: str
    title: str
    hint: str | None = None

    def problem(self, request_id: str, errors: Sequence[dict[str, str]] = ()) -> Problem:
        """The body that tells of it."""
        return Problem(
            title=self.title,
            status=self.status,
            code=self.code,
            hint=self.hint,
            request_id=request_id,
            errors=list(errors),
        )


class RefusedError(Exception):
    """A request that is refused in words of our own."""

    def __init__(self, trouble: Trouble, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(trouble.title)
        self.trouble = trouble
        self.headers = headers


_UNAVAILABLE = Trouble(
    503,
    "database_unavailable",
    "the database cannot be reached",
    "Try again shortly; whoever runs this service can see the state with `pgkb status`.",
)
_NOT_DEPLOYED = Trouble(
    503,
    "not_deployed",
    "the database lacks functions this version needs",
    "Deploy them with `pgkb up`.",
)
_TOO_SLOW = Trouble(
    504, "timeout", "the database did not answer in time", "Try again, or ask for fewer results."
)
_BUSY = Trouble(503, "busy", "the database is busy", "Try again shortly.")
_NO_SPOOL = Trouble(
    503,
    "uploads_unavailable",
    "files cannot be taken in just now",
    "Try again later; whoever runs this service finds the reason in the log.",
)
_READ_ONLY = Trouble(
    503, "read_only", "the database only accepts reads now", "Try again when it accepts writes."
)
_NOT_PERMITTED = Trouble(
    503,
    "not_permitted",
    "the database does not let this service do its work",
    "Grant its login the roles pgkb_app and, for the admin routes, pgkb_admin.",
)
_UNUSABLE_SETTING = Trouble(
    503,
    "ST002",
    "the service is set up wrongly",
    "Whoever runs this service finds the setting in the log and with `pgkb doctor`.",
)
_INTERNAL = Trouble(
    500,
    "internal_error",
    "something went wrong on our side",
    "Quote the request id to whoever runs this service: the log holds the detail.",
)

_UNSTORABLE = Trouble(
    400,
    "invalid_request",
    "the request holds text, a number or a moment that cannot be stored",
    "Leave out the character NUL; numbers are those of 64 bits, years 1 to 9999.",
)

# the standard's own SQLSTATEs, by code or by two-character class
_STANDARD = {
    # the driver's own refusal of an argument: a number beyond 64 bits, a moment before year 1
    "22000": _UNSTORABLE,
    "22021": _UNSTORABLE,
    "22P05": _UNSTORABLE,
    "08": _UNAVAILABLE,
    "28": _UNAVAILABLE,
    "3D": _UNAVAILABLE,
    "53": _BUSY,
    "57": _UNAVAILABLE,
    "57014": _TOO_SLOW,
    "40": _BUSY,
    "55P03": _BUSY,
    "25006": _READ_ONLY,
    "42501": _NOT_PERMITTED,
    "3F000": _NOT_DEPLOYED,
    "42883": _NOT_DEPLOYED,
    "42P01": _NOT_DEPLOYED,
    "42703": _NOT_DEPLOYED,
    "42704": _NOT_DEPLOYED,
}

_HTTP_TITLES = {
    400: ("invalid_request", "the request cannot be used"),
    401: ("not_signed_in", "sign in first"),
    403: ("forbidden", "you may not do this"),
    404: ("not_found", "there is nothing at this address"),
    405: ("method_not_allowed", "this address does not answer that method"),
    408: ("too_slow", "the request came too slowly"),
    409: ("conflict", "what is there already forbids it"),
    413: ("too_large", "the request is too large"),
    415: ("unsupported_media_type", "send JSON"),
    429: ("too_many_requests", "too many requests"),
}


_MEANINGS = {
    400: "The request is not one: `errors` says which field and why.",
    401: "Nobody is signed in, or the token is no good any more.",
    403: "The role does not allow this.",
    404: "There is no such thing, or not for this caller: the answer is the same.",
    408: "The body did not arrive in time.",
    409: "What is there already, or its state, forbids it.",
    413: "The body is larger than this address accepts.",
    415: "The body is of a kind this address does not read.",
    422: "A code, tag or number in the request is not known or not usable.",
    429: "Too many requests: `Retry-After` says how many seconds to wait.",
    503: "The database cannot answer just now.",
}
_UNPROCESSABLE = Trouble(422, "PL001", 'authority "E99999999" is not known', "Look it up.")


def problems(*statuses: int) -> dict[int, ResponseSpec]:
    """How an operation may refuse, for the OpenAPI document: each with an example."""
    examples = {status: Trouble(status, *told) for status, told in _HTTP_TITLES.items()}
    examples |= {422: _UNPROCESSABLE, 503: _BUSY}
    return {
        status: ResponseSpec(
            Problem,
            generate_examples=False,
            description=_MEANINGS[status],
            media_type=PROBLEM_JSON,
            examples=[Example(value=msgspec.to_builtins(examples[status].problem("5f2b7c1e")))],
        )
        for status in statuses
    }


# what every operation that reads a body and asks the database may answer
PROBLEMS = problems(400, 401, 403, 408, 413, 415, 422, 429, 503)


def trouble_of(error: BaseException) -> Trouble:
    """What people may see of an error; anything unknown is the one stable internal error."""
    if isinstance(error, asyncpg.PostgresError):
        return _trouble_of_postgres(error)
    if isinstance(error, PoolBusyError):
        return _BUSY
    if isinstance(error, SpoolError):
        return _NO_SPOOL
    if isinstance(error, TimeoutError):
        return _TOO_SLOW
    if isinstance(error, (OSError, asyncpg.InterfaceError)):
        return _UNAVAILABLE
    return _INTERNAL


def _trouble_of_postgres(error: asyncpg.PostgresError) -> Trouble:
    state = error.sqlstate or ""
    status = STATUS_BY_SQLSTATE.get(state)
    if status is not None and status < 500:
        hint = mask_secrets(error.hint) if error.hint else None
        return Trouble(status, state, mask_secrets(error.message or str(error)), hint)
    if state == "ST002":
        return _UNUSABLE_SETTING
    if status is not None:
        # how this service is set up is not the caller's business
        return replace(_INTERNAL, status=status, code=state)
    return _STANDARD.get(state) or _STANDARD.get(state[:2]) or _INTERNAL


def answer_error(request: AnyRequest, error: Exception) -> Response[Problem]:
    """Litestar's handler of last resort: problem+json outside, the detail in the log."""
    if isinstance(error, RefusedError):
        return _respond(request, error.trouble, [], headers=error.headers)
    if isinstance(error, HTTPException):
        return _respond(request, *_trouble_of_http(error), headers=error.headers)
    return _respond(request, _noted_trouble(request, error), [])


def problem_of(request: AnyRequest, error: Exception) -> Problem:
    """The same for an answer that has begun already and cannot change its status."""
    return _noted_trouble(request, error).problem(request_id_of(request.scope))


def _noted_trouble(request: AnyRequest, error: Exception) -> Trouble:
    trouble = trouble_of(error)
    if trouble.status >= 500:
        _log.error(
            "request %s failed: %s: %s",
            request_id_of(request.scope),
            trouble.code,
            detail_for_log(error, private=private_of(request.scope)),
        )
    return trouble


def detail_for_log(error: BaseException, *, private: tuple[str, ...] = ()) -> str:
    """Type, SQLSTATE, message and stack of an error, without secrets or private texts.

    A server's DETAIL is left out: it repeats whole rows.
    """
    if isinstance(error, asyncpg.PostgresError) and error.sqlstate == "ST002":
        # no fault of the program: where in it this showed says nothing
        return mask_private(f"{error.message}. {error.hint}", private)
    parts = [type(error).__name__]
    if isinstance(error, asyncpg.PostgresError):
        parts.append(f"SQLSTATE {error.sqlstate}")
        parts.append(error.message or "")
    else:
        parts += [str(error), str(getattr(error, "detail", None) or "")]
    stack = "".join(traceback.format_tb(error.__traceback__)).rstrip()
    return mask_private(": ".join(part for part in parts if part) + "\n" + stack, private)


def _trouble_of_http(error: HTTPException) -> tuple[Trouble, list[dict[str, str]]]:
    status = error.status_code
    if status >= 500:
        return _INTERNAL, []
    code, title = _HTTP_TITLES.get(status, ("invalid_request", "the request cannot be used"))
    errors: list[dict[str, str]] = []
    hint = None
    if status == 400 and isinstance(error.extra, list):
        errors = [
            {"field": str(entry.get("key", "")), "message": str(entry.get("message", ""))}
            for entry in error.extra
            if isinstance(entry, dict)
        ]
    if status == 401:
        hint = "Get a token at POST /api/auth/login and send it as `Authorization: Bearer ...`."
    if status == 400:
        hint = "The body is described at /schema/openapi.json."
    return Trouble(status, code, title, hint), errors


def _respond(
    request: AnyRequest,
    trouble: Trouble,
    errors: list[dict[str, str]],
    *,
    headers: Mapping[str, str] | None = None,
) -> Response[Problem]:
    problem = trouble.problem(request_id_of(request.scope), errors)
    if trouble.status == 503:
        headers = {"Retry-After": "5"}
    return Response(problem, status_code=trouble.status, media_type=PROBLEM_JSON, headers=headers)


def request_id_of(scope: Scope) -> str:
    """The caller's own `X-Request-ID` when it is harmless, else a new one; stable per request."""
    state = scope["state"]
    if _REQUEST_ID not in state:
        sent = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
        state[_REQUEST_ID] = sent.decode() if _SAFE_ID.fullmatch(sent) else uuid4().hex
    return str(state[_REQUEST_ID])


async def send_request_id(message: Message, scope: Scope) -> None:
    """Put the request id on every answer, errors included."""
    if message["type"] == "http.response.start":
        header = (b"x-request-id", request_id_of(scope).encode())
        message["headers"] = [*message["headers"], header]


def keep_private(request: AnyRequest, *texts: str) -> None:
    """Name the texts of this request that no log line may repeat."""
    request.scope["state"][_PRIVATE] = texts


def private_of(scope: Scope) -> tuple[str, ...]:
    """The texts `keep_private` was given for this request."""
    texts: tuple[str, ...] = scope["state"].get(_PRIVATE, ())
    return texts
