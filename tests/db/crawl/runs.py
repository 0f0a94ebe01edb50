"""Runs over web sites as tests make them, and what workers do for them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from tests.corpus import axis, literal
from tests.db.corpus_fixtures import ask, ask_rows

KENT = "E10000016"
HOME = "https://kent.example/"
HOST = "kent.example"


def body(about: str) -> str:
    """A text about something."""
    return f"The council tells every family in writing what it decided about {about}. " * 4


@dataclass(slots=True)
class Run:
    """A run and, when one is claimed, its task."""

    db: psycopg.Connection
    job_id: int
    task_id: int = 0
    token: UUID | None = None

    def claim(self, extractor: str = "1") -> dict[str, Any]:
        """Claim its task and ask what to do."""
        # before those of other runs
        self.db.execute(
            "update queue.task set priority = (subject_id = %s)::int where kind = 'crawl_job'",
            [self.job_id],
        )
        rows = ask_rows(
            self.db,
            "select task_id, lease_token from queue.claim_tasks('kim', kinds => '{crawl_job}')",
        )
        assert len(rows) == 1, "its task is not ready"
        self.task_id, self.token = rows[0]
        with self.db.cursor(row_factory=dict_row) as cursor:
            step = cursor.execute(
                "select * from crawl.next_step(%s, %s, %s, %s)",
                [self.job_id, self.task_id, self.token, extractor],
            ).fetchone()
        assert step is not None
        return step

    def page(self, **named: Any) -> dict[str, Any]:
        """The next step, which is to be a page; robots.txt is read on the way."""
        step = self.claim(**named)
        if step["action"] == "robots":
            self.robots("", host=step["host"])
            step = self.claim(**named)
        assert step["action"] == "page", step
        return step

    def robots(self, text: str | None, *, host: str = HOST, **named: Any) -> None:
        """What robots.txt said."""
        facts = "".join(f", {name} => %({name})s" for name in named)
        assert _one(
            self.db,
            "select crawl.record_robots(%(job)s, %(task)s, %(token)s, %(host)s, 200, %(text)s"
            f"{facts})",
            {
                "job": self.job_id,
                "task": self.task_id,
                "token": self.token,
                "host": host,
                "text": text,
                **named,
            },
        )

    def say(
        self,
        step: Mapping[str, Any],
        text: str,
        *,
        links: Sequence[str] = (),
        title: str = "A page",
        etag: str | None = None,
        last_modified: str | None = None,
        extractor: str = "1",
        canonical: str | None = None,
        wanted: bool = True,
        blocked: bool = False,
        raw: bytes | None = None,
    ) -> str | None:
        """The page says this; its bytes are looked at first, as workers do."""
        data = raw or text.encode()
        outcome: str | None = ask(
            self.db,
            "select crawl.record_bytes(%s, %s, %s, 100, %s, %s, %s, %s)",
            self.task_id,
            self.token,
            step["visit_id"],
            etag,
            last_modified,
            hashlib.sha256(data).digest(),
            extractor,
        )
        if outcome != "read":
            return outcome
        outcome = ask(
            self.db,
            "select crawl.record_page(%s, %s, %s, 100, %s, %s, %s, %s, %s, %s, 'html', '{}', %s,"
            " %s)",
            self.task_id,
            self.token,
            step["visit_id"],
            etag,
            last_modified,
            hashlib.sha256(data).digest(),
            extractor,
            title,
            text,
            canonical,
            Jsonb([{"url": url, "wanted": wanted, "blocked": blocked} for url in links]),
        )
        return outcome  # noqa: RET504 - typed

    def say_nothing(self, step: Mapping[str, Any], why: str | None, *, raw: bytes) -> str | None:
        """The page holds no text that is kept, for this reason."""
        return self.record(
            "page",
            step,
            size=100,
            etag=None,
            last_modified=None,
            body_hash=hashlib.sha256(raw).digest(),
            extractor="1",
            no_text=why,
        )

    def record(self, what: str, step: Mapping[str, Any], **named: Any) -> str | None:
        """One of the other outcomes, e.g. missing."""
        facts = "".join(f", {name} => %({name})s" for name in named)
        outcome: str | None = _one(
            self.db,
            f"select crawl.record_{what}(task_id => %(task)s, lease_token => %(token)s,"
            f" visit_id => %(visit)s{facts})",
            {"task": self.task_id, "token": self.token, "visit": step["visit_id"], **named},
        )
        return outcome

    def report(self) -> dict[str, Any]:
        """How it is."""
        with self.db.cursor(row_factory=dict_row) as cursor:
            row = cursor.execute(
                "select * from crawl.job_report where job_id = %s", [self.job_id]
            ).fetchone()
        assert row is not None
        return row


def site(db: psycopg.Connection, **facts: Any) -> int:
    """Kent's site, without delay."""
    named = {"la_code": KENT, "seeds": [HOME], "delay": timedelta(0), **facts}
    if named.get("school_urn") or named.get("domain"):
        named.pop("la_code")
    placed = ", ".join(f"{name} => %({name})s" for name in named)
    return int(_one(db, f"select crawl.set_site({placed})", named))


