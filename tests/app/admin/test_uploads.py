"""Files handed in over HTTP: what becomes of each, and what none may do."""

import asyncio
import os
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from app.access.user import Role
from ingest.connect import connect
from ingest.uploads.spool import tidy_spool
from tests.app.admin.office import BASE, Office, states, words
from tests.app.library import BIRMINGHAM, KENT
from tests.ingest.archive.packing import packed


async def test_an_upload_is_read_and_answered_with_its_document(staffed: Office) -> None:
    answer = await staffed.upload(
        words("transport").encode(),
        "School transport_policy.txt",
        laCode=KENT,
        localAuthority="Kent County Council",
        sendTags=["transport", "exclusion"],
        title="Getting to school",
        authority="la",
        effectiveDate="2025-09-01",
    )
    assert answer.status_code == 201, answer.text
    body = answer.json()
    assert body["title"] == "Getting to school"
    while (await staffed.get(body["statusUrl"])).json()["done"] is False:
        await asyncio.sleep(0.05)
    assert staffed.rows(
        "select la_code, tags, authority, effective_date::text, source, scope, state"
        " from corpus.document_overview where document_id = %s",
        body["documentId"],
    ) == [
        {
            "la_code": KENT,
            "tags": ["exclusion", "transport"],
            "authority": "la",
            "effective_date": "2025-09-01",
            "source": "School transport_policy.txt",
            "scope": "la",
            "state": "published",
        }
    ]
    assert staffed.spooled() == []
    assert staffed.rows(
        "select kind from audit.event where actor = %s and kind not like 'sign%%'",
        staffed.curator.user.principals[0],
    ) == [{"kind": "upload_received"}]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("pypdf__crazyones.pdf", "pdf"),
        ("mammothjs__tables.docx", "docx"),
        ("trafilatura__nationnews.com-schools.html", "html"),
        ("unstructured__fake-text.txt", "txt"),
    ],
)
async def test_a_real_document_of_each_kind_is_known_by_its_bytes(
    staffed: Office, shared_data: Path, name: str, kind: str
) -> None:
    data = (shared_data / "documents" / name).read_bytes()
    # the name says nothing and the type says something else
    answer = await staffed.upload(data, f"{kind}.bin", kind="text/csv")
    assert answer.status_code == 201, answer.text
    assert staffed.rows(
        "select file_type from corpus.version where document_id = %s", answer.json()["documentId"]
    ) == [{"file_type": kind}]


async def test_a_program_that_is_named_like_a_document_is_refused_by_its_bytes(
    staffed: Office,
) -> None:
    """A-04."""
    answer = await staffed.upload(
        b"MZ" + bytes(400), "policy.pdf", kind="application/pdf", laCode=KENT
    )
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert "a Windows program, not a document" in answer.json()["title"]
    assert staffed.spooled() == []


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../x.txt", "x.txt"),
        ("C:\\Users\\kim\\plan.txt", "plan.txt"),
        ("/etc/passwd", "passwd"),
        ("two\u202e\u200blines.txt", "twolines.txt"),
        ("<script>.txt", "<script>.txt"),
        ("x" * 300 + ".txt", "x" * 195 + "….txt"),
    ],
)
async def test_a_file_name_is_no_path_and_fit_to_be_shown(
    office: Office, given: str, kept: str
) -> None:
    """A-04: the name never reaches the disk, and what is kept of it is one short line."""
    answer = await office.upload(words("names").encode(), given, to="upload-zip")
    assert answer.status_code == 202, answer.text
    assert office.rows("select file_name from intake.upload") == [{"file_name": kept}]
    (spooled,) = office.spooled()
    assert len(spooled) == 32
    assert (office.spool / spooled).stat().st_mode & 0o777 == 0o600
    status = await office.get(answer.json()["statusUrl"])
    assert status.json()["fileName"] == kept


async def test_the_same_text_is_refused_with_the_document_that_has_it(staffed: Office) -> None:
    data = words("appeals").encode()
    first = await staffed.upload(data, "one.txt", laCode=KENT)
    same = await staffed.upload(data, "one.txt", laCode=KENT)
    other_name = await staffed.upload(data, "two.txt", laCode=KENT)
    other_bytes = await staffed.upload(b"\xef\xbb\xbf" + data, "three.txt", laCode=KENT)
    other_area = await staffed.upload(data, "one.txt", laCode=BIRMINGHAM)
    assert first.status_code == 201, first.text
    for again in (same, other_name, other_bytes):
        assert again.status_code == 409, again.text
        assert again.headers["content-type"] == "application/problem+json"
        assert again.json()["documentId"] == first.json()["documentId"]
    assert other_area.status_code == 201
    assert staffed.spooled() == []


