"""Turns what the openai client raises into a ProviderError that is safe to show."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import openai

from providers.pacing import told_to_wait
from providers.protocols import ProviderError

# Waiting does not bring these back: someone has to pay, or to ask for access.
QUOTA_CODES = frozenset(
    {
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_not_active",
        "account_deactivated",
    }
)
# A refusal about one of these concerns the whole request, so no single text is to blame.
REQUEST_PARAMS = frozenset({"model", "dimensions", "encoding_format", "user"})
NARROWABLE = frozenset({400, 413, 422})
RETRYABLE = frozenset({408, 409, 429})
KEY_SHAPES = re.compile(r"(?i)\b(?:sk|key|bearer|api[-_]?key)[-_ :=\"']+[\w\-.~+/*]{6,}")
LONGEST_DETAIL = 300
# A run of characters this long that also stands in a sent text counts as an echo of that text.
ECHO = 16


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed request: the error to raise, and whether a smaller request may tell more."""

    error: ProviderError
    told: float | None = None  # seconds the service asked to wait, uncapped
    narrowable: bool = False


def mask(text: str, *, key: str) -> str:
    """The text without the key and without anything that looks like one."""
    if key:
        text = text.replace(key, "***")
    return KEY_SHAPES.sub("***", text)


def _echoes(words: str, texts: Sequence[str]) -> bool:
    """True when a service's message repeats part of what was sent to it."""
    folded = words.casefold()
    for text in texts:
        sent = text.casefold().strip()
        if len(sent) <= ECHO:
            if sent in folded:
                return True
            continue
        if any(folded[at : at + ECHO] in sent for at in range(len(folded) - ECHO + 1)):
            return True
    return False


def _detail(error: openai.APIError, *, key: str, texts: Sequence[str]) -> str:
    """Status, code and the service's own words, cut short; never the key or a sent text."""
    facts = [type(error).__name__]
    if isinstance(error, openai.APIStatusError):
        facts.append(f"status {error.status_code}")
        facts += [f"request {error.request_id}"] if error.request_id else []
    else:
        facts.append(f"host {error.request.url.host}")
        cause = error.__cause__
        facts += [f"{type(cause).__name__}"] if cause is not None else []
    facts += [f"code {error.code}"] if error.code else []
    facts += [f"param {error.param}"] if error.param else []
    words = " ".join(_words(error).split())[:LONGEST_DETAIL]
    if words:
        facts.append("message withheld (it repeats the input)" if _echoes(words, texts) else words)
    return mask("; ".join(facts), key=key)


def _words(error: openai.APIError) -> str:
    body = error.body
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        return str(body["message"])
    return "" if isinstance(error, openai.APIConnectionError) else error.message


def explain(
    error: Exception,
    *,
    model: str,
    key: str,
    key_name: str,
    texts: Sequence[str],
    service: str = "embedding",
) -> Failure:
    """The failure behind an exception of the client. ``key_name`` is the variable people set."""
    if not isinstance(error, openai.APIError):
        return Failure(
            ProviderError(
                f"the {service} service for {model} gave an answer that cannot be read",
                code="service_failed",
                detail=type(error).__name__,
            )
        )
    detail = _detail(error, key=key, texts=texts)
    if isinstance(error, openai.APITimeoutError):
        return Failure(
            ProviderError(
                f"the {service} service for {model} did not answer in time",
                code="timeout",
                retryable=True,
                detail=detail,
            )
        )
    if not isinstance(error, openai.APIStatusError):
        return Failure(
            ProviderError(
                f"the {service} service for {model} cannot be reached; check its address "
                "and the network",
                code="unreachable",
                retryable=True,
                detail=detail,
            )
        )
    return _explain_status(error, model=model, key_name=key_name, detail=detail, service=service)


def _explain_status(
    error: openai.APIStatusError, *, model: str, key_name: str, detail: str, service: str
) -> Failure:
    status = error.status_code
    told = told_to_wait(error.response.headers)
    if error.code in QUOTA_CODES or error.type in QUOTA_CODES:
        message = (
            f"the account's quota for {model} is used up; waiting does not help, "
            "check the plan and billing"
        )
        return Failure(ProviderError(message, code="quota_exhausted", detail=detail))
    if status == 429:
        message = f"the {service} service for {model} is asking us to slow down"
        return Failure(
            ProviderError(message, code="rate_limited", retryable=True, detail=detail), told=told
        )
    if status in (401, 403):
        message = (
            f"the {service} service for {model} refuses the key (status {status}): check {key_name}"
        )
        return Failure(ProviderError(message, code="unauthorised", detail=detail))
    if status == 404:
        message = (
            f"the embedding service knows no model or deployment {model} (status 404): "
            "check its name and the base address"
        )
        return Failure(ProviderError(message, code="refused", detail=detail))
    if status in RETRYABLE or status >= 500:
        message = f"the {service} service for {model} failed (status {status})"
        return Failure(
            ProviderError(message, code="service_failed", retryable=True, detail=detail), told=told
        )
    message = f"the {service} service for {model} refuses the request (status {status})"
    return Failure(
        ProviderError(message, code="refused", detail=detail),
        narrowable=status in NARROWABLE and error.param not in REQUEST_PARAMS,
    )
