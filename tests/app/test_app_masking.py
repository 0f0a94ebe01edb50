"""No credential and no question leaves through a log."""

import pytest

from app.masking import mask_private, mask_secrets

# assembled, so that nothing that looks like a key stands in the file
KEY = "sk-" + "abcdefgh12345678"


@pytest.mark.parametrize(
    "text",
    [
        "cannot reach postgresql://pgkb:hunter2@127.0.0.1:5432/pgkb",
        f"the provider said: Incorrect API key provided: {KEY}",
        "Authorization: Bearer hunter2hunter2",
        "connection refused (password=hunter2 host=db)",
        'payload {"api_key": "hunter2"}',
        "AZURE_OPENAI_API_KEY=hunter2",
    ],
)
def test_credentials_are_masked(text: str) -> None:
    masked = mask_secrets(text)
    assert "hunter2" not in masked
    assert KEY not in masked
    assert "***" in masked


def test_ordinary_words_are_left_alone() -> None:
    text = "index search.text_index is invalid; reindex index concurrently search.text_index"
    assert mask_secrets(text) == text


def test_a_question_is_masked_whole_and_in_quoted_pieces() -> None:
    question = "my son Tommy was kicked out"
    said = f'syntax error in tsquery: "{question}" near "Tommy was"'
    masked = mask_private(said, [question])
    assert "Tommy" not in masked
    assert "syntax error in tsquery" in masked


def test_quoted_names_that_are_not_part_of_the_question_stay() -> None:
    said = 'relation "search.record" does not exist'
    assert mask_private(said, ["why was my son excluded?"]) == said
