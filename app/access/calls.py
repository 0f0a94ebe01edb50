"""What the app asks about people: one function here per function of limits, account, privacy."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import asyncpg

from app.calls import Connection


@dataclass(frozen=True, slots=True)
class PasswordToCheck:
    """The hash a password is checked against, or how long to wait before the next try."""

    wait: timedelta | None
    password_hash: str | None
    person_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether the session and its person still may, and how long to wait when not so soon."""

    in_session: bool
    wait: timedelta | None


@dataclass(frozen=True, slots=True)
class StartedSession:
    """A sign-in that worked."""

    session_id: UUID
    role: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What became of a refresh token: refreshed, raced, reused or refused."""

    outcome: str
    session_id: UUID | None
    person_id: UUID | None
    role: str | None
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Profile:
    """What somebody sees of the own account."""

    email: str
    role: str
    school_urn: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Child:
    """A child on somebody's profile."""

    child_id: UUID
    name: str | None
    school_urn: str | None
    postcode: str | None


@dataclass(frozen=True, slots=True)
class Person:
    """An account as admins see it."""

    person_id: UUID
    email: str
    role: str
    school_urn: str | None
    created_at: datetime
    disabled_at: datetime | None


async def take(
    db: Connection, *, rules: Sequence[str], subjects: Sequence[str]
) -> timedelta | None:
    """Use limits once, each for its subject; how long to wait when one is used up, else None."""
    wait: timedelta | None = await db.fetchval(
        "select max(limits.take(rule => u.rule, subject => u.subject))"
        " from unnest($1::text[], $2::text[]) as u (rule, subject)",
        list(rules),
        list(subjects),
    )
    return wait


async def admit(
    db: Connection,
    *,
    person_id: UUID,
    session_id: UUID,
    rules: Sequence[str],
    subjects: Sequence[str],
) -> Admission:
    """Whether somebody may do anything just now, and `take`, in one statement."""
    row = await _row(
        db,
        "select account.session_role(person_id => $1::uuid, session_id => $2::uuid) is not null"
        " as in_session, (select max(limits.take(rule => u.rule, subject => u.subject))"
        " from unnest($3::text[], $4::text[]) as u (rule, subject)) as wait",
        person_id,
        session_id,
        list(rules),
        list(subjects),
    )
    return Admission(**dict(row))


async def start_registration(db: Connection, *, address: str) -> timedelta | None:
    """How long to wait before an account can be made, or None. Raises PE004."""
    wait: timedelta | None = await db.fetchval(
        "select account.start_registration(address => $1::text)", address
    )
    return wait


async def register(
    db: Connection, *, email: str, role: str, password_hash: str, school_urn: str | None
) -> UUID:
    """Make an account of one's own. Raises PE001 to PE004, PL002."""
    person_id: UUID = await db.fetchval(
        "select account.register(email => $1::text, role => $2::text,"
        " password_hash => $3::text, school_urn => $4::text)",
        email,
        role,
        password_hash,
        school_urn,
    )
    return person_id


async def start_sign_in(db: Connection, *, email: str, address: str) -> PasswordToCheck:
    """Who has this address and the hash of their password; neither for an unknown one."""
    row = await _row(
        db,
        "select wait, person_id, password_hash"
        " from account.start_sign_in(email => $1::text, address => $2::text)",
        email,
        address,
    )
    return PasswordToCheck(**dict(row))


async def finish_sign_in(
    db: Connection,
    *,
    person_id: UUID,
    verified_hash: str | None,
    token_hash: bytes,
    better_hash: str | None,
) -> StartedSession | None:
    """Start a session; None when the password was wrong or the person may not sign in."""
    row = await db.fetchrow(
        "select session_id, role, expires_at from account.finish_sign_in(person_id => $1::uuid,"
        " verified_hash => $2::text, token_hash => $3::bytea, better_hash => $4::text)",
        person_id,
        verified_hash,
        token_hash,
        better_hash,
    )
    return StartedSession(**dict(row)) if row else None


async def refresh(db: Connection, *, token_hash: bytes, next_hash: bytes) -> Refreshed:
    """Give the next refresh token for the last one."""
    row = await _row(
        db,
        "select outcome, session_id, person_id, role, expires_at"
        " from account.refresh(token_hash => $1::bytea, next_hash => $2::bytea)",
        token_hash,
        next_hash,
    )
    return Refreshed(**dict(row))


async def session_role(db: Connection, *, person_id: UUID, session_id: UUID) -> str | None:
    """The role somebody has just now; None when session or person may do nothing any more."""
    role: str | None = await db.fetchval(
        "select account.session_role(person_id => $1::uuid, session_id => $2::uuid)",
        person_id,
        session_id,
    )
    return role


async def sign_out(db: Connection, *, token_hash: bytes) -> None:
    """End the session of a refresh token; one that is over is no error."""
    await db.execute("select account.sign_out(token_hash => $1::bytea)", token_hash)


async def sign_out_everywhere(db: Connection, *, person_id: UUID) -> int:
    """End all sessions of a person; how many there were."""
    return int(
        await db.fetchval("select account.sign_out_everywhere(person_id => $1::uuid)", person_id)
    )


async def start_password_check(db: Connection, *, person_id: UUID) -> PasswordToCheck:
    """The hash of somebody signed in, or how long to wait."""
    row = await _row(
        db,
        "select wait, password_hash from account.start_password_check(person_id => $1::uuid)",
        person_id,
    )
    return PasswordToCheck(**dict(row))


