"""Runs that judge what nobody has decided on: asked for, followed, explained."""

from typing import Any

from tests.app.admin.office import BASE, Office, words
from tests.app.library import BIRMINGHAM, KENT

URL = f"{BASE}/auto-validate"


async def _run(office: Office, **body: Any) -> dict[str, Any]:
    answer = await office.send("POST", URL, body)
    assert answer.status_code == 202, answer.text
    office.work()
    status = (await office.get(answer.json()["statusUrl"])).json()
    assert status["run"]["done"] is True
    return dict(status)


async def test_a_run_approves_what_is_sure_flags_what_is_not_and_says_why(office: Office) -> None:
    (sure,) = office.publish(
        words("sure"), la=KENT, facts={"authority": "la", "effective_date": "2025-09-01"}
    )
    (garbled,) = office.publish(
        words("garbled"),
        la=KENT,
        facts={"authority": "la", "metadata": '{"low_quality": true, "warnings": ["no words"]}'},
    )
    report = await _run(office, reason="weekly round")
    verdicts = {verdict["documentId"]: verdict for verdict in report["verdicts"]}
    assert (verdicts[sure]["verdict"], verdicts[garbled]["verdict"]) == ("approve", "flag")
    # the least sure comes first, and its gravest doubt is told first
    assert report["verdicts"][0]["documentId"] == garbled
    assert verdicts[garbled]["parts"][0] == {
        "part": "text",
        "score": 0.3,
        "explanation": "no words",
    }
    assert {part["part"] for part in verdicts[sure]["parts"]} == {
        "quality",
        "text",
        "publisher",
        "place",
        "date",
        "decisions",
    }
    assert office.rows(
        "select distinct c.document_id, f.status from corpus.chunk_fact as f"
        " join corpus.chunk as c using (chunk_id) order by 1"
    ) == [
        {"document_id": sure, "status": "approved"},
        {"document_id": garbled, "status": "flagged"},
    ]
    last = (await office.get(f"{BASE}/{garbled}/history")).json()["history"][-1]
    assert last["actor"] == office.curator.user.principals[0]
    assert last["reason"].startswith("validation run 1: confidence 0.")


async def test_a_dry_run_decides_nothing(office: Office) -> None:
    office.publish(words("one"), la=KENT)
    report = await _run(office, dryRun=True, threshold=0)
    assert (report["run"]["approve"], report["run"]["changed"]) == (1, 0)
    assert office.rows("select distinct status from corpus.chunk_fact") == [{"status": "pending"}]
    assert office.rows("select 1 from audit.event where kind = 'status_changed'") == []


async def test_only_the_documents_of_the_area_are_judged_and_no_decision_is_touched(
    office: Office,
) -> None:
    kent, rejected = office.publish(words("kent"), words("rejected in kent"), la=KENT)
    (birmingham,) = office.publish(words("birmingham"), la=BIRMINGHAM)
    await office.send("PATCH", f"{BASE}/{rejected}/validate", {"status": "rejected"})
    report = await _run(office, laCode=KENT, threshold=0)
    assert [verdict["documentId"] for verdict in report["verdicts"]] == [kent]
    pages = office.rows(
        "select document_id, pending > 0 as pending, rejected > 0 as rejected"
        " from corpus.document_overview where document_id <> %s order by 1",
        kent,
    )
    assert pages == [
        {"document_id": rejected, "pending": False, "rejected": True},
        {"document_id": birmingham, "pending": True, "rejected": False},
    ]


async def test_verdicts_come_in_pages(office: Office) -> None:
    ids = office.publish(*(words(f"number {number}", 1) for number in range(5)), la=KENT)
    await _run(office, dryRun=True)
    seen: list[int] = []
    query: dict[str, Any] = {"pageSize": 2}
    while True:
        page = (await office.get(f"{URL}/status", **query)).json()
        seen += [verdict["documentId"] for verdict in page["verdicts"]]
        if page["nextPage"] is None:
            break
        query["page"] = page["nextPage"]
    assert sorted(seen) == ids
    wrong = await office.get(f"{URL}/status", page=query["page"], verdict="flag")
    assert wrong.status_code == 400


async def test_a_run_that_cannot_be_is_refused(office: Office) -> None:
    assert (await office.get(f"{URL}/status")).status_code == 404
    assert (await office.send("POST", URL, {"threshold": 1.5})).status_code == 400
    # a slip: it would judge the documents of every area
    assert (await office.send("POST", URL, {"laCode": " "})).status_code == 400
    assert (await office.send("POST", URL, {"laCode": "E99999999"})).status_code == 422
    empty = await _run(office)
    assert (empty["run"]["documents"], empty["verdicts"]) == (0, [])
