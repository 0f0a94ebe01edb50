"""The embedded server's life: start, stop, crash, and what it is when it runs."""

import os
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.callers import House, answer_of, new_house, root_caller

# what the server's functions need to reach an embedding endpoint
PASSED = {"OPENAI_API_KEY": "key-1", "PGKB_EMBED_API_KEY": "key-2"}


@pytest.fixture(scope="module", params=["root", "plain"])
def running(request: pytest.FixtureRequest) -> Iterator[House]:
    """A server that runs, for tests that only look at it: root's, then a normal user's."""
    as_root = request.param == "root"
    caller = root_caller() if as_root else request.getfixturevalue("plain_user")
    with new_house(caller) as house:
        house.ask("server.start()", **PASSED, PGKB_DATABASE_URL="elsewhere", SECRET="x")
        yield house


def test_the_first_start_makes_a_server_that_answers(each_empty_house: House) -> None:
    started = each_empty_house.ask("server.start()")
    assert started["running"]
    assert started["home"] == str(each_empty_house.home)
    assert started["version"].split(".")[0] == "18"
    with each_empty_house.connect() as db:
        row = db.execute("select 1").fetchone()
    assert row == (1,)


def test_the_server_never_runs_as_root(empty_root_house: House) -> None:
    started = empty_root_house.ask("server.start()")
    assert psutil.Process(started["pid"]).username() == "pgkb"
    assert empty_root_house.home.joinpath("data").owner() == "pgkb"


def test_a_normal_user_runs_the_server_as_themselves(house: House) -> None:
    started = house.ask("server.start()")
    assert psutil.Process(started["pid"]).username() == house.caller.name


def test_starting_twice_and_stopping_twice_change_nothing_more(each_house: House) -> None:
    assert each_house.ask("server.stop()")["running"] is False
    first = each_house.ask("server.start()")
    assert each_house.ask("server.start()") == first
    assert each_house.ask("server.status()") == first
    stopped = each_house.ask("server.stop()")
    assert stopped["running"] is False
    assert stopped["port"] == first["port"]
    assert each_house.ask("server.stop()") == stopped
    assert each_house.ask("server.status()") == stopped


def test_four_processes_that_start_it_at_once_get_one_server(each_empty_house: House) -> None:
    starters = [each_empty_house.popen("server.start()") for _ in range(4)]
    answers = [answer_of(starter) for starter in starters]
    assert len({answer["pid"] for answer in answers}) == 1
    assert len(_servers_of(each_empty_house)) == 1


def test_two_processes_that_ensure_a_database_at_once_both_get_it(house: House) -> None:
    house.ask("server.start()")
    starters = [house.popen("server.ensure()") for _ in range(2)]
    assert {answer_of(starter) for starter in starters} == {house.ask("server.url()")}


def test_the_port_stays_the_same_from_start_to_start(house: House) -> None:
    first = house.ask("server.start()")
    house.ask("server.stop()")
    assert house.ask("server.start()")["port"] == first["port"]


def test_a_server_that_was_killed_comes_back_with_its_data(each_house: House) -> None:
    killed = each_house.ask("server.start()")
    with each_house.connect() as db:
        db.execute("create table kept as select 7 as number")
    os.kill(killed["pid"], signal.SIGKILL)
    assert (each_house.home / "data" / "postmaster.pid").exists()
    assert each_house.ask("server.start()")["pid"] != killed["pid"]
    with each_house.connect() as db:
        assert db.execute("select number from kept").fetchone() == (7,)


def test_a_server_that_recovers_is_waited_for_by_start_and_stop(house: House) -> None:
    started = house.ask("server.start()")
    for expression, running in (("server.start()", True), ("server.stop()", False)):
        with house.connect() as db:
            os.kill(db.info.backend_pid, signal.SIGKILL)
        assert house.ask(expression)["running"] is running
        if running:
            with house.connect() as db:
                assert db.execute("select 1").fetchone() == (1,)
    assert not psutil.pid_exists(started["pid"]) or _is_zombie(started["pid"])


def test_a_stranger_with_the_dead_servers_process_number_is_left_alone(house: House) -> None:
    house.ask("server.start()")
    pid_file = house.home / "data" / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    house.ask("server.stop()")
    with house.caller.popen("import time; time.sleep(60)") as stranger:
        pid_file.write_text("\n".join([str(stranger.pid), *lines[1:]]) + "\n")
        assert house.ask("server.stop()")["running"] is False
        started = house.ask("server.start()")
        assert started["running"]
        assert started["pid"] != stranger.pid
        assert stranger.poll() is None
        stranger.kill()


def test_a_first_start_that_was_killed_halfway_is_done_again(empty_house: House) -> None:
    starter = empty_house.popen("server.start()")
    deadline = time.monotonic() + 60
    while not list(empty_house.home.glob(".initdb-*/base")):
        assert time.monotonic() < deadline
        assert starter.poll() is None
        time.sleep(0.005)
    os.killpg(starter.pid, signal.SIGKILL)
    starter.communicate()
    assert not (empty_house.home / "data").exists()
    assert empty_house.ask("server.start()")["running"]
    assert not list(empty_house.home.glob(".initdb-*"))


def test_an_unpacking_that_was_killed_halfway_is_done_again(empty_house: House) -> None:
    starter = empty_house.popen("server.start()")
    deadline = time.monotonic() + 60
    while not list(empty_house.home.glob(".unpack-*/.pg0")):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    os.killpg(starter.pid, signal.SIGKILL)
    starter.communicate()
    assert empty_house.ask("server.start()")["running"]
    assert not list(empty_house.home.glob(".unpack-*"))