def begin(db: psycopg.Connection, **facts: Any) -> Run:
    """A run over it."""
    named = facts or {"la_code": KENT}
    placed = ", ".join(f"{name} => %({name})s" for name in named)
    return Run(db, _one(db, f"select job_id from crawl.start({placed})", named))


def crawl(
    db: psycopg.Connection,
    pages: Mapping[str, str | None],
    *,
    etags: Mapping[str, str] | None = None,
    extractor: str = "1",
    gone: Sequence[str] = (),
    moved: Mapping[str, str] | None = None,
    silent: Mapping[str, str] | None = None,
    title: str = "A page",
) -> Run:
    """Run over Kent's site to the end; every page links to all, None is a 404.

    `silent` are pages without a text that is kept, and why.
    """
    run = begin(db)
    while True:
        step = run.claim(extractor)
        if step["action"] == "robots":
            run.robots("", host=step["host"])
        elif step["action"] == "page":
            text = pages.get(step["url"])
            etag = (etags or {}).get(step["url"])
            if target := (moved or {}).get(step["url"]):
                run.record("moved", step, target=target, is_inside=True)
            elif why := (silent or {}).get(step["url"]):
                run.say_nothing(step, why, raw=why.encode())
            elif step["url"] in gone:
                run.record("missing", step, for_good=True, reason="410")
            elif text is None:
                run.record("missing", step, for_good=False, reason="404")
            elif etag is not None and etag == step["etag"]:
                assert (
                    ask(
                        db,
                        "select crawl.record_bytes(%s, %s, %s, 0, null, null, null, %s)",
                        run.task_id,
                        run.token,
                        step["visit_id"],
                        extractor,
                    )
                    == "unchanged"
                )
            else:
                run.say(
                    step,
                    text,
                    links=list(pages),
                    etag=etag,
                    extractor=extractor,
                    title=title,
                )
        else:
            assert step["action"] == "done", step
            break
        if run.report()["state"] == "stopped":
            break
    publish(db)
    return run


def publish(db: psycopg.Connection) -> None:
    """Embed and publish what waits for it, as a worker does."""
    while rows := ask_rows(
        db,
        "select subject_id, task_id, lease_token"
        " from queue.claim_tasks('kim', kinds => '{publish_version}')",
    ):
        ((version_id, task, token),) = rows
        db.execute(
            "select embedding.store_vectors(array_agg(c.chunk_id), array_agg(%s::text))"
            " from embedding.chunks_to_embed(%s, 1000) as c having count(*) > 0",
            [literal(axis(1)), version_id],
        )
        db.execute("select corpus.publish_version(%s)", [version_id])
        assert ask(db, "select queue.finish_task(%s, %s)", task, token)


def live(db: psycopg.Connection) -> list[str]:
    """The sources that are found."""
    return [
        row[0]
        for row in ask_rows(
            db,
            "select d.source from corpus.version as v join corpus.document as d"
            " using (document_id) where v.state = 'published' order by d.source",
        )
    ]


def _one(db: psycopg.Connection, query: str, values: Mapping[str, Any]) -> Any:
    row = db.execute(query.encode(), values).fetchone()
    assert row is not None
    return row[0]
