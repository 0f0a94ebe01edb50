"""Jobs, the audit log, settings and analytics, and what none of them may tell."""

import json
from typing import Any

import psycopg
import pytest

from app.admin.words import for_people
from tests.app.admin.office import BASE, Office, words
from tests.app.library import KENT


async def _admin(office: Office, path: str, **query: Any) -> dict[str, Any]:
    answer = await office.get(f"/api/admin/{path}", by=office.admin, **query)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def test_a_job_is_seen_called_off_and_brought_back_under_a_name(office: Office) -> None:
    office.hurry()
    await office.upload(words("taxi").encode(), laCode=KENT)
    (job,) = (await _admin(office, "jobs", kind="read_upload", state="ready"))["jobs"]
    path = f"/api/admin/jobs/{job['taskId']}"
    off = await office.send("POST", f"{path}/cancel", None, by=office.admin)
    assert (off.status_code, off.json()["state"]) == (200, "cancelled")
    assert (await _admin(office, "jobs", state=["ready", "running"]))["jobs"] == []
    back = await office.send("POST", f"{path}/retry", None, by=office.admin)
    assert (back.status_code, back.json()["state"]) == (200, "ready")
    for way in ("cancel", "retry"):
        gone = await office.send("POST", f"/api/admin/jobs/999999/{way}", None, by=office.admin)
        assert gone.status_code == 404
    events = (await _admin(office, "audit", subject=f"task {job['taskId']}"))["events"]
    assert [event["kind"] for event in events] == ["task_retried", "task_cancelled"]
    assert {event["actor"] for event in events} == set(office.admin.user.principals)


async def test_the_audit_log_comes_in_pages_newest_first(office: Office) -> None:
    ids = office.publish(*(words(f"number {number}", 1) for number in range(3)), la=KENT)
    for document in ids:
        await office.send("PATCH", f"{BASE}/{document}/validate", {"status": "approved"})
    actor = office.curator.user.principals[0]
    asked = {"actor": actor, "kind": "status_changed", "pageSize": 2}
    first = await _admin(office, "audit", **asked)
    second = await _admin(office, "audit", **asked, page=first["nextPage"])
    numbers = [event["eventId"] for event in first["events"] + second["events"]]
    assert (len(numbers), numbers) == (3, sorted(numbers, reverse=True))
    assert second["nextPage"] is None


@pytest.mark.parametrize(
    ("raw", "hidden"),
    [
        (
            'connection to server at "10.1.2.3", port 5432 failed: password=hunter22',
            ["10.1.2.3", "5432", "hunter22"],
        ),
        ("Incorrect API key provided: sk-proj-abcdefgh12345678", ["abcdefgh"]),
        (
            "[Errno 2] No such file or directory: '/var/lib/pgkb/uploads/0f3a'",
            ["/var/lib", "0f3a"],
        ),
        ("postgresql://pgkb:geheim@db.internal:5432/pgkb is down", ["geheim"]),
    ],
)
async def test_a_raw_error_on_a_job_is_told_without_keys_hosts_and_paths(
    office: Office, raw: str, hidden: list[str]
) -> None:
    """A-09."""
    office.hurry()
    await office.upload(words("taxi").encode(), laCode=KENT)
    with psycopg.connect(office.url) as db:
        db.execute("update queue.task set last_error = %s, attempts = 1", [raw])
    (job,) = (await _admin(office, "jobs"))["jobs"]
    (key,) = office.rows("select upload_key from intake.upload")
    status = (await office.get(f"{BASE}/uploads/{key['upload_key']}")).text
    for piece in hidden:
        assert piece not in job["lastError"]
        assert piece not in status


def test_words_for_people_stay_as_they_are() -> None:
    for line in (
        "the file has 60.0 MB, more than the 50 MB allowed: split it into smaller files",
        "a PNG image, not a document: run OCR on it and ingest the resulting PDF or text",
        "no address that can be fetched: give http:// or https://, a host, no password",
        'tag "and/or" is not known. Give one of: transport, exclusion',
    ):
        assert for_people(line) == line
    assert for_people(None) is None


async def test_settings_are_shown_and_none_is_a_secret(office: Office) -> None:
    report = await _admin(office, "settings")
    names = {setting["name"] for setting in report["settings"]}
    assert {"kb.top_k", "kb.rrf_k"} <= names
    top_k = next(s for s in report["settings"] if s["name"] == "kb.top_k")
    assert (top_k["value"], top_k["source"]) == ("10", "default")


async def test_analytics_show_numbers_and_fingerprints_and_no_question(office: Office) -> None:
    with psycopg.connect(office.url) as db:
        db.execute(
            "insert into search.record (la_code, topics, result_count, vector_only_count,"
            " keyword_only_count, hybrid_count, la_count, national_count, topic_fallback_used,"
            " no_la_broad_fallback_used, school_boosted, mode, candidate_count, attempts,"
            " total_ms, question_hash, question)"
            " values (%s, '{transport}', 0, 0, 0, 0, 0, 0, true, false, false, 'hybrid', 0, 1,"
            " 12.5, decode('c0ffee', 'hex'), 'who pays for a taxi')",
            [KENT],
        )
        db.execute(
            "insert into audit.event (kind, subject, detail)"
            ' values (\'la_coverage_miss\', %s, \'{"topics": ["transport"], "results": 0}\')',
            [KENT],
        )
    found = {
        name: (await office.get(f"/api/admin/analytics/{name}")).json()
        for name in ("searches", "fallbacks", "coverage", "slowest", "unanswered", "indexes")
    }
    assert "taxi" not in json.dumps(found)
    assert found["searches"]["searches"][0]["searches"] == 1
    assert found["fallbacks"]["fallbacks"][0]["withoutTopics"] == 1
    (miss,) = found["coverage"]["coverage"]
    assert (miss["laName"], miss["topic"], miss["misses"]) == ("Kent", "transport", 1)
    assert found["slowest"]["slowest"][0]["totalMs"] == 12.5
    assert found["unanswered"]["unanswered"][0]["fingerprint"] == "c0ffee"
    assert all(index["advice"] for index in found["indexes"]["indexes"])
