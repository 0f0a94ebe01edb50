"""From a provider's name and the environment to an embedder, or to one line that helps."""

import subprocess
import sys
from pathlib import Path

import pytest

from providers.embed import embedder_for
from providers.protocols import ProviderError
from tests.providers.fake_openai import FakeServer, fake_openai

ROOT = Path(__file__).resolve().parents[2]
MODEL = "text-embedding-3-large"
AZURE = {
    "AZURE_OPENAI_ENDPOINT": "https://ours.openai.azure.com",
    "AZURE_OPENAI_API_KEY": "azure-key",
    "AZURE_OPENAI_EMBEDDING_DEPLOYMENT": "our-large",
}


def refused(provider: str, environ: dict[str, str]) -> str:
    with pytest.raises(ProviderError) as caught:
        embedder_for(provider, MODEL, 1536, environ)
    assert caught.value.code == "misconfigured"
    assert not caught.value.retryable
    message = str(caught.value)
    assert "\n" not in message
    return message


def asked(provider: str, server: FakeServer, environ: dict[str, str]) -> dict[str, str]:
    """The headers that the provider sends to the server."""
    embedder = embedder_for(provider, MODEL, 1536, environ)
    embedder.embed(["text"])
    embedder.close()
    return server.calls[-1].headers


def test_an_unknown_provider_is_refused_with_the_known_ones() -> None:
    message = refused("openia", {})
    assert "'openia'" in message
    assert "local, openai, azure, compatible" in message


def test_openai_without_a_key_names_the_variable_and_the_way_without_one() -> None:
    message = refused("openai", {"OPENAI_API_KEY": "  "})
    assert "OPENAI_API_KEY is not set" in message
    assert "'local'" in message


@pytest.mark.parametrize("missing", sorted(AZURE))
def test_azure_names_each_missing_variable(missing: str) -> None:
    environ = {name: value for name, value in AZURE.items() if name != missing}
    assert f"{missing} is not set" in refused("azure", environ)


def test_a_compatible_server_needs_an_address() -> None:
    assert "PGKB_EMBED_BASE_URL" in refused("compatible", {"OPENAI_API_KEY": "key"})


@pytest.mark.parametrize("key", ["sk-gö", "two words", "line\nbreak", "tab\tkey"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(key: str) -> None:
    message = refused("openai", {"OPENAI_API_KEY": key})
    assert "OPENAI_API_KEY" in message
    assert key not in message


@pytest.mark.parametrize(
    "url",
    ["ours.example", "ftp://ours.example", "http://", "https://ours.example:99999", "http://[::1"],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    assert "PGKB_EMBED_BASE_URL" in refused("compatible", {"PGKB_EMBED_BASE_URL": url})


def test_an_address_with_a_password_is_refused_unseen() -> None:
    message = refused("compatible", {"PGKB_EMBED_BASE_URL": "https://me:hunter2@ours.example/v1"})
    assert "hunter2" not in message


@pytest.mark.parametrize(
    ("provider", "environ", "name"),
    [
        (
            "openai",
            {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": "http://x.example"},
            "OPENAI_BASE_URL",
        ),
        ("azure", AZURE | {"AZURE_OPENAI_ENDPOINT": "http://x.example"}, "AZURE_OPENAI_ENDPOINT"),
    ],
)
def test_a_paid_key_is_not_sent_in_the_clear(
    provider: str, environ: dict[str, str], name: str
) -> None:
    assert f"{name} must start with https://" in refused(provider, environ)


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5", "99999999999"])
def test_a_limit_that_is_no_sensible_number_is_refused(value: str) -> None:
    message = refused("openai", {"OPENAI_API_KEY": "key", "PGKB_EMBED_MAX_ITEMS": value})
    assert "PGKB_EMBED_MAX_ITEMS must be a whole number" in message


def test_openai_sends_its_key_to_its_address() -> None:
    with fake_openai() as server:
        environ = {"OPENAI_API_KEY": "key-1", "OPENAI_BASE_URL": server.url}
        assert asked("openai", server, environ)["authorization"] == "Bearer key-1"


def test_azure_settings_reach_the_service() -> None:
    with fake_openai() as server:
        own = {"AZURE_OPENAI_ENDPOINT": server.azure_endpoint + "/"}
        version = {"AZURE_OPENAI_API_VERSION": "2025-01-01"}
        assert asked("azure", server, AZURE | own | version)["api-key"] == "azure-key"
    (call,) = server.calls
    assert call.path == "/openai/deployments/our-large/embeddings"
    assert call.query == "api-version=2025-01-01"
    assert call.body["dimensions"] == 1536


def test_a_compatible_server_gets_its_own_key() -> None:
    with fake_openai() as server:
        environ = {
            "PGKB_EMBED_BASE_URL": server.url,
            "PGKB_EMBED_API_KEY": "key-2",
            "OPENAI_API_KEY": "paid",
        }
        assert asked("compatible", server, environ)["authorization"] == "Bearer key-2"
        assert "dimensions" not in server.calls[0].body
        asked("compatible", server, environ | {"PGKB_EMBED_SEND_DIMENSIONS": "1"})
        assert server.calls[1].body["dimensions"] == 1536


def test_openais_key_never_goes_to_an_address_that_was_not_given_with_it() -> None:
    with fake_openai() as server:
        headers = asked(
            "compatible", server, {"PGKB_EMBED_BASE_URL": server.url, "OPENAI_API_KEY": "paid"}
        )
        assert "paid" not in headers["authorization"]
        headers = asked(
            "compatible", server, {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "paid"}
        )
        assert headers["authorization"] == "Bearer paid"


def test_the_item_limit_can_be_set() -> None:
    with fake_openai(max_items=16) as server:
        environ = {
            "OPENAI_API_KEY": "key",
            "OPENAI_BASE_URL": server.url,
            "PGKB_EMBED_MAX_ITEMS": "16",
        }
        embedder_for("openai", MODEL, 64, environ).embed([f"text {n}" for n in range(40)])
    assert [len(call.texts) for call in server.calls] == [16, 16, 8]


def test_a_server_on_this_machine_is_reached_past_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with fake_openai() as server:
        asked("compatible", server, {"PGKB_EMBED_BASE_URL": server.url})


def test_a_redirect_is_not_followed_with_the_key() -> None:
    with fake_openai(fail_calls=frozenset({1}), fail_status=307) as server:
        environ = {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": server.url}
        with pytest.raises(ProviderError, match="status 307"):
            embedder_for("openai", MODEL, 64, environ).embed(["text"])
    assert len(server.calls) == 1


def test_the_room_imports_no_driver_and_no_client_it_does_not_use() -> None:
    code = (
        "import sys, providers.embed, providers.extractive, providers.background;"
        "print([m for m in ('openai', 'onnxruntime') if m in sys.modules]);"
        "import providers.local, providers.openai_embed, providers.endpoint;"
        "print([m for m in ('psycopg', 'asyncpg', 'app', 'ingest', 'db', 'cli')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n[]\n"
