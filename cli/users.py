"""`pgkb users`: who may sign in, in which role; and what is held of somebody, or forgotten."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from cli import wiring
from cli.errors import CliError, not_blank
from cli.output import note, plural, print_json, say

if TYPE_CHECKING:
    from app.access.calls import Person
    from app.calls import Connection

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Email = Annotated[str, typer.Argument(help="The e-mail address of the account.")]

_PAGE = 200


class RoleName(StrEnum):
    """Roles as the command line takes them."""

    PARENT = "parent"
    PROFESSIONAL = "professional"
    CURATOR = "curator"
    ADMIN = "admin"


def register(app: typer.Typer) -> None:
    """Add the command group."""
    group = typer.Typer(help="Accounts: who may sign in, and as what.", rich_markup_mode=None)
    group.command("add", help="Make an account; the password is asked for.")(add)
    group.command("list", help="Who has an account.")(list_users)
    group.command("role", help="Give somebody another role.")(role)
    group.command("disable", help="Shut somebody out at once, or let them in again.")(disable)
    group.command("password", help="Set a new password, which ends all sessions.")(password)
    group.command("export", help="Everything that is held of somebody, as JSON.")(export)
    group.command("erase", help="Forget somebody for good.")(erase)
    app.add_typer(group, name="users")


def add(
    email: Email,
    role: Annotated[RoleName, typer.Option("--role", help="What they may do.")] = RoleName.PARENT,
    school: Annotated[
        str | None, typer.Option("--school", help="URN of the school they work at.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The password comes from the terminal, or as the first line of standard input."""
    from app.access import calls

    urn = not_blank("--school", school)
    secret = _new_password()

    async def work() -> object:
        password_hash = await _hash(secret)
        async with _database() as db:
            return await calls.add_person(
                db, email=email, role=role.value, password_hash=password_hash, school_urn=urn
            )

    person_id = wiring.run(work())
    if as_json:
        print_json({"person_id": person_id, "role": role.value})
    else:
        say(f"{person_id} added as {role.value}")


def list_users(
    role: Annotated[RoleName | None, typer.Option("--role", help="Only this role.")] = None,
    email: Annotated[
        str | None, typer.Option("--email", help="Only addresses with this in them.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """One account a line, the oldest first."""
    from app.access import calls

    part = not_blank("--email", email)

    async def work() -> "list[Person]":
        found: list[Person] = []
        async with _database() as db:
            while True:
                page = await calls.list_people(
                    db,
                    role=role.value if role else None,
                    email=part,
                    after=found[-1].person_id if found else None,
                    page_size=_PAGE,
                )
                found += page
                if len(page) < _PAGE:
                    return found

    people = wiring.run(work())
    if as_json:
        print_json({"users": people})
        return
    for person in people:
        state = ", disabled" if person.disabled_at else ""
        say(f"{person.person_id} {person.role:<12} {person.email}{state}")
    note(plural(len(people), "account"))


def role(email: Email, role: Annotated[RoleName, typer.Argument(help="The new role.")]) -> None:
    """Counts at once where admins and curators work, elsewhere within 15 minutes."""
    from app.access import calls

    async def work() -> None:
        async with _database() as db:
            person_id = await calls.find_person(db, email=email)
            await calls.set_role(db, person_id=person_id, role=role.value)

    wiring.run(work())
    say(f"now {role.value}")


def disable(
    email: Email,
    undo: Annotated[bool, typer.Option("--undo", help="Let them in again.")] = False,
) -> None:
    """All sessions end; nothing that is held of them goes."""
    from app.access import calls

    async def work() -> None:
        async with _database() as db:
            person_id = await calls.find_person(db, email=email)
            await calls.set_disabled(db, person_id=person_id, disabled=not undo)

    wiring.run(work())
    say("may sign in again" if undo else "may no longer sign in")


def password(email: Email) -> None:
    """The password comes from the terminal, or as the first line of standard input."""
    from app.access import calls

    secret = _new_password()

    async def work() -> None:
        new_hash = await _hash(secret)
        async with _database() as db:
            person_id = await calls.find_person(db, email=email)
            await calls.set_password(db, person_id=person_id, new_hash=new_hash)

    wiring.run(work())
    say("password set, all sessions ended")


def export(email: Email) -> None:
    """What the person gets who asks for it; no password and no token is in it."""
    import msgspec

    from app.access import calls

    async def work() -> str:
        async with _database() as db:
            person_id = await calls.find_person(db, email=email)
            return await calls.export_person(db, person_id=person_id)

    print_json(msgspec.json.decode(wiring.run(work())))


def erase(
    email: Email,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask again.")] = False,
) -> None:
    """Account, children, conversations and private documents go; nothing brings them back."""
    from app.access import calls

    if not yes:
        if not sys.stdin.isatty():
            raise CliError("nobody is there to ask. Add --yes if erasing is meant")
        typer.confirm("Erase everything that is held of this person?", abort=True, err=True)

    async def work() -> None:
        async with _database() as db:
            person_id = await calls.find_person(db, email=email)
            await calls.erase_person(db, person_id=person_id)

    wiring.run(work())
    say("erased")


@asynccontextmanager
async def _database() -> "AsyncIterator[Connection]":
    from app.pool import lend, pool_of

    async with pool_of(wiring.settings(), size=1) as pool, lend(pool) as db:
        yield db


def _new_password() -> str:
    """A password nobody reads in a list of processes or in the shell's history."""
    from app.access.passwords import weakness

    if sys.stdin.isatty():
        secret = str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    else:
        secret = sys.stdin.readline().rstrip("\r\n")
        if not secret:
            raise CliError("no password came on standard input. Give it as its first line")
    if why := weakness(secret):
        raise CliError(f"{why}. Choose a longer one")
    return secret


async def _hash(secret: str) -> str:
    from app.access.passwords import Passwords

    passwords = Passwords()
    try:
        return await passwords.hash(secret)
    finally:
        passwords.close()