def test_nothing_but_loopback_is_listened_on(running: House) -> None:
    port = running.ask("server.status()")["port"]
    pids = {process.pid for process in _servers_of(running)}
    listening = [
        connection.laddr
        for connection in psutil.net_connections("inet")
        if connection.pid in pids and connection.status == psutil.CONN_LISTEN
    ]
    assert [tuple(address) for address in listening] == [("127.0.0.1", port)]
    sockets = [c for c in psutil.net_connections("unix") if c.pid in pids and c.laddr]
    assert sockets == []


def test_nobody_gets_in_without_the_password(running: House) -> None:
    port = running.ask("server.status()")["port"]
    for password in ("", "postgres"):
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(host="127.0.0.1", port=port, user="postgres", password=password)


def test_the_password_is_for_the_caller_alone_and_in_no_argument(running: House) -> None:
    file = running.home / "password"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.owner() == running.caller.name
    password = file.read_text().strip()
    assert len(password) >= 24
    arguments, environ = running.ask("server.psql_command(server.url())")
    assert environ["PGPASSWORD"] == password
    assert password not in " ".join(arguments)
    assert password not in str(running.ask("server.status()"))
    others = [path for path in running.home.glob("*") if path.is_file() and path != file]
    assert not [path for path in others if password in path.read_text()]
    seen = [" ".join(process.cmdline()) for process in _servers_of(running)]
    assert not [line for line in seen if password in line]


def test_psql_opens_on_the_url(running: House) -> None:
    running.ask("server.ensure()")
    arguments, environ = running.ask("server.psql_command(server.url(), '-Atc', 'select 6 * 7')")
    said = subprocess.run(arguments, env=environ, capture_output=True, text=True, check=True)
    assert said.stdout == "42\n"


def test_text_functions_know_letters_beyond_ascii(running: House) -> None:
    with running.connect() as db:
        answer = db.execute(
            r"select lower('ÉŁ'), 'é' ~ '^\w$', 'É' ~* 'é', to_tsvector('simple', 'ÉCOLE')::text,"
            " pg_encoding_to_char(encoding), datcollate from pg_database where datname = 'postgres'"
        ).fetchone()
    assert answer == ("éł", True, True, "'école':1", "UTF8", "C")


def test_plpython_runs_in_the_server_and_sees_only_the_embedding_variables(running: House) -> None:
    state = running.ask("server.status()")
    if not state["plpython"] and "CI" not in os.environ:
        pytest.skip(state["notices"][-1])
    with running.connect() as db:
        db.execute("create extension if not exists plpython3u")
        db.execute(
            "create function pg_temp.seen() returns text[] language plpython3u as"
            " $$ import os, urllib.request; return [f'{k}={v}' for k, v in os.environ.items()] $$"
        )
        row = db.execute("select pg_temp.seen()").fetchone()
    assert row is not None
    seen = dict(pair.split("=", 1) for pair in row[0])
    assert {name: seen.get(name) for name in PASSED} == PASSED
    assert not {"PGKB_DATABASE_URL", "PGKB_HOME", "SECRET", "HOME"} & set(seen)


def test_vector_and_the_contrib_modules_are_in_it(running: House) -> None:
    with running.connect() as db:
        for name in ("vector", "pageinspect", "pgstattuple", "pg_trgm", "unaccent"):
            db.execute(f"create extension if not exists {name}")
        row = db.execute("select extversion from pg_extension where extname = 'vector'").fetchone()
    assert row == ("0.8.5",)


def test_the_programs_are_there_before_any_start(empty_house: House) -> None:
    programs = Path(empty_house.ask("server.bin_dir()"))
    assert {"psql", "pg_dump", "postgres"} <= {program.name for program in programs.iterdir()}
    assert empty_house.ask("server.status()")["running"] is False


def test_data_is_durable_unless_a_test_says_otherwise(house: House) -> None:
    house.ask("server.start()")
    with house.connect() as db:
        assert _shown(db, "fsync", "full_page_writes", "synchronous_commit") == ["on", "on", "on"]
        assert _shown(db, "data_checksums") == ["on"]
    house.ask("server.stop()")
    house.ask("server.start(durable=False)")
    with house.connect() as db:
        assert _shown(db, "fsync", "full_page_writes") == ["off", "off"]


@pytest.mark.parametrize("name", ["it's a 'home' with blanks & ü", "deep/" * 25])
def test_the_path_of_a_home_may_be_odd_or_too_long_for_a_socket(
    empty_house: House, name: str
) -> None:
    odd = House(caller=empty_house.caller, home=empty_house.home / name.strip("/"))
    try:
        assert odd.ask("server.start()")["running"]
        with odd.connect() as db:
            assert db.execute("select 1").fetchone() == (1,)
    finally:
        odd.ask("server.stop()")
    shutil.rmtree(empty_house.home)


def test_what_an_earlier_release_unpacked_is_removed(house: House) -> None:
    house.ask("server.start()")
    house.ask("server.stop()")
    old = house.home / "postgresql-pg0-0.1.0"
    old.mkdir()
    house.ask("server.start()")
    assert not old.exists()


def test_programs_that_were_damaged_are_unpacked_again(house: House) -> None:
    program = Path(house.ask("server.bin_dir()")) / "postgres"
    program.unlink()
    assert house.ask("server.start()")["running"]
    assert program.exists()


def _servers_of(house: House) -> list[psutil.Process]:
    """Every process that runs the programs of this home; children are named differently."""
    programs = f"{house.home}/postgresql-pg0-"
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            found += [process] if "".join(process.cmdline()[:1]).startswith(programs) else []
    return found


def _is_zombie(pid: int) -> bool:
    """Dead, but not yet collected: some containers have no init process that does."""
    return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)


def _shown(db: psycopg.Connection, *names: str) -> list[str]:
    rows = [db.execute(f"show {name}").fetchone() for name in names]
    return [row[0] for row in rows if row is not None]
