"""Files, archives and addresses that curators hand in, and what became of them."""

import asyncio
import time
from datetime import date
from typing import Annotated, Any, TypeAlias
from uuid import UUID

import asyncpg
import msgspec
from litestar import Controller, Response, get, post
from litestar.exceptions import ValidationException
from litestar.openapi.spec import (
    OpenAPIFormat,
    OpenAPIMediaType,
    OpenAPIType,
    Operation,
    RequestBody,
    Schema,
)
from litestar.params import JSONBody, PathParameter, QueryParameter
from msgspec import Meta

from app.access.guards import curators
from app.admin import calls
from app.admin.acting import acting
from app.admin.fields import ADMIN_PROBLEMS, Code, Name, Tag
from app.admin.receiving import Form, receive_form
from app.admin.spool import SpooledFile, spooled_file
from app.admin.words import for_people
from app.documenting import answer
from app.errors import PROBLEM_JSON, AnyRequest, Problem, RefusedError, Trouble, request_id_of

BASE = "/api/admin/knowledge-base"
# between two looks at an upload that a worker is reading
_LOOK_AGAIN = 0.25
_TEXTS = ("laCode", "localAuthority", "schoolUrn", "title", "authority", "documentType")
_DATE = "effectiveDate"
_TAGS = "sendTags"
_MOST_TAGS = 50
_LONGEST_TEXT = 300


UploadId: TypeAlias = Annotated[UUID, PathParameter(description="The key of the upload.")]

BatchId: TypeAlias = Annotated[
    UUID, QueryParameter(name="batchId", description="The key of the batch.")
]


