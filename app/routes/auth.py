"""`/api/auth`: signing in, going on, signing out, another password."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.datastructures import ResponseHeader
from litestar.params import JSONBody
from msgspec import Meta

from app.access import calls
from app.access.addresses import address_of
from app.access.guards import in_session
from app.access.limiting import refuse_until
from app.access.passwords import LONGEST, SHORTEST, Verdict, weakness
from app.access.tokens import LIFETIME
from app.access.user import Role, User
from app.documenting import ANYBODY
from app.errors import PROBLEMS, AnyRequest, RefusedError, Trouble, keep_private
from app.pool import lend

# no text of the database holds a NUL
STORABLE = r"^[^\x00]*$"

Email = Annotated[
    str,
    Meta(
        min_length=3,
        max_length=254,
        pattern=STORABLE,
        examples=["kim@example.org"],
        description="In any case of letters.",
    ),
]
# a long one is no better, and a hash of a novel would keep a thread busy
Password = Annotated[str, Meta(min_length=1, max_length=LONGEST)]
NewPassword = Annotated[
    str,
    Meta(
        min_length=SHORTEST,
        max_length=LONGEST,
        examples=["correct horse battery"],
        description=f"{SHORTEST} to {LONGEST} characters; no rule of letters and signs.",
    ),
]
RefreshToken = Annotated[
    str, Meta(min_length=20, max_length=200, description="As the last answer gave it; good once.")
]
SchoolUrn = Annotated[
    str,
    Meta(max_length=20, pattern=STORABLE, description="Unique reference number of a school."),
]

_WRONG = Trouble(
    401,
    "wrong_credentials",
    "e-mail address or password is wrong",
    "Check both; whoever runs this service can set a new password.",
)
_ENDED = Trouble(401, "session_ended", "this session is over", "Sign in again.")
_RACED = Trouble(
    409,
    "refresh_raced",
    "this refresh token was used a moment ago",
    "Another request of yours has the next one: use that.",
)
_WEAK = Trouble(422, "weak_password", "this password is too easy to guess")
_CHALLENGE = {"WWW-Authenticate": "Bearer"}


class SignIn(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """Who wants to sign in."""

    email: Email
    password: Password


class Registration(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """Somebody's own account, where `kb.self_registration` is on."""

    email: Email
    password: NewPassword
    role: Annotated[str, Meta(pattern="^(parent|professional)$")] = "parent"
    school_urn: SchoolUrn | None = None


