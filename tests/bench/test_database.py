"""The bench's own database: what it drops, what it never touches."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import conninfo, sql

from bench.database import BenchError, bench_bed

NAME = "pgkb_bench_test"


@pytest.fixture
def admin(
    server_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    monkeypatch.setenv("PGKB_DATABASE_URL", server_url)
    with psycopg.connect(server_url, autocommit=True) as db:
        yield db
        db.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(NAME)))


def exists(admin: psycopg.Connection[tuple[object, ...]]) -> bool:
    return admin.execute("select from pg_database where datname = %s", [NAME]).rowcount == 1


def test_a_run_drops_its_database_though_a_session_was_left_in_it(
    admin: psycopg.Connection[tuple[object, ...]],
) -> None:
    with bench_bed(keep=False, say=print, name=NAME) as bed:
        left = psycopg.connect(bed.url)
        assert bed.restart is None
    assert not exists(admin)
    with pytest.raises(psycopg.OperationalError):
        left.execute("select 1")
    left.close()


def test_a_database_the_bench_did_not_make_is_never_dropped(
    admin: psycopg.Connection[tuple[object, ...]],
) -> None:
    admin.execute(sql.SQL("create database {}").format(sql.Identifier(NAME)))
    with (
        pytest.raises(BenchError, match="was not made by the bench"),
        bench_bed(keep=False, say=print, name=NAME),
    ):
        pass
    assert exists(admin)


def test_another_run_in_progress_is_not_disturbed(
    admin: psycopg.Connection[tuple[object, ...]], server_url: str
) -> None:
    with bench_bed(keep=True, say=print, name=NAME):
        pass
    with psycopg.connect(conninfo.make_conninfo(server_url, dbname=NAME)) as other:
        with (
            pytest.raises(BenchError, match="is in use"),
            bench_bed(keep=False, say=print, name=NAME),
        ):
            pass
        assert other.execute("select 1").fetchone() == (1,)