async def test_facts_that_are_given_again_correct_the_document(staffed: Office) -> None:
    data = words("reviews").encode()
    first = (await staffed.upload(data, laCode=KENT)).json()
    while (await staffed.get(first["statusUrl"])).json()["done"] is False:
        await asyncio.sleep(0.05)
    second = await staffed.upload(data, laCode=KENT, title="Reviews", effectiveDate="2026-01-01")
    assert (second.status_code, second.json()["state"]) == (200, "updated")
    assert second.json()["documentId"] == first["documentId"]
    assert staffed.rows(
        "select title, effective_date::text from corpus.version where document_id = %s",
        first["documentId"],
    ) == [{"title": "Reviews", "effective_date": "2026-01-01"}]


async def test_twenty_uploads_of_the_same_bytes_at_once_make_one_document(staffed: Office) -> None:
    data = words("twenty of a kind").encode()
    answers = await asyncio.gather(*(staffed.upload(data, laCode=KENT) for _ in range(20)))
    codes = [answer.status_code for answer in answers]
    assert sorted(codes) == [201] + [409] * 19
    assert len({answer.json()["documentId"] for answer in answers}) == 1
    assert staffed.rows(
        "select count(*)::int as n from intake.upload where sha256 = sha256(%s)", data
    ) == [{"n": 1}]
    assert staffed.spooled() == []


async def test_without_a_worker_in_time_the_answer_says_where_to_look(office: Office) -> None:
    office.hurry()
    answer = await office.upload(words("advice").encode(), laCode=KENT)
    assert answer.status_code == 202
    waiting = await office.get(answer.json()["statusUrl"])
    assert (waiting.json()["state"], waiting.json()["done"]) == ("waiting", False)
    office.work()
    done = (await office.get(answer.headers["location"])).json()
    assert (done["state"], done["done"]) == ("read", True)
    assert states(done) == {"policy.txt": "stored"}


@pytest.mark.parametrize(
    ("fields", "status", "told"),
    [
        ({"sendTags": "trans,port"}, 422, "trans,port"),
        ({"laCode": "E99999999"}, 422, "E99999999"),
        ({"localAuthority": "Atlantis"}, 422, "Atlantis"),
        ({"laCode": KENT, "localAuthority": "Birmingham"}, 422, "two authorities"),
        ({"laCode": KENT, "schoolUrn": "990001"}, 422, "990001"),
        ({"authority": "rumour"}, 422, "rumour"),
        ({"effectiveDate": "next week"}, 400, "effectiveDate"),
        ({"title": ["one", "two"]}, 400, "title"),
        ({"title": "a\x00b"}, 400, "title"),
        ({"title": "x" * 17_000}, 400, "title"),
        ({"owner": "me"}, 400, "owner"),
    ],
)
async def test_what_is_said_of_a_file_is_checked_and_nothing_is_left(
    office: Office, fields: dict[str, Any], status: int, told: str
) -> None:
    answer = await office.upload(words("options").encode(), **fields)
    assert answer.status_code == status, answer.text
    assert told in answer.text
    assert office.spooled() == []
    assert office.rows("select 1 from intake.upload") == []


async def test_a_body_that_is_no_form_with_one_file_is_refused(office: Office) -> None:
    headers = office.curator.headers
    url = f"{BASE}/upload"
    form = {"Content-Type": "multipart/form-data; boundary=x"}
    not_a_form = await office.client.post(url, headers=headers, json={"file": "x"})
    no_file = await office.client.post(
        url,
        headers=headers | form,
        content=b'--x\r\nContent-Disposition: form-data; name="title"\r\n\r\nhello\r\n--x--\r\n',
    )
    torn = await office.client.post(
        url,
        headers=headers | form,
        content=b"--x\r\nContent-Disposition: form-data; "
        b'name="file"; filename="a.txt"\r\n\r\nhalf of it',
    )
    two = await office.client.post(
        url, headers=headers, files=[("file", ("a.txt", b"a")), ("file", ("b.txt", b"b"))]
    )
    empty = await office.upload(b"")
    nameless = await office.upload(b"text", "..")
    assert not_a_form.status_code == 415
    assert [no_file.status_code, torn.status_code, two.status_code] == [400, 400, 400]
    assert [empty.status_code, nameless.status_code] == [422, 422]
    assert office.spooled() == []


@pytest.mark.parametrize("role", [None, Role.PARENT, Role.PROFESSIONAL])
async def test_nobody_but_curators_gets_a_byte_into_the_spool(
    office: Office, role: Role | None
) -> None:
    """A-05: who asks is settled before the body is read."""
    headers = {} if role is None else office.visitor(role).headers
    read: list[int] = []

    async def body() -> object:
        for _ in range(300):
            read.append(1)
            yield b"x" * 1024 * 1024

    for path in ("upload", "upload-zip"):
        answer = await office.client.post(
            f"{BASE}/{path}",
            headers=headers | {"Content-Type": "multipart/form-data; boundary=x"},
            content=body(),  # type: ignore[arg-type]
        )
        assert answer.status_code == (401 if role is None else 403)
    assert office.spooled() == []
    assert not office.spool.exists()