async def change_password(
    db: Connection, *, person_id: UUID, verified_hash: str, new_hash: str, keep_session: UUID
) -> bool:
    """Take another password, which ends every other session; False when the old one is gone."""
    return bool(
        await db.fetchval(
            "select account.change_password(person_id => $1::uuid, verified_hash => $2::text,"
            " new_hash => $3::text, keep_session => $4::uuid)",
            person_id,
            verified_hash,
            new_hash,
            keep_session,
        )
    )


async def profile(db: Connection, *, person_id: UUID) -> Profile | None:
    """The own account; None when it is gone."""
    row = await db.fetchrow(
        "select email, role, school_urn, created_at from account.profile(person_id => $1::uuid)",
        person_id,
    )
    return Profile(**dict(row)) if row else None


async def set_school(db: Connection, *, person_id: UUID, school_urn: str | None) -> None:
    """Note the school somebody works at. Raises PL002."""
    await db.execute(
        "select account.set_school(person_id => $1::uuid, school_urn => $2::text)",
        person_id,
        school_urn,
    )


async def list_children(db: Connection, *, person_id: UUID) -> list[Child]:
    """The children of a person, the first one first."""
    rows = await db.fetch(
        "select child_id, name, school_urn, postcode"
        " from account.list_children(person_id => $1::uuid)",
        person_id,
    )
    return [Child(**dict(row)) for row in rows]


async def add_child(
    db: Connection,
    *,
    person_id: UUID,
    name: str | None,
    school_urn: str | None,
    postcode: str | None,
) -> UUID:
    """Put a child on a profile. Raises PE008, PL002."""
    child_id: UUID = await db.fetchval(
        "select account.add_child(person_id => $1::uuid, name => $2::text,"
        " school_urn => $3::text, postcode => $4::text)",
        person_id,
        name,
        school_urn,
        postcode,
    )
    return child_id


async def change_child(
    db: Connection,
    *,
    person_id: UUID,
    child_id: UUID,
    name: str | None,
    school_urn: str | None,
    postcode: str | None,
) -> None:
    """Put other facts on file. Raises PE007 for a child of somebody else, PE008, PL002."""
    await db.execute(
        "select account.change_child(person_id => $1::uuid, child_id => $2::uuid,"
        " name => $3::text, school_urn => $4::text, postcode => $5::text)",
        person_id,
        child_id,
        name,
        school_urn,
        postcode,
    )


async def remove_child(db: Connection, *, person_id: UUID, child_id: UUID) -> None:
    """Take a child off a profile. Raises PE007 for a child of somebody else."""
    await db.execute(
        "select account.remove_child(person_id => $1::uuid, child_id => $2::uuid)",
        person_id,
        child_id,
    )


async def add_person(
    db: Connection,
    *,
    email: str,
    role: str,
    password_hash: str,
    school_urn: str | None = None,
    actor: str | None = None,
) -> UUID:
    """Make an account. Raises PE001 to PE003, PL002."""
    person_id: UUID = await db.fetchval(
        "select account.add_person(email => $1::text, role => $2::text,"
        " password_hash => $3::text, school_urn => $4::text, actor => $5::text)",
        email,
        role,
        password_hash,
        school_urn,
        actor,
    )
    return person_id


async def find_person(db: Connection, *, email: str) -> UUID:
    """The person of an address. Raises PE001, PE006."""
    person_id: UUID = await db.fetchval("select account.find_person(email => $1::text)", email)
    return person_id


async def list_people(
    db: Connection,
    *,
    role: str | None = None,
    email: str | None = None,
    after: UUID | None = None,
    page_size: int = 50,
) -> list[Person]:
    """A page of people, the oldest account first. Raises PE003, PE010."""
    rows = await db.fetch(
        "select person_id, email, role, school_urn, created_at, disabled_at"
        " from account.list_people(with_role => $1::text, with_email => $2::text,"
        " after => $3::uuid, page_size => $4::integer)",
        role,
        email,
        after,
        page_size,
    )
    return [Person(**dict(row)) for row in rows]


async def set_role(db: Connection, *, person_id: UUID, role: str, actor: str | None = None) -> None:
    """Give somebody another role. Raises PE003, PE005, PE006."""
    await db.execute(
        "select account.set_role(person_id => $1::uuid, role => $2::text, actor => $3::text)",
        person_id,
        role,
        actor,
    )


async def set_disabled(
    db: Connection, *, person_id: UUID, disabled: bool, actor: str | None = None
) -> None:
    """Shut somebody out or let them in again. Raises PE005, PE006."""
    await db.execute(
        "select account.set_disabled(person_id => $1::uuid, disabled => $2::boolean,"
        " actor => $3::text)",
        person_id,
        disabled,
        actor,
    )


async def set_password(
    db: Connection, *, person_id: UUID, new_hash: str, actor: str | None = None
) -> None:
    """Give somebody a new password, which ends all their sessions. Raises PE006."""
    await db.execute(
        "select account.set_password(person_id => $1::uuid, new_hash => $2::text,"
        " actor => $3::text)",
        person_id,
        new_hash,
        actor,
    )


async def export_person(db: Connection, *, person_id: UUID) -> str:
    """Everything that is held of a person, as JSON text. Raises PE006."""
    return str(
        await db.fetchval("select privacy.export_person(person_id => $1::uuid)::text", person_id)
    )


async def erase_person(db: Connection, *, person_id: UUID, actor: str | None = None) -> None:
    """Forget a person. Raises PE005, PE006."""
    await db.execute(
        "select privacy.erase_person(person_id => $1::uuid, actor => $2::text)", person_id, actor
    )


async def _row(db: Connection, statement: str, *values: object) -> asyncpg.Record:
    row = await db.fetchrow(statement, *values)
    if row is None:
        raise LookupError("a statement that always has a row had none")
    return row
