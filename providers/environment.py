"""What model clients read from the environment; every refusal is one line naming the variable."""

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from providers.protocols import ProviderError

OPENAI_URL = "https://api.openai.com/v1"
AZURE_API_VERSION = "2024-10-21"


def misconfigured(message: str) -> ProviderError:
    """The error of a setting that cannot be used."""
    return ProviderError(message, code="misconfigured")


def value(environ: Mapping[str, str], name: str) -> str:
    """The variable without blanks around it; '' when it is not set."""
    return environ.get(name, "").strip()


def required(environ: Mapping[str, str], name: str, example: str) -> str:
    """The variable, which must be set."""
    found = value(environ, name)
    if not found:
        raise misconfigured(f"{name} is not set: set it to {example}")
    return found


def key_of(environ: Mapping[str, str], name: str) -> str:
    """The key that a variable holds."""
    key = required(environ, name, "the service's key, or use the offline provider 'local'")
    if not key.isascii() or not key.isprintable() or " " in key:
        # the HTTP client would refuse it too, with the key in its message
        raise misconfigured(f"{name} holds a space or a character that no key has: copy it again")
    return key


def number(environ: Mapping[str, str], name: str, usual: float) -> float:
    """The whole number that a variable holds, or the usual one."""
    found = value(environ, name)
    if not found:
        return usual
    if not found.isdecimal() or not 1 <= int(found) <= 10_000_000:
        raise misconfigured(f"{name} must be a whole number from 1 up")
    return int(found)


def is_loopback(url: str) -> bool:
    """Whether the server is on this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def address(url: str, name: str, *, secure: bool) -> str:
    """The checked base address; ``secure`` asks for https unless the server is on this machine."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or port == 0 or parts.scheme not in ("http", "https"):
        raise misconfigured(f"{name} is not an address: it must look like https://host/path")
    if parts.username or parts.password:
        raise misconfigured(f"{name} must not hold a user name or password: set the key instead")
    if secure and parts.scheme != "https" and not is_loopback(url):
        raise misconfigured(f"{name} must start with https://, or the key could be read on the way")
    return url.rstrip("/")
