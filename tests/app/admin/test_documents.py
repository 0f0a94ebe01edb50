"""Listing, reading and deciding: pages that hold, and every decision under a name."""

import base64
from typing import Any

import pytest

from tests.app.admin.office import BASE, Office, words
from tests.app.library import BARNSLEY, BIRMINGHAM, KENT, OLD_BARNSLEY


async def _ids(office: Office, **query: Any) -> list[int]:
    answer = await office.get(BASE, **query)
    assert answer.status_code == 200, answer.text
    return [document["documentId"] for document in answer.json()["documents"]]


async def test_pages_hold_every_document_once_whatever_comes_in_between(office: Office) -> None:
    ids = office.publish(*(words(f"page {number}", 1) for number in range(7)), la=KENT)
    seen: list[int] = []
    query: dict[str, Any] = {"pageSize": 3, "laCode": KENT}
    while True:
        page = (await office.get(BASE, **query)).json()
        seen += [document["documentId"] for document in page["documents"]]
        if page["nextPage"] is None:
            break
        query["page"] = page["nextPage"]
        office.publish(words(f"newcomer {len(seen)}", 1), la=KENT)
    assert seen == sorted(ids, reverse=True)


async def test_a_page_of_other_filters_or_a_forged_one_is_refused(office: Office) -> None:
    office.publish(*(words(f"page {number}", 1) for number in range(3)), la=KENT)
    page = (await office.get(BASE, pageSize=1, laCode=KENT)).json()["nextPage"]
    assert (await office.get(BASE, pageSize=2, laCode=KENT, page=page)).status_code == 200
    inside = base64.urlsafe_b64decode(page + "=" * (-len(page) % 4)).decode()
    forged = [
        base64.urlsafe_b64encode(text.encode()).decode()
        for text in (
            inside.replace("]", ",1]"),
            inside.rpartition(",")[0] + ',"1 or true"]',
            inside.rpartition(",")[0] + ",1e400]",
            inside.rpartition(",")[0] + f",{2**70}]",
            inside.rpartition(",")[0] + ",null]",
            '{"before":1}',
        )
    ]
    for wrong in (*forged, "", "%00", "x" * 301, "....", page[:-2]):
        answer = await office.get(BASE, laCode=KENT, page=wrong)
        assert answer.status_code == 400, (wrong, answer.text)
    other_filters = await office.get(BASE, laCode=BIRMINGHAM, page=page)
    assert other_filters.status_code == 400
    assert other_filters.json()["errors"][0]["field"] == "page"


async def test_filters_narrow_together_and_another_area_stays_out(office: Office) -> None:
    kent, law = (
        office.publish(words("kent taxi"), la=KENT, facts={"tags": ["transport"]}),
        office.publish(words("the law"), facts={"authority": "statutory"}),
    )
    old = office.publish(words("barnsley"), la=OLD_BARNSLEY)
    assert await _ids(office) == sorted(kent + law + old, reverse=True)
    assert await _ids(office, laCode=KENT) == kent
    assert await _ids(office, laCode=BIRMINGHAM) == []
    # an authority's documents stay its own when its code changes
    assert await _ids(office, laCode=BARNSLEY) == old
    assert await _ids(office, tags=["transport", "exclusion"]) == kent
    assert await _ids(office, tags="transport", laCode=BIRMINGHAM) == []
    assert await _ids(office, q="KENT  taxi") == kent
    assert await _ids(office, minQuality=100) == []
    assert await _ids(office, validationStatus="approved") == []
    (document,) = (await office.get(BASE, laCode=KENT)).json()["documents"]
    assert (document["state"], document["pending"] > 0) == ("published", True)


@pytest.mark.parametrize(
    "query",
    [
        {"validationStatus": "approved' or true --"},
        {"minQuality": "101"},
        {"pageSize": "0"},
        {"pageSize": "201"},
        {"q": "a\x00b"},
        {"tags": "x" * 101},
        {"laCode": "E99999999"},
    ],
)
async def test_a_filter_that_is_none_is_refused(office: Office, query: dict[str, Any]) -> None:
    """A-01: names and states come from a list, values are bound."""
    answer = await office.get(BASE, **query)
    assert answer.status_code in {400, 422}, answer.text


async def test_a_tag_is_never_split_into_letters(office: Office) -> None:
    """A-01: a single tag is a list of one."""
    office.publish(words("taxi"), la=KENT, facts={"tags": ["transport"]})
    assert len(await _ids(office, tags="transport")) == 1
    assert await _ids(office, tags="t") == []
    scalar = await office.send(
        "POST", f"{BASE}/bulk-validate", {"documentIds": 12, "status": "approved"}
    )
    assert scalar.status_code == 400


