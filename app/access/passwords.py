"""Passwords: argon2id, in threads of their own, and the same time whether there is one or not."""

import asyncio
import os
import secrets
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

Result = TypeVar("Result")

SHORTEST, LONGEST = 12, 256
# each hash takes 64 MiB while it is made
_AT_ONCE = max(1, min(4, os.cpu_count() or 1))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a password was right; `better_hash` when its hash was made at another cost."""

    right: bool
    better_hash: str | None = None


class Passwords:
    """Hashes and checks passwords off the event loop, a few at a time."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        """The default cost is the second choice of RFC 9106: 64 MiB, three passes, four lanes."""
        self._hasher = hasher or PasswordHasher(time_cost=3, memory_cost=65536, parallelism=4)
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="password")
        self._nobodys: str | None = None

    async def hash(self, password: str) -> str:
        """The encoded hash, which holds its salt and cost."""
        return await self._apart(lambda: self._hasher.hash(_one_spelling(password)))

    async def check(self, kept: str | None, password: str) -> Verdict:
        """Compare a password with the hash that is kept, or spend the same time on none."""
        return await self._apart(lambda: self._check(kept, _one_spelling(password)))

    def _check(self, kept: str | None, password: str) -> Verdict:
        if self._nobodys is None:
            self._nobodys = self._hasher.hash(secrets.token_hex(16))
        try:
            self._hasher.verify(kept or self._nobodys, password)
        except (Argon2Error, InvalidHashError):
            return Verdict(right=False)
        if kept is None:
            return Verdict(right=False)
        dated = self._hasher.check_needs_rehash(kept)
        return Verdict(right=True, better_hash=self._hasher.hash(password) if dated else None)

    async def _apart(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """End the threads; hashes in the making are waited for."""
        self._threads.shutdown()


def weakness(password: str) -> str | None:
    """Why a new password is none, or None. Length is what counts; no rule of letters and signs."""
    length = len(_one_spelling(password))
    if length < SHORTEST:
        return f"a password has at least {SHORTEST} characters"
    if length > LONGEST:
        return f"a password has at most {LONGEST} characters"
    if len(set(password)) < 4:
        return "a password of so few different characters is soon guessed"
    return None


def _one_spelling(password: str) -> str:
    """The same for however a keyboard composes an accent."""
    return unicodedata.normalize("NFKC", password)