class Continuation(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """The token that a session goes on with, or ends by."""

    refresh_token: RefreshToken


class PasswordChange(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """The password until now and the one from now on."""

    old_password: Password
    new_password: NewPassword


@dataclass(frozen=True, slots=True)
class TokenPair:
    """What a signed-in client keeps: `access_token` for `expires_in` seconds, then a refresh.

    Nothing of the session is good after `session_expires_at`.
    """

    access_token: str
    refresh_token: str
    role: str
    session_expires_at: datetime
    expires_in: int = int(LIFETIME.total_seconds())
    token_type: str = "Bearer"  # noqa: S105 - the kind of token, RFC 6750


@dataclass(frozen=True, slots=True)
class NewPerson:
    """The account that was made."""

    person_id: UUID


@dataclass(frozen=True, slots=True)
class SignedOut:
    """How many sessions ended."""

    sessions: int


class AuthController(Controller):
    """Sign in with a password; go on with a refresh token, each good once."""

    path = "/api/auth"
    tags = ("signing in",)
    response_headers = (ResponseHeader(name="Cache-Control", value="no-store"),)

    @post("/login", status_code=200, security=ANYBODY, summary="Sign in", responses=PROBLEMS)
    async def login(self, data: JSONBody[SignIn], request: AnyRequest) -> TokenPair:
        """A pair of tokens. An address without an account is answered as a wrong password is."""
        keep_private(request, data.email, data.password)
        state = request.app.state
        async with lend(state.pool) as db:
            asked = await calls.start_sign_in(db, email=data.email, address=address_of(request))
        refuse_until(asked.wait)
        verdict: Verdict = await state.passwords.check(asked.password_hash, data.password)
        if asked.person_id is None:
            raise RefusedError(_WRONG, headers=_CHALLENGE)
        refresh_token = secrets.token_urlsafe(32)
        async with lend(state.pool) as db:
            started = await calls.finish_sign_in(
                db,
                person_id=asked.person_id,
                verified_hash=asked.password_hash if verdict.right else None,
                token_hash=_fingerprint(refresh_token),
                better_hash=verdict.better_hash,
            )
        if started is None:
            raise RefusedError(_WRONG, headers=_CHALLENGE)
        user = User(person_id=asked.person_id, role=Role(started.role))
        return TokenPair(
            access_token=state.tokens.issue(user, started.session_id),
            refresh_token=refresh_token,
            role=started.role,
            session_expires_at=started.expires_at,
        )

    @post("/refresh", status_code=200, security=ANYBODY, summary="Go on", responses=PROBLEMS)
    async def refresh(self, data: JSONBody[Continuation], request: AnyRequest) -> TokenPair:
        """The next pair of tokens. A refresh token that comes back later ends its session."""
        keep_private(request, data.refresh_token)
        state = request.app.state
        refresh_token = secrets.token_urlsafe(32)
        async with lend(state.pool) as db:
            refuse_until(
                await calls.take(db, rules=["refresh_address"], subjects=[address_of(request)])
            )
            found = await calls.refresh(
                db,
                token_hash=_fingerprint(data.refresh_token),
                next_hash=_fingerprint(refresh_token),
            )
        if found.outcome == "raced":
            raise RefusedError(_RACED)
        if not (found.person_id and found.session_id and found.role and found.expires_at):
            raise RefusedError(_ENDED, headers=_CHALLENGE)
        user = User(person_id=found.person_id, role=Role(found.role))
        return TokenPair(
            access_token=state.tokens.issue(user, found.session_id),
            refresh_token=refresh_token,
            role=found.role,
            session_expires_at=found.expires_at,
        )

    @post("/logout", status_code=204, security=ANYBODY, summary="Sign out", responses=PROBLEMS)
    async def logout(self, data: JSONBody[Continuation], request: AnyRequest) -> None:
        """Ends the session of this token; one that is over already is no error."""
        keep_private(request, data.refresh_token)
        async with lend(request.app.state.pool) as db:
            await calls.sign_out(db, token_hash=_fingerprint(data.refresh_token))

    @post(
        "/logout-everywhere",
        status_code=200,
        guards=[in_session],
        security=[{"bearer": []}],
        summary="Sign out on every device",
        responses=PROBLEMS,
    )
    async def logout_everywhere(self, request: AnyRequest) -> SignedOut:
        """Ends all sessions, this one too."""
        async with lend(request.app.state.pool) as db:
            ended = await calls.sign_out_everywhere(db, person_id=request.user.person_id)
        return SignedOut(sessions=ended)

    @post(
        "/password",
        status_code=204,
        guards=[in_session],
        security=[{"bearer": []}],
        summary="Take another password",
        responses=PROBLEMS,
    )
    async def change_password(self, data: JSONBody[PasswordChange], request: AnyRequest) -> None:
        """Every other session ends."""
        keep_private(request, data.old_password, data.new_password)
        state, person_id = request.app.state, request.user.person_id
        refuse_weak(data.new_password)
        async with lend(state.pool) as db:
            asked = await calls.start_password_check(db, person_id=person_id)
        refuse_until(asked.wait)
        verdict: Verdict = await state.passwords.check(asked.password_hash, data.old_password)
        if not verdict.right or asked.password_hash is None:
            raise RefusedError(_WRONG, headers=_CHALLENGE)
        new_hash = await state.passwords.hash(data.new_password)
        async with lend(state.pool) as db:
            changed = await calls.change_password(
                db,
                person_id=person_id,
                verified_hash=asked.password_hash,
                new_hash=new_hash,
                keep_session=request.auth.session_id,
            )
        if not changed:
            raise RefusedError(_WRONG, headers=_CHALLENGE)

    @post(
        "/register",
        status_code=201,
        security=ANYBODY,
        summary="Make an account",
        responses=PROBLEMS,
    )
    async def register(self, data: JSONBody[Registration], request: AnyRequest) -> NewPerson:
        """Only where self-registration is switched on; 403 elsewhere."""
        keep_private(request, data.email, data.password)
        state = request.app.state
        refuse_weak(data.password)
        async with lend(state.pool) as db:
            refuse_until(await calls.start_registration(db, address=address_of(request)))
        password_hash = await state.passwords.hash(data.password)
        async with lend(state.pool) as db:
            person_id = await calls.register(
                db,
                email=data.email,
                role=data.role,
                password_hash=password_hash,
                school_urn=data.school_urn,
            )
        return NewPerson(person_id=person_id)

    @get(
        "/me",
        guards=[in_session],
        security=[{"bearer": []}],
        summary="Who am I?",
        responses=PROBLEMS,
    )
    async def me(self, request: AnyRequest) -> calls.Profile:
        """The account of this token."""
        async with lend(request.app.state.pool) as db:
            found = await calls.profile(db, person_id=request.user.person_id)
        if found is None:
            raise RefusedError(_ENDED, headers=_CHALLENGE)
        return found


def refuse_weak(password: str) -> None:
    """Refuse a new password that is none, saying why."""
    if why := weakness(password):
        raise RefusedError(Trouble(_WEAK.status, _WEAK.code, why, "Choose a longer one."))


def _fingerprint(token: str) -> bytes:
    """What the database knows of a refresh token; it is random, so no salt is needed."""
    return hashlib.sha256(token.encode()).digest()