class Accepted(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """It is kept and will be read; `statusUrl` tells what becomes of it."""

    upload_id: UUID
    status_url: str
    state: str


class Stored(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The document it became. `state` is publishing until it is searchable, then stored; updated
    when the text was there and facts were corrected.
    """

    upload_id: UUID
    document_id: int
    title: str | None
    state: str
    status_url: str


class Duplicate(Problem, frozen=True, kw_only=True, omit_defaults=True):
    """The text is there already, as document `documentId`."""

    document_id: int | None = msgspec.field(name="documentId", default=None)
    existing: str | None = None


class IngestUrls(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, rename="camel"):
    """Addresses, and what is said about the documents behind all of them."""

    urls: Annotated[
        list[Annotated[str, Meta(max_length=2000, pattern=r"^[^\x00]*$")]],
        Meta(min_length=1, max_length=1000, examples=[["https://www.kent.gov.uk/send"]]),
    ]
    la_code: Code | None = None
    local_authority: Name | None = None
    school_urn: Code | None = None
    send_tags: Annotated[list[Tag], Meta(max_length=50)] = []
    authority: Tag | None = None
    document_type: Tag | None = None


class BatchAccepted(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The addresses are kept and will be fetched; `statusUrl` tells what becomes of each."""

    batch_id: UUID
    status_url: str


_EXAMPLE = Stored(
    upload_id=UUID(int=1),
    document_id=12,
    title="Getting to school",
    state="updated",
    status_url=f"{BASE}/uploads/{UUID(int=1)}",
)
_OTHERWISE = {
    200: answer(Stored, "The text was there, and facts given now were corrected.", _EXAMPLE),
    202: answer(
        Accepted,
        "It is kept, and not read yet.",
        Accepted(upload_id=UUID(int=1), status_url=_EXAMPLE.status_url, state="waiting"),
    ),
}


def _operation(limit: str) -> type[Operation]:
    """The description of a form with a file, which is read as it arrives."""
    texts = {name: Schema(type=OpenAPIType.STRING, max_length=300) for name in _TEXTS}

    class UploadOperation(Operation):
        def __post_init__(self) -> None:
            self.request_body = RequestBody(
                required=True,
                content={
                    "multipart/form-data": OpenAPIMediaType(
                        schema=Schema(
                            type=OpenAPIType.OBJECT,
                            required=["file"],
                            properties={
                                "file": Schema(
                                    type=OpenAPIType.STRING,
                                    content_media_type="application/octet-stream",
                                    description=f"At most {limit}; its bytes say what it is.",
                                ),
                                **texts,
                                _TAGS: Schema(
                                    type=OpenAPIType.ARRAY,
                                    items=Schema(type=OpenAPIType.STRING, max_length=100),
                                    description="Topic slugs: the field once for each.",
                                ),
                                _DATE: Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.DATE),
                            },
                        )
                    )
                },
            )

    return UploadOperation


class UploadController(Controller):
    """Hand in documents."""

    path = BASE
    tags = ("knowledge base",)
    guards = (curators,)

    @post(
        "/upload",
        summary="Upload a document",
        status_code=201,
        responses=ADMIN_PROBLEMS | _OTHERWISE,
        request_max_body_size=None,
        operation_class=_operation("50 MB"),
    )
    async def upload(self, request: AnyRequest) -> Response[Stored]:
        """PDF, Word, HTML or text up to 50 MB, known by its bytes. 201 when it was read in time,
        else 202; 409 with `documentId` when the text is there already.
        """
        settings = request.app.state.settings
        taken = await _take(request, "file", most=settings.max_file_bytes)
        status = await _wait(request, taken.upload_key, seconds=settings.upload_wait)
        return _answer(request, taken, status)

    @post(
        "/upload-zip",
        summary="Upload a ZIP archive",
        status_code=202,
        responses=ADMIN_PROBLEMS,
        request_max_body_size=None,
        operation_class=_operation("200 MB"),
    )
    async def upload_zip(self, request: AnyRequest) -> Accepted:
        """Up to 200 MB. Folders that are named after a topic become tags; each file has an outcome
        of its own in the status.
        """
        taken = await _take(request, "archive", most=request.app.state.settings.max_zip_bytes)
        return Accepted(
            upload_id=taken.upload_key, status_url=_status_url(taken.upload_key), state="waiting"
        )

    @get("/uploads/{upload_id:uuid}", summary="What became of an upload", responses=ADMIN_PROBLEMS)
    async def status(self, request: AnyRequest, upload_id: UploadId) -> calls.UploadStatus:
        """Until 24 hours after it is done."""
        async with acting(request) as db:
            return _for_people(await calls.upload_status(db, upload_key=upload_id))

    @post("/ingest-urls", summary="Hand in addresses", status_code=202, responses=ADMIN_PROBLEMS)
    async def ingest_urls(self, request: AnyRequest, data: JSONBody[IngestUrls]) -> BatchAccepted:
        """Workers fetch, parse and publish them; one that cannot be fetched stops no other."""
        async with acting(request) as db:
            batch_id = await calls.create_batch(
                db,
                urls=data.urls,
                la_code=data.la_code,
                local_authority=data.local_authority,
                school_urn=data.school_urn,
                tags=data.send_tags,
                authority=data.authority,
                document_type=data.document_type,
            )
        return BatchAccepted(
            batch_id=batch_id, status_url=f"{BASE}/ingest-status?batchId={batch_id}"
        )

    @get("/ingest-status", summary="What became of addresses", responses=ADMIN_PROBLEMS)
    async def ingest_status(
        self,
        request: AnyRequest,
        batch_id: Annotated[
            UUID, QueryParameter(name="batchId", description="The key of the batch.")
        ],
    ) -> calls.BatchStatus:
        """Until 24 hours after the last is done."""
        async with acting(request) as db:
            status = await calls.batch_status(db, batch_id=batch_id)
        pages = [msgspec.structs.replace(p, reason=for_people(p.reason)) for p in status.urls]
        return msgspec.structs.replace(status, urls=pages)


async def _take(request: AnyRequest, kind: str, *, most: int) -> calls.Taken:
    """Receive a form and hand its file in; bytes that are there already leave no second file."""
    async with spooled_file(request.app.state.settings.upload_dir) as file:
        form = await receive_form(request, file, most=most)
        new = _new_upload(form, file, kind=kind)
        # should the answer get lost the database may know of it; the worker tidies up what is not
        file.kept = True
        try:
            async with acting(request) as db:
                taken = await calls.receive_upload(db, new=new)
        except asyncpg.PostgresError as error:
            file.kept = isinstance(error, asyncpg.PostgresConnectionError)
            raise
        file.kept = not taken.joined
    return taken


def _new_upload(form: Form, file: SpooledFile, *, kind: str) -> calls.NewUpload:
    unknown = sorted(form.fields.keys() - {*_TEXTS, _TAGS, _DATE})
    if unknown:
        raise _refused(unknown[0][:60], "there is no such field")
    for name in (*_TEXTS, _DATE):
        if len(form.fields.get(name, ())) > 1:
            raise _refused(name, "it is given more than once")
    texts = {name: _one_text(form, name) for name in _TEXTS}
    tags = [tag.strip() for tag in form.fields.get(_TAGS, ()) if tag.strip()]
    if len(tags) > _MOST_TAGS or any(len(tag) > _LONGEST_TEXT for tag in tags):
        raise _refused(_TAGS, f"give up to {_MOST_TAGS} topic slugs, the field once for each")
    return calls.NewUpload(
        spool_name=file.path.name,
        file_name=form.file_name or "",
        sha256=file.sha256,
        byte_count=file.size,
        kind=kind,
        la_code=texts["laCode"],
        local_authority=texts["localAuthority"],
        school_urn=texts["schoolUrn"],
        title=texts["title"],
        tags=tags,
        authority=texts["authority"],
        document_type=texts["documentType"],
        effective_date=_day(form),
    )


def _one_text(form: Form, name: str) -> str | None:
    text = form.fields.get(name, [""])[0].strip()
    if len(text) > _LONGEST_TEXT:
        raise _refused(name, f"it is longer than {_LONGEST_TEXT} characters")
    return text or None


def _day(form: Form) -> date | None:
    text = form.fields.get(_DATE, [""])[0].strip()
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise _refused(_DATE, "it is no day: write 2026-09-01") from None


def _refused(field: str, message: str) -> ValidationException:
    return ValidationException(extra=[{"key": field, "message": message}])


async def _wait(request: AnyRequest, upload_key: UUID, *, seconds: float) -> calls.UploadStatus:
    """How the upload is once it was read, or when the time is up. No connection is held."""
    until = time.monotonic() + seconds
    while True:
        async with acting(request) as db:
            status = await calls.upload_status(db, upload_key=upload_key)
        if status.state in {"read", "refused", "failed"} or time.monotonic() >= until:
            return status
        await asyncio.sleep(_LOOK_AGAIN)


def _answer(request: AnyRequest, taken: calls.Taken, status: calls.UploadStatus) -> Response[Any]:
    where = _status_url(taken.upload_key)
    file = status.files[0] if status.state == "read" and status.files else None
    if file is None:
        # waiting, or a fault of ours that is tried again: the status goes on telling
        waiting = Accepted(upload_id=taken.upload_key, status_url=where, state=status.state)
        return Response(waiting, status_code=202, headers={"Location": where})
    if file.state == "refused":
        reason = for_people(file.reason) or "the file cannot be taken in"
        raise RefusedError(Trouble(422, "file_refused", reason))
    if taken.joined or file.state in {"duplicate", "unchanged"}:
        return _problem(
            Duplicate(
                title="the same text is there already",
                status=409,
                code="duplicate",
                request_id=request_id_of(request.scope),
                hint=f"See {BASE}/{file.document_id}/chunks",
                document_id=file.document_id,
                existing=file.existing or file.name,
            )
        )
    stored = Stored(
        upload_id=taken.upload_key,
        document_id=file.document_id or 0,
        title=file.title,
        state=file.state,
        status_url=where,
    )
    return Response(stored, status_code=200 if file.state == "updated" else 201)


def _problem(problem: Problem) -> Response[Any]:
    return Response(problem, status_code=problem.status, media_type=PROBLEM_JSON)


def _for_people(status: calls.UploadStatus) -> calls.UploadStatus:
    files = [msgspec.structs.replace(f, reason=for_people(f.reason)) for f in status.files]
    return msgspec.structs.replace(status, reason=for_people(status.reason), files=files)


def _status_url(upload_key: UUID) -> str:
    return f"{BASE}/uploads/{upload_key}"
