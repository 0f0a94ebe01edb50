"""docker-compose.yml and its Dockerfile, read as text: most machines have no Docker to run them."""

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from db.embedded import settings
from tests.callers import House

REPOSITORY = Path(__file__).resolve().parent.parent
DOCKERFILE = REPOSITORY / "db" / "Dockerfile"


@pytest.fixture(scope="module")
def service() -> Any:
    """The one service of the compose file."""
    yaml = importlib.import_module("yaml")
    services = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text())["services"]
    assert list(services) == ["postgres"]
    return services["postgres"]


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions, continued lines joined."""
    text = re.sub(r"\\\n", " ", DOCKERFILE.read_text())
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line[:1].isalpha()]
    return [(name, " ".join(rest.split())) for name, rest in lines]


def test_the_port_is_published_on_loopback_only(service: Any) -> None:
    assert service["ports"] == ["127.0.0.1:${PGKB_PORT:-5432}:5432"]
    assert "network_mode" not in service


def test_the_image_is_built_from_our_dockerfile(service: Any) -> None:
    assert (REPOSITORY / service["build"] / "Dockerfile").resolve() == DOCKERFILE


def test_the_image_has_vector_and_plpython_of_its_own_major_version() -> None:
    [base] = [rest for name, rest in instructions() if name == "FROM"]
    found = re.fullmatch(r"postgres:(\d+)-bookworm", base)
    assert found is not None
    [run] = [rest for name, rest in instructions() if name == "RUN"]
    installed = run.partition("apt-get install")[2].partition("&&")[0].split()
    assert f"postgresql-{found[1]}-pgvector" in installed
    assert f"postgresql-plpython3-{found[1]}" in installed


def test_the_image_has_the_embedded_servers_major_version(empty_house: House) -> None:
    empty_house.ask("server.bin_dir()")
    version = empty_house.ask("server.status()")["version"]
    assert ("FROM", f"postgres:{version.partition('.')[0]}-bookworm") in instructions()


def test_the_container_runs_with_the_embedded_servers_settings(service: Any) -> None:
    [copied] = [rest.split() for name, rest in instructions() if name == "COPY"]
    source = DOCKERFILE.parent / copied[0]
    assert source.resolve() == settings.BASE.resolve()
    assert f"config_file={copied[1]}" in service["command"]
    ignored = (DOCKERFILE.parent / ".dockerignore").read_text().splitlines()
    assert ignored == ["*", f"!{copied[0]}"]


def test_the_password_is_a_secret_and_has_no_default(service: Any) -> None:
    text = (REPOSITORY / "docker-compose.yml").read_text()
    assert service["environment"]["POSTGRES_PASSWORD_FILE"].startswith("/run/secrets/")
    assert "POSTGRES_PASSWORD" not in service["environment"]
    assert "PGKB_PASSWORD:-" not in text


def test_the_data_outlives_the_container(service: Any) -> None:
    # the image of version 18 keeps its data one directory below this one
    assert service["volumes"] == ["data:/var/lib/postgresql"]


def test_text_behaves_as_in_the_embedded_server(service: Any) -> None:
    options = service["environment"]["POSTGRES_INITDB_ARGS"].split()
    for option in ("--builtin-locale=C.UTF-8", "--locale-provider=builtin", "--data-checksums"):
        assert option in options


def test_index_builds_have_the_shared_memory_they_may_use(service: Any) -> None:
    [given] = [line for line in service["command"] if line.startswith("maintenance_work_mem")]
    assert given.endswith(":-512MB}")
    assert service["shm_size"] == "1gb"
