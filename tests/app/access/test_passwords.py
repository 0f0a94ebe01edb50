"""Passwords: one spelling, whatever was typed; no hash is made of what is not one."""

import unicodedata

import pytest
from argon2 import PasswordHasher

from app.access.passwords import Passwords, weakness

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


async def test_a_password_is_known_again_however_its_accents_are_composed() -> None:
    passwords = Passwords(CHEAP)
    composed = unicodedata.normalize("NFC", "crème brûlée à la carte")
    kept = await passwords.hash(composed)
    assert (await passwords.check(kept, unicodedata.normalize("NFD", composed))).right
    assert not (await passwords.check(kept, composed.upper())).right
    passwords.close()


async def test_nothing_is_the_password_of_nobody() -> None:
    passwords = Passwords(CHEAP)
    for kept in (None, "", "$argon2id$v=19$broken", "plain text"):
        assert not (await passwords.check(kept, "")).right
        assert not (await passwords.check(kept, "plain text")).right
    passwords.close()


@pytest.mark.parametrize("password", ["", "short", "a" * 40, "abababababababab", "x" * 300])
def test_what_is_soon_guessed_is_weak(password: str) -> None:
    assert weakness(password)


def test_words_of_some_length_are_a_password_without_signs() -> None:
    assert weakness("correct horse battery") is None
