"""What the environment may say, and what is said about what it may not."""

import pytest

from app.settings import SettingsError, from_environ, usable_url

URL = "postgresql://someone:hunter2@db.example:5432/pgkb"


def test_variables_become_settings_of_the_database_session() -> None:
    settings = from_environ(
        {
            "PGKB_DATABASE_URL": URL,
            "RAG_RRF_K": "30",
            "RAG_RELEVANCE_THRESHOLD": "0.4",
            "RAG_TOP_K": " 7 ",
            "CHUNK_EXPANSION_ENABLED": "False",
            "RAG_MAX_RETRIES": "2",
        }
    )
    assert settings.database_settings == {
        "kb.rrf_k": "30",
        "kb.relevance_threshold": "0.4",
        "kb.top_k": "7",
        "kb.chunk_expansion_enabled": "false",
    }
    assert settings.max_retries == 2


def test_an_unset_or_empty_variable_leaves_the_database_its_default() -> None:
    assert from_environ({"PGKB_DATABASE_URL": URL, "RAG_TOP_K": ""}).database_settings == {}


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("RAG_RRF_K", "sixty"),
        ("RAG_TOP_K", "3.5"),
        ("RAG_TOP_K", "ten"),
        ("CHUNK_EXPANSION_ENABLED", "maybe"),
        ("RAG_MAX_RETRIES", "-1"),
        ("PGKB_POOL_SIZE", "0"),
        ("PGKB_POOLER", "session"),
        ("PGKB_SHUTDOWN_SECONDS", "soon"),
        ("PGKB_CORS_ORIGINS", "*"),
        ("PGKB_CORS_ORIGINS", "example.org"),
        ("PGKB_CORS_ORIGINS", "https://example.org/page"),
        ("PGKB_CORS_ORIGINS", "https://user@example.org"),
        ("PGKB_ANONYMOUS", "perhaps"),
        ("PGKB_TRUSTED_PROXIES", "10.0.0.0/8, proxy.example"),
    ],
)
def test_a_value_of_the_wrong_kind_is_one_line_naming_variable_and_value(
    variable: str, value: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        from_environ({"PGKB_DATABASE_URL": URL, variable: value})
    line = str(caught.value)
    assert variable in line
    assert value in line
    assert "\n" not in line


def test_asking_without_an_account_is_closed_until_it_is_switched_on() -> None:
    assert not from_environ({"PGKB_DATABASE_URL": URL}).anonymous
    assert not from_environ({"PGKB_DATABASE_URL": URL, "PGKB_ANONYMOUS": "off"}).anonymous
    assert from_environ({"PGKB_DATABASE_URL": URL, "PGKB_ANONYMOUS": "On"}).anonymous


def test_keys_of_tokens_are_listed_with_commas_and_never_shown() -> None:
    settings = from_environ({"PGKB_DATABASE_URL": URL, "PGKB_TOKEN_KEY": "key-one , key-two"})
    assert settings.token_keys == ("key-one", "key-two")
    assert "key-one" not in repr(settings)


def test_a_missing_database_url_says_what_to_set() -> None:
    with pytest.raises(SettingsError, match="PGKB_DATABASE_URL is not set"):
        from_environ({})


@pytest.mark.parametrize("url", ["mysql://u:hunter2@h/d", "hunter2", "postgresql://h:port/d"])
def test_a_url_of_another_kind_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        usable_url(url)
    assert "hunter2" not in str(caught.value)
    assert "postgresql://user:password@host:port/database" in str(caught.value)


def test_parameters_only_libpq_knows_are_left_out_of_the_url() -> None:
    kept = usable_url(URL + "?connect_timeout=3&sslmode=disable&keepalives=1")
    assert kept == URL + "?sslmode=disable"


def test_settings_never_print_the_url() -> None:
    assert "hunter2" not in repr(from_environ({"PGKB_DATABASE_URL": URL}))


def test_a_token_that_can_be_guessed_is_refused_and_not_repeated() -> None:
    with pytest.raises(SettingsError, match="PGKB_METRICS_TOKEN") as caught:
        from_environ({"PGKB_DATABASE_URL": URL, "PGKB_METRICS_TOKEN": "hunter2"})
    assert "hunter2" not in str(caught.value)


def test_lists_have_commas_between_and_settings_print_no_token() -> None:
    settings = from_environ(
        {
            "PGKB_DATABASE_URL": URL,
            "PGKB_CORS_ORIGINS": "https://a.example, http://localhost:5173",
            "PGKB_METRICS_TOKEN": "hunter2-hunter2-hunter2",
        }
    )
    assert settings.cors_origins == ("https://a.example", "http://localhost:5173")
    assert "hunter2" not in repr(settings)
