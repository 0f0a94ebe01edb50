"""Access tokens: only our own, only in time, only with our algorithm."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import jwt
import pytest

from app.access.tokens import AUDIENCE, ISSUER, LIFETIME, TokenRefusedError, Tokens
from app.access.user import Role, User
from app.settings import SettingsError

KEY, OTHER = "k" * 40, "o" * 40
USER, SESSION = User(person_id=uuid4(), role=Role.CURATOR), uuid4()


def _claims(**changed: Any) -> dict[str, Any]:
    now = datetime.now(UTC)
    claims = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": str(USER.person_id),
        "sid": str(SESSION),
        "role": "curator",
        "iat": now,
        "exp": now + LIFETIME,
    } | changed
    return {name: value for name, value in claims.items() if value is not None}


def _forged(key: str = KEY, algorithm: str = "HS256", **changed: Any) -> str:
    kid = jwt.get_unverified_header(Tokens([KEY]).issue(USER, SESSION))["kid"]
    return jwt.encode(_claims(**changed), key, algorithm=algorithm, headers={"kid": kid})


def test_a_token_says_who_and_in_which_session() -> None:
    access = Tokens([KEY]).read(Tokens([KEY]).issue(USER, SESSION))
    assert access.user == USER
    assert access.session_id == SESSION


def test_a_token_made_by_hand_with_the_key_is_read() -> None:
    assert Tokens([KEY]).read(_forged()).user == USER


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "somebody"},
        {"aud": "other-api"},
        {"exp": datetime.now(UTC) - timedelta(seconds=11)},
        {"iat": datetime.now(UTC) + timedelta(hours=1)},
        {"sub": "7"},
        {"sid": "7"},
        {"role": "owner"},
        *({name: None} for name in ("iss", "aud", "sub", "sid", "role", "iat", "exp")),
    ],
)
def test_a_claim_that_is_wrong_or_missing_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(TokenRefusedError):
        Tokens([KEY]).read(_forged(**changed))


def test_a_token_of_another_key_is_refused_also_under_our_keys_name() -> None:
    with pytest.raises(TokenRefusedError):
        Tokens([KEY]).read(Tokens([OTHER]).issue(USER, SESSION))
    with pytest.raises(TokenRefusedError):
        Tokens([KEY]).read(_forged(key=OTHER))


def test_another_algorithm_is_refused_and_none_at_all_too() -> None:
    with pytest.raises(TokenRefusedError):
        Tokens([KEY]).read(_forged(key=KEY * 2, algorithm="HS512"))
    with pytest.raises(TokenRefusedError):
        Tokens([KEY]).read(_forged(key="", algorithm="none"))
    head, body, _ = _forged().split(".")
    named = json.loads(base64.urlsafe_b64decode(head + "==")) | {"alg": "none"}
    unsigned = base64.urlsafe_b64encode(json.dumps(named).encode()).decode().rstrip("=")
    with pytest.raises(TokenRefusedError):
        Tokens([KEY]).read(f"{unsigned}.{body}.")


@pytest.mark.parametrize("text", ["", ".", "..", "a.b.c", "é.ü.ß", "e30.e30.", "x" * 5000, "\x00"])
def test_garbage_is_refused(text: str) -> None:
    with pytest.raises(TokenRefusedError):
        Tokens([KEY]).read(text)


def test_keys_are_changed_without_signing_anybody_out() -> None:
    old = Tokens([KEY]).issue(USER, SESSION)
    both = Tokens([OTHER, KEY])
    assert both.read(old).user == USER
    assert Tokens([OTHER]).read(both.issue(USER, SESSION)).user == USER


def test_a_short_key_is_refused_and_not_repeated() -> None:
    with pytest.raises(SettingsError) as refused:
        Tokens([KEY, "short-secret"])
    assert "PGKB_TOKEN_KEY" in str(refused.value)
    assert "short-secret" not in str(refused.value)
