"""The app as curators use it: a database with places, a spool, a worker when one is let in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import psycopg
from litestar import Litestar
from psycopg.rows import dict_row

from app.access.user import Role
from ingest import worker
from ingest.settings import Settings
from providers.protocols import Embedder
from tests.app.people import Visitor, sign_in

BASE = "/api/admin/knowledge-base"


def brisk(spool: Path) -> Settings:
    """The settings of a worker of a test."""
    return Settings(upload_dir=spool, poll_seconds=0.1)


def words(about: str, paragraphs: int = 3) -> str:
    """A text about something, a chunk or so per two paragraphs."""
    return "\n\n".join(
        f"Paragraph {number} about {about}. The council tells every family in writing what it "
        f"decided about {about} and why, and whom to call. Families who disagree with paragraph "
        f"{number} write to the service within four weeks and say what they want changed."
        for number in range(1, paragraphs + 1)
    )


@dataclass(frozen=True, slots=True)
class Office:
    """The running app, somebody of each role, and what lies behind."""

    app: Litestar
    client: httpx.AsyncClient
    url: str
    spool: Path
    embedder: Embedder
    curator: Visitor
    admin: Visitor

    def visitor(self, role: Role) -> Visitor:
        """Somebody else."""
        return sign_in(self.app, role)

    async def get(self, path: str, *, by: Visitor | None = None, **query: Any) -> httpx.Response:
        """Ask, as a curator unless somebody else is named."""
        return await self.client.get(
            path, headers=(by or self.curator).headers, params=query or None
        )

    async def send(
        self, method: str, path: str, body: Any, *, by: Visitor | None = None
    ) -> httpx.Response:
        """Send JSON, as a curator unless somebody else is named."""
        return await self.client.request(
            method, path, headers=(by or self.curator).headers, json=body
        )

    async def upload(
        self,
        data: bytes,
        name: str = "policy.txt",
        *,
        to: str = "upload",
        kind: str = "application/octet-stream",
        **fields: Any,
    ) -> httpx.Response:
        """Hand a file in."""
        return await self.client.post(
            f"{BASE}/{to}",
            headers=self.curator.headers,
            files={"file": (name, data, kind)},
            data=fields,
            timeout=30,
        )

    def work(self) -> int:
        """A worker does all that is ready."""
        return worker.run(self.url, embedder=self.embedder, once=True, settings=brisk(self.spool))

    def hurry(self) -> None:
        """Let the app wait for no worker."""
        self.app.state.settings = replace(self.app.state.settings, upload_wait=0)

    def spooled(self) -> list[str]:
        """The files that lie in the spool."""
        return sorted(path.name for path in self.spool.iterdir()) if self.spool.is_dir() else []

    def rows(self, question: str, *values: object) -> list[dict[str, Any]]:
        """What the database says, as superuser."""
        with psycopg.connect(self.url, row_factory=dict_row) as db:
            return db.execute(question.encode(), values).fetchall()

    def publish(
        self,
        *texts: str,
        la: str | None = None,
        source: str = "",
        facts: Mapping[str, object] | None = None,
    ) -> list[int]:
        """Documents of these texts, published; their ids."""
        ids = []
        with psycopg.connect(self.url, autocommit=True) as db:
            for text in texts:
                staged = db.execute(
                    "select document_id, version_id from corpus.stage_document("
                    "source => %s, title => %s, body => %s, file_type => 'txt', la_code => %s,"
                    " authority => %s, effective_date => %s, metadata => %s::jsonb, tags => %s)",
                    [
                        source or f"{text[:40]}.txt",
                        text[:60],
                        text,
                        la,
                        (facts or {}).get("authority"),
                        (facts or {}).get("effective_date"),
                        (facts or {}).get("metadata", "{}"),
                        (facts or {}).get("tags", []),
                    ],
                ).fetchone()
                assert staged is not None
                ids.append(int(staged[0]))
        self.work()
        return ids


def states(status: Mapping[str, Any]) -> dict[str, str]:
    """Name to state, of the files of an upload."""
    files: Sequence[Mapping[str, str]] = status["files"]
    return {file["name"]: file["state"] for file in files}
