"""A bad setting is refused early, in one line that names it."""

import pytest

from ingest.errors import IngestError
from ingest.settings import Settings, settings_from


def test_an_empty_environment_gives_the_usual_settings() -> None:
    assert settings_from({}) == Settings()
    assert settings_from({}).limits.max_bytes == 50 * 1024 * 1024


def test_each_setting_is_read() -> None:
    settings = settings_from(
        {
            "PGKB_MAX_FILE_MB": "7",
            "PGKB_PARSE_MEMORY_MB": "512",
            "PGKB_PARSE_CPU_SECONDS": "9",
            "PGKB_PARSE_SECONDS": " 11 ",
            "PGKB_EMBED_BATCH": "3",
            "PGKB_LEASE_SECONDS": "60",
            "PGKB_POLL_SECONDS": "2",
        }
    )
    assert settings.limits.max_bytes == 7 * 1024 * 1024
    assert settings.limits.memory_bytes == 512 * 1024 * 1024
    assert (settings.limits.cpu_seconds, settings.limits.wall_seconds) == (9, 11)
    assert (settings.embed_batch, settings.lease_seconds, settings.poll_seconds) == (3, 60, 2)


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5", "99999999999", "٣"])
def test_a_value_that_makes_no_sense_is_refused(value: str) -> None:
    with pytest.raises(IngestError, match="PGKB_EMBED_BATCH") as caught:
        settings_from({"PGKB_EMBED_BATCH": value})
    assert "\n" not in str(caught.value)