async def test_passages_come_in_their_order_page_by_page(office: Office) -> None:
    (document,) = office.publish(words("a long one", 12), la=KENT)
    first = (await office.get(f"{BASE}/{document}/chunks", pageSize=2)).json()
    second = (
        await office.get(f"{BASE}/{document}/chunks", pageSize=200, page=first["nextPage"])
    ).json()
    indexes = [chunk["chunkIndex"] for chunk in first["chunks"] + second["chunks"]]
    assert indexes == list(range(len(indexes)))
    assert (len(first["chunks"]), second["nextPage"]) == (2, None)
    assert first["chunks"][0]["status"] == "pending"
    assert (await office.get(f"{BASE}/999999/chunks")).status_code == 404
    assert (await office.get(f"{BASE}/{2**63}/chunks")).status_code == 400
    wrong = await office.get(f"{BASE}/{document}/chunks", page=first["nextPage"], version=1)
    assert wrong.status_code == 400


async def test_a_decision_is_kept_with_who_and_why(office: Office) -> None:
    (document,) = office.publish(words("taxi"), la=KENT)
    answer = await office.send(
        "PATCH",
        f"{BASE}/{document}/validate",
        {"status": "rejected", "reason": "withdrawn by the council"},
    )
    assert (answer.status_code, answer.json()["outcome"]) == (200, "changed")
    history = (await office.get(f"{BASE}/{document}/history")).json()["history"]
    decision = history[-1]
    assert decision["actor"] == office.curator.user.principals[0]
    assert decision["reason"] == "withdrawn by the council"
    # and nothing of it stays on the connection
    (other,) = office.publish(words("bus"), la=KENT)
    await office.send("PATCH", f"{BASE}/{other}/validate", {"status": "approved"}, by=office.admin)
    last = (await office.get(f"{BASE}/{other}/history")).json()["history"][-1]
    assert (last["actor"], last["reason"]) == (office.admin.user.principals[0], None)


async def test_a_decision_that_may_not_be_is_a_conflict_and_an_unknown_document_is_none(
    office: Office,
) -> None:
    (document,) = office.publish(words("taxi"), la=KENT)
    path = f"{BASE}/{document}/validate"
    await office.send("PATCH", path, {"status": "approved"})
    back = await office.send("PATCH", path, {"status": "pending"})
    assert back.status_code == 409, back.text
    unknown = await office.send("PATCH", f"{BASE}/999999/validate", {"status": "approved"})
    assert unknown.status_code == 404
    superseded = await office.send("PATCH", path, {"status": "superseded"})
    assert superseded.status_code == 400
    more = await office.send("PATCH", path, {"status": "approved", "actor": "somebody else"})
    assert more.status_code == 400


async def test_up_to_fifty_are_decided_each_for_itself(office: Office) -> None:
    ids = office.publish(words("one"), words("two"), la=KENT)
    url = f"{BASE}/bulk-validate"
    answer = await office.send(
        "POST", url, {"documentIds": [*ids, 999999], "status": "approved", "reason": "read"}
    )
    assert answer.status_code == 200, answer.text
    outcomes = {o["documentId"]: o["outcome"] for o in answer.json()["outcomes"]}
    assert outcomes == {ids[0]: "changed", ids[1]: "changed", 999999: "unknown"}
    many = await office.send("POST", url, {"documentIds": list(range(1, 52)), "status": "flagged"})
    none = await office.send("POST", url, {"documentIds": [], "status": "flagged"})
    assert (many.status_code, none.status_code) == (400, 400)
    states = office.rows("select distinct status from corpus.chunk_fact")
    assert states == [{"status": "approved"}]


async def test_a_successor_is_named_and_it_is_undone(office: Office) -> None:
    old, new = office.publish(words("the old plan"), words("what came after"), la=KENT)
    named = await office.send(
        "POST", f"{BASE}/{old}/supersede", {"successorId": new, "reason": "see letter"}
    )
    assert named.status_code == 200, named.text
    assert await _ids(office, validationStatus="superseded") == [old]
    itself = await office.send("POST", f"{BASE}/{new}/supersede", {"successorId": new})
    assert itself.status_code == 409
    undone = await office.send("POST", f"{BASE}/{old}/undo-supersession", {})
    assert (undone.status_code, undone.json()["standsAlone"]) == (200, True)
    again = await office.send("POST", f"{BASE}/{old}/undo-supersession", {})
    assert again.status_code == 409
    assert await _ids(office, validationStatus="superseded") == []


async def test_jobs_audit_and_settings_are_for_admins(office: Office) -> None:
    for path in ("jobs", "audit", "settings", "jobs/1"):
        assert (await office.get(f"/api/admin/{path}")).status_code == 403
        answer = await office.get(f"/api/admin/{path}", by=office.admin)
        assert answer.status_code in {200, 404}
