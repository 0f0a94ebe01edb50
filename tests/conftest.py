"""One server for the test session, the product deployed once into a template, a clone per test.

`make test` runs two sessions beside each other, each with a server of its own; the tests of a
file stay together, because they share what is dear to make.

`PGKB_TEST_DATABASE_URL` (a superuser's URL) runs the suite against any other server; the tests of
the embedded server start their own all the same. Fixtures for tests:

- `db`: a psycopg connection, as superuser, to a fresh clone of the deployed product
- `db_url`: the URL of that clone, for code that connects by itself
- `blank_url`: the URL of a fresh database with nothing deployed
- `server_url`: the server's own `postgres` database
- `own_home`: PGKB_HOME of the session, set for every test
- `shared_data`: the folder of shared data sets, where there is one
- `house`: a home of the embedded server, of a normal user, that was started before; `each_house`
  is root's and then a normal user's; `empty_house`, `each_empty_house` were never started;
  `stopped_house` and `running_house` are shared by the tests of a module, which only look

`tests/plans.py` shows what the planner chose, `tests/roles.py` acts as another role.
"""

import os
import secrets
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import hypothesis
import psycopg
import pytest
from psycopg import conninfo, sql
from pytest_postgresql import factories
from pytest_postgresql.executors import NoopExecutor

from db.server import Server
from tests.callers import Caller, House, new_house, plain_caller, root_caller
from tests.session_server import session_home

REPOSITORY = Path(__file__).resolve().parent.parent

# what an example takes says more about what else the machine does than about the code
hypothesis.settings.register_profile("pgkb", deadline=None)
hypothesis.settings.load_profile("pgkb")


class _Server(NoopExecutor):
    """The server as pytest-postgresql wants it told."""

    @property
    def template_dbname(self) -> str:
        return "template1"


@pytest.fixture(scope="session", autouse=True)
def own_home() -> Iterator[Path]:
    """PGKB_HOME for the session; see `session_home`."""
    with session_home() as home:
        yield home


@pytest.fixture(scope="session")
def server_url(own_home: Path) -> str:
    """The superuser's URL of database postgres on the session's server."""
    if named := os.environ.get("PGKB_TEST_DATABASE_URL"):
        return named
    server = Server(own_home)
    server.start(durable=False)
    return server.url(database="postgres")


@pytest.fixture(scope="session")
def server_executor(server_url: str) -> _Server:
    """What `depends_on` reads host, port and password from: they are unknown before the start."""
    target = conninfo.conninfo_to_dict(server_url)
    return _Server(
        host=str(target.get("host", "127.0.0.1")),
        port=str(target.get("port", 5432)),
        user=str(target.get("user", "postgres")),
        password=None if "password" not in target else str(target["password"]),
        dbname="pgkb",
        options="",
        maintenance_dbname=str(target.get("dbname", "postgres")),
    )


def deploy_product(
    *, host: str, port: int, user: str, password: str | None, dbname: str, autocommit: bool
) -> None:
    """Deploy everything in db/ into the template. pytest-postgresql chose the arguments."""
    from db.deploy import deploy

    where = conninfo.make_conninfo(
        host=host, port=port, user=user, password=password, dbname=dbname
    )
    deploy(where, notice=print)


# named after this process, so that two sessions can share one server
template = factories.postgresql_noproc(
    depends_on="server_executor", dbname=f"pgkb_{os.getpid()}", load=[deploy_product]
)
db = factories.postgresql("template")


@pytest.fixture
def db_url(db: psycopg.Connection, server_url: str) -> str:
    """The URL of the test's own database, password included."""
    return _url_of(server_url, db.info.dbname)


@pytest.fixture
def blank_url(server_url: str) -> Iterator[str]:
    """The URL of a fresh database with nothing in it, dropped after the test."""
    name = f"blank_{secrets.token_hex(4)}"
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(sql.SQL("create database {} template template0").format(sql.Identifier(name)))
    yield _url_of(server_url, name)
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


def _url_of(server_url: str, database: str) -> str:
    """The same server and user, another database; a URL stays one, as asyncpg reads no DSN."""
    return urlsplit(server_url)._replace(path=f"/{database}").geturl()


@pytest.fixture(scope="session")
def plain_user() -> Iterator[Caller]:
    """A normal user of this machine."""
    with tempfile.TemporaryDirectory(prefix="pgkb-library-") as library:
        yield plain_caller(Path(library))


@pytest.fixture(scope="session")
def furnish() -> Iterator[Callable[[House], House]]:
    """Fill a home as one start and stop would have, but by copying: it takes a tenth."""
    with ExitStack() as stack:
        models: dict[str, House] = {}

        def fill(house: House) -> House:
            if house.caller.name not in models:
                model = stack.enter_context(new_house(house.caller))
                model.ask("server.start()")
                model.ask("server.stop()")
                models[house.caller.name] = model
            models[house.caller.name].copy_to(house)
            return house

        yield fill


@pytest.fixture
def empty_root_house() -> Iterator[House]:
    """The home root's server gets; skips when the tests do not run as root."""
    with new_house(root_caller()) as house:
        yield house


@pytest.fixture
def empty_house(plain_user: Caller) -> Iterator[House]:
    """The home a normal user's server gets."""
    with new_house(plain_user) as house:
        yield house


@pytest.fixture
def house(empty_house: House, furnish: Callable[[House], House]) -> House:
    """A normal user's home whose server ran before."""
    return furnish(empty_house)


@pytest.fixture(scope="module")
def stopped_house(plain_user: Caller, furnish: Callable[[House], House]) -> Iterator[House]:
    """A normal user's home whose server ran before; a module's tests share it and leave it so."""
    with new_house(plain_user) as house:
        yield furnish(house)


@pytest.fixture(scope="module")
def running_house(plain_user: Caller, furnish: Callable[[House], House]) -> Iterator[House]:
    """A normal user's server that runs; a module's tests share it and leave it running."""
    with new_house(plain_user) as house:
        furnish(house).ask("server.start()")
        yield house


@pytest.fixture(params=["root", "plain"])
def each_empty_house(request: pytest.FixtureRequest) -> House:
    """The test runs twice: as root and as a normal user."""
    name = "empty_root_house" if request.param == "root" else "empty_house"
    found: House = request.getfixturevalue(name)
    return found


@pytest.fixture
def each_house(each_empty_house: House, furnish: Callable[[House], House]) -> House:
    """The test runs twice, in a home whose server ran before: root's and a normal user's."""
    return furnish(each_empty_house)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of shared data sets: PGKB_SHARED_DATA, else beside the repository."""
    named = os.environ.get("PGKB_SHARED_DATA")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no shared data in {folder}; set PGKB_SHARED_DATA to the folder that has it")
    return folder


def pytest_configure() -> None:
    """A job started in the background of a script ignores Ctrl-C, and so would what tests start."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With PGKB_NO_SKIP=1, as CI sets it, a skipped test is a failure, not a silence."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("PGKB_NO_SKIP") != "1" or reporter is None:
        return
    skipped = reporter.stats.get("skipped", [])
    if skipped and session.exitstatus == pytest.ExitCode.OK:
        reporter.write_line(f"PGKB_NO_SKIP=1: {len(skipped)} tests were skipped", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
