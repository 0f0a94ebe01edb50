"""Settings of the embedded server: what the machine's size says and what every server shares."""

import re

import pytest

from db.embedded import settings
from db.embedded.account import server_account
from db.server import ServerError, home
from tests.callers import House

GB = 1024**3
SIZES = [GB // 2, 2 * GB, 24 * GB, 512 * GB]


def megabytes(value: str) -> int:
    return int(value.removesuffix("MB"))


@pytest.mark.parametrize("memory", SIZES)
def test_memory_settings_leave_most_of_the_machine_to_others(memory: int) -> None:
    sized = settings.sized_settings(memory=memory, processors=2, shared_memory=memory // 2)
    assert megabytes(sized["shared_buffers"]) <= max(64, memory // settings.MB * 15 // 100)
    assert megabytes(sized["shared_buffers"]) <= 4096
    assert megabytes(sized["maintenance_work_mem"]) <= max(64, memory // settings.MB // 10)
    assert megabytes(sized["work_mem"]) <= 64
    assert megabytes(sized["autovacuum_work_mem"]) <= megabytes(sized["maintenance_work_mem"])


def test_a_larger_machine_never_gets_less() -> None:
    rows = [
        settings.sized_settings(memory=memory, processors=8, shared_memory=memory)
        for memory in SIZES
    ]
    for name in ("shared_buffers", "effective_cache_size", "maintenance_work_mem", "work_mem"):
        values = [megabytes(row[name]) for row in rows]
        assert values == sorted(values)


@pytest.mark.parametrize(("processors", "workers"), [(1, "1"), (2, "2"), (64, "4")])
def test_index_builds_use_the_processors_there_are(processors: int, workers: str) -> None:
    sized = settings.sized_settings(memory=GB, processors=processors, shared_memory=GB)
    assert sized["max_parallel_maintenance_workers"] == workers


def test_a_container_with_little_shared_memory_builds_indexes_without_it() -> None:
    small = settings.sized_settings(memory=24 * GB, processors=2, shared_memory=64 * settings.MB)
    large = settings.sized_settings(memory=24 * GB, processors=2, shared_memory=12 * GB)
    assert small["dynamic_shared_memory_type"] == "sysv"
    assert "dynamic_shared_memory_type" not in large


def test_this_machine_is_read_within_reason() -> None:
    assert 128 * settings.MB < settings.memory_bytes() < 2**50
    assert settings.cores() >= 1
    assert settings.shared_memory_bytes() >= 0


def test_only_path_language_and_embedding_variables_reach_the_server() -> None:
    ours = {
        "PATH": "/bin",
        "HOME": "/root",
        "PGKB_DATABASE_URL": "postgresql://u:p@h/d",
        "PGKB_EMBED_API_KEY": "k",
        "PGKB_HOME": "/x",
        "OPENAI_API_KEY": "o",
        "LD_PRELOAD": "/x.so",
    }
    assert settings.server_environ(ours) == {
        "PATH": "/bin",
        "LANG": "C.UTF-8",
        "PGKB_EMBED_API_KEY": "k",
        "OPENAI_API_KEY": "o",
    }


def test_the_running_server_has_every_setting_we_wrote(running_house: House) -> None:
    written = re.findall(
        r"^(\w+) = '?([^'\n]*)'?$",
        (running_house.home / "postgresql.conf").read_text(),
        re.MULTILINE,
    )
    assert len(written) > 20
    with running_house.connect() as db:
        for name, value in written:
            row = db.execute("select current_setting(%s)", (name,)).fetchone()
            same = (
                db.execute(
                    "select pg_size_bytes(%s) = pg_size_bytes(current_setting(%s))", (value, name)
                )
                if value.endswith("MB")
                else None
            )
            assert row is not None
            assert row[0] == value or (same is not None and same.fetchone() == (True,)), name


def test_a_setting_changed_by_a_person_survives_the_next_start(house: House) -> None:
    house.ask("server.start()")
    with house.connect() as db:
        db.execute("alter system set work_mem = '7MB'")
    house.ask("server.stop()")
    house.ask("server.start()")
    with house.connect() as db:
        assert db.execute("show work_mem").fetchone() == ("7MB",)


def test_the_log_is_kept_for_a_week(running_house: House) -> None:
    files = [path.name for path in (running_house.home / "log").glob("server-*.log")]
    assert len(files) == 1
    assert re.fullmatch(r"server-(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\.log", files[0])
    assert running_house.ask("server.status()")["log"] == str(running_house.home / "log" / files[0])


def test_two_index_builders_share_memory_without_dev_shm(house: House) -> None:
    house.ask("server.start()")
    with house.connect() as db:
        db.execute("alter system set dynamic_shared_memory_type = 'sysv'")
    house.ask("server.stop()")
    house.ask("server.start()")
    with house.connect() as db:
        assert db.execute("show dynamic_shared_memory_type").fetchone() == ("sysv",)
        db.execute("create extension vector")
        db.execute("set min_parallel_table_scan_size = 0; set maintenance_work_mem = '256MB'")
        db.execute(
            "create table point as select array[random(), random(), random()]::vector(3) as place"
            " from generate_series(1, 20000)"
        )
        db.execute("alter table point set (parallel_workers = 2)")
        db.execute("create index on point using hnsw (place vector_cosine_ops)")


def test_without_useradd_the_server_runs_as_nobody_and_says_so(
    empty_root_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    account = server_account(empty_root_house.home / "data", system_user="no-such-user-yet")
    assert account.name == "nobody"
    assert account.notice is not None
    assert "useradd is not installed" in account.notice
    assert "create a system user no-such-user-yet" in account.notice


def test_the_default_home_is_the_systems_for_root_and_ones_own_else(
    empty_root_house: House, empty_house: House
) -> None:
    assert empty_root_house.ask("str(server.home())", PGKB_HOME="") == "/var/lib/pgkb"
    assert empty_house.ask("str(server.home())", PGKB_HOME="").endswith("/.pgkb")


def test_a_home_of_a_user_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGKB_HOME", "~no-such-user/kb")
    with pytest.raises(ServerError, match="set PGKB_HOME to a directory you may write to"):
        home()
