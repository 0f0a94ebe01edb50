"""Runs over web sites: asked for, seen, rested, gone on with and ended, under a name."""

from typing import Any

import psycopg
import pytest

from app.access.user import Role
from tests.app.admin.office import Office
from tests.app.library import KENT

PATH = "/api/admin/crawler"


@pytest.fixture
def sited(office: Office) -> Office:
    """Kent's local offer is a site that nothing reaches: no worker runs."""
    with psycopg.connect(office.url) as db:
        db.execute(
            "select crawl.set_site(la_code => %s, name => 'Kent local offer',"
            " seeds => '{https://offer.kent.example/}')",
            [KENT],
        )
    return office


async def _post(office: Office, path: str, body: Any = None) -> Any:
    answer = await office.send("POST", f"{PATH}/{path}", body)
    return answer.status_code, answer.json()


async def test_a_site_that_is_being_visited_gets_no_second_run(sited: Office) -> None:
    status, first = await _post(sited, f"la/{KENT}/trigger")
    assert status == 202
    (run,) = first["runs"]
    assert (run["site"], run["isNew"]) == ("Kent local offer", True)
    _, second = await _post(sited, f"la/{KENT}/trigger")
    assert second["runs"] == [run | {"isNew": False}]
    seen = (await sited.get(f"{PATH}/jobs/{run['jobId']}")).json()
    assert (seen["run"]["state"], seen["pages"]) == ("pending", [])
    assert seen["run"]["requestedBy"] == sited.curator.user.principals[0]


async def test_everything_means_national_domains_and_home_pages_too(sited: Office) -> None:
    status, all_of_them = await _post(sited, "trigger-all")
    assert status == 202
    assert "Kent local offer" in {run["site"] for run in all_of_them["runs"]}
    listed = (await sited.get(f"{PATH}/sites", pageSize=200)).json()["sites"]
    assert {site["siteId"] for site in listed} == {run["siteId"] for run in all_of_them["runs"]}


async def test_a_run_is_rested_gone_on_with_and_ended(sited: Office) -> None:
    _, started = await _post(sited, f"la/{KENT}/trigger")
    job = f"jobs/{started['runs'][0]['jobId']}"
    for way, body, state in (
        ("pause", None, "paused"), ("resume", {}, "pending"), ("cancel", None, "cancelled"),
    ):  # fmt: skip
        status, found = await _post(sited, f"{job}/{way}", body)
        assert (status, found["run"]["state"]) == (200, state)
    status, refused = await _post(sited, f"{job}/cancel")
    assert (status, refused["code"]) == (409, "WC004")


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("la/E99999999/trigger", 422, "PL001"),
        ("la/%00/trigger", 400, None),
        ("school/123456/trigger", 422, "PL002"),
        ("domain/nowhere.example/trigger", 422, "WC002"),
        ("jobs/999999/pause", 404, "WC001"),
        ("jobs/999999/cancel", 404, "WC001"),
    ],
)
async def test_what_is_not_known_is_refused_by_name(
    sited: Office, path: str, status: int, code: str | None
) -> None:
    got, problem = await _post(sited, path)
    assert got == status
    assert code is None or problem["code"] == code


async def test_a_run_of_no_number_is_not_found(sited: Office) -> None:
    assert (await sited.get(f"{PATH}/jobs/999999")).status_code == 404


async def test_sites_come_in_pages_in_the_order_in_which_they_were_added(sited: Office) -> None:
    with psycopg.connect(sited.url) as db:
        db.execute(
            "select crawl.set_site(domain => 'gov.uk', seeds => '{https://www.gov.uk/send}')"
        )
    first = (await sited.get(f"{PATH}/sites", pageSize=1)).json()
    assert [site["name"] for site in first["sites"]] == ["Kent local offer"]
    second = (await sited.get(f"{PATH}/sites", pageSize=1, page=first["nextPage"])).json()
    assert [site["domain"] for site in second["sites"]] == ["gov.uk"]


async def test_parents_start_no_visits(sited: Office) -> None:
    parent = sited.visitor(Role.PARENT)
    answer = await sited.send("POST", f"{PATH}/trigger-all", None, by=parent)
    assert answer.status_code == 403
    assert sited.rows("select from crawl.job") == []
