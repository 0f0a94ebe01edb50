"""Who a request comes from."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


class Role(StrEnum):
    """What somebody is here for; the database has the same words."""

    PARENT = "parent"
    PROFESSIONAL = "professional"
    CURATOR = "curator"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who signed in: `request.user`, which is None for an anonymous caller."""

    person_id: UUID
    role: Role

    @property
    def principals(self) -> list[str]:
        """The names under which private documents are shared with this person."""
        return [f"person:{self.person_id}"]

    @property
    def viewer(self) -> str:
        """The name under which vectors of this person's questions are cached."""
        return f"person:{self.person_id}"