async def test_an_archive_gives_an_outcome_for_each_file_and_folders_become_tags(
    office: Office,
) -> None:
    data = packed(
        {
            "Transport/taxi.txt": words("taxis"),
            "Transport/taxi copy.txt": words("taxis"),
            "logo.png": b"\x89PNG\r\n\x1a\n" + bytes(50),
            "../out.txt": "text that leads out",
            "__MACOSX/._taxi.txt": "side file",
        }
    )
    answer = await office.upload(data, "pack.zip", to="upload-zip", laCode=KENT)
    assert answer.status_code == 202
    office.work()
    status = (await office.get(answer.json()["statusUrl"])).json()
    assert (status["state"], status["done"]) == ("read", True)
    assert states(status) == {
        "pack.zip/Transport/taxi.txt": "stored",
        "pack.zip/Transport/taxi copy.txt": "duplicate",
        "pack.zip/logo.png": "refused",
        "pack.zip/../out.txt": "refused",
    }
    assert office.rows("select source, tags from corpus.document_overview") == [
        {"source": "pack.zip/Transport/taxi.txt", "tags": ["transport"]}
    ]
    assert office.spooled() == []


async def test_a_file_that_is_no_archive_is_refused_as_one_and_the_reverse(
    staffed: Office,
) -> None:
    text = await staffed.upload(words("x").encode(), "x.zip", to="upload-zip")
    archive = await staffed.upload(packed({"a.txt": words("a")}), "a.zip")
    while not (status := (await staffed.get(text.json()["statusUrl"])).json())["done"]:
        await asyncio.sleep(0.05)
    assert (status["state"], status["files"]) == ("refused", [])
    assert "no ZIP archive" in status["reason"]
    assert (archive.status_code, "ZIP archive" in archive.json()["title"]) == (422, True)
    titled = await staffed.upload(packed({"a.txt": "a"}), "a.zip", to="upload-zip", title="One")
    assert titled.status_code == 422


async def test_a_spool_that_is_not_there_is_told_without_a_path(office: Office) -> None:
    """A-09: the worker looks elsewhere, and the status says so in words for people."""
    office.hurry()
    answer = await office.upload(words("lost").encode())
    for name in office.spooled():
        (office.spool / name).unlink()
    office.work()
    status = (await office.get(answer.json()["statusUrl"])).json()
    assert status["state"] == "retrying"
    assert "PGKB_UPLOAD_DIR" in status["reason"]
    assert str(office.spool) not in str(status)


async def test_what_is_left_in_the_spool_goes_and_what_waits_stays(office: Office) -> None:
    office.hurry()
    await office.upload(words("waits").encode())
    (waiting,) = office.spooled()
    old = time.time() - 7200
    leftovers = ["0" * 32, "1" * 32]
    for name in (*leftovers, "notes.txt"):
        (office.spool / name).write_bytes(b"x")
    for name in (waiting, leftovers[0], "notes.txt"):
        os.utime(office.spool / name, (old, old))
    with connect(office.url) as db:
        assert tidy_spool(db, office.spool) == 1
    # a file of ours that is new, one that waits, one that is not ours
    assert office.spooled() == sorted([waiting, leftovers[1], "notes.txt"])


async def test_addresses_are_taken_and_each_has_an_outcome(office: Office) -> None:
    answer = await office.send(
        "POST",
        f"{BASE}/ingest-urls",
        {"urls": ["https://kent.example/a", "ftp://kent.example/b"], "localAuthority": "kent"},
    )
    assert answer.status_code == 202, answer.text
    status = (await office.get(answer.json()["statusUrl"])).json()
    assert [(page["url"], page["state"]) for page in status["urls"]] == [
        ("https://kent.example/a", "waiting"),
        ("ftp://kent.example/b", "refused"),
    ]
    curator = office.curator.user.principals[0]
    assert office.rows("select la_code, handed_in_by from intake.batch") == [
        {"la_code": KENT, "handed_in_by": curator}
    ]
    assert office.rows("select actor from audit.event where kind = 'batch_received'") == [
        {"actor": curator}
    ]
    scalar = await office.send("POST", f"{BASE}/ingest-urls", {"urls": "https://kent.example/a"})
    assert scalar.status_code == 400
    unknown = await office.get(f"{BASE}/ingest-status", batchId=str(UUID(int=0)))
    assert unknown.status_code == 404
