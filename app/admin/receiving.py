"""A form with a file, read as it arrives: the file goes to the spool, never to memory.

The framework's own form reader would hold the whole body first. Nothing is read before the guards
have let the request in, and what exceeds its limit is refused while it arrives.
"""

from dataclasses import dataclass, field

from litestar.exceptions import HTTPException, ValidationException
from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header

from app.admin.spool import SpooledFile
from app.errors import AnyRequest, RefusedError, Trouble

_FILE = "file"
_NO_FORM = Trouble(
    415,
    "unsupported_media_type",
    "send a form with a file",
    "Its type is multipart/form-data, the field of the file is called file.",
)
_FIELD_BYTES = 16 * 1024
_FIELDS = 64
# what stands around the file: the other fields and the lines between
_AROUND = _FIELDS * (_FIELD_BYTES + 1024)


@dataclass(slots=True)
class Form:
    """What came beside the file, by name, and the name the file was given."""

    fields: dict[str, list[str]] = field(default_factory=dict)
    file_name: str | None = None


async def receive_form(request: AnyRequest, file: SpooledFile, *, most: int) -> Form:
    """Read a form whose field `file` goes into the spool.

    Raises HTTPException 413 for more than `most` bytes, RefusedError for what is no form, and
    ValidationException for a broken form, one without a file, or with two.
    """
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind != "multipart/form-data" or not options.get("boundary"):
        raise RefusedError(_NO_FORM)
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > most + _AROUND:
        raise _too_large()
    form = Form()
    reader = _Reader(form, file, most=most)
    received = 0
    try:
        parser = PushMultipartParser(options["boundary"], max_segment_count=_FIELDS)
        async for piece in request.stream():
            received += len(piece)
            if received > most + _AROUND:
                raise _too_large()
            for event in parser.parse(piece) if piece and not parser.closed else ():
                await reader.take(event)
        parser.close()
    except (MultipartError, UnicodeDecodeError):
        raise _broken("body", "it is no whole form: send it again") from None
    if form.file_name is None:
        raise _broken(_FILE, "the form holds no file")
    await file.close()
    return form


class _Reader:
    """Takes the events of the parser: a segment, pieces of it, None at its end."""

    def __init__(self, form: Form, file: SpooledFile, *, most: int) -> None:
        self._form = form
        self._file = file
        self._most = most
        self._segment: MultipartSegment | None = None
        self._value = bytearray()

    async def take(self, event: MultipartSegment | bytearray | bytes | None) -> None:
        if isinstance(event, MultipartSegment):
            self._begin(event)
        elif event is None:
            self._end()
        elif self._segment is not None and self._segment.name == _FILE:
            if self._file.size + len(event) > self._most:
                raise _too_large()
            await self._file.write(bytes(event))
        else:
            self._value += event
            if len(self._value) > _FIELD_BYTES:
                raise _broken(self._name, f"it is longer than {_FIELD_BYTES} bytes")

    @property
    def _name(self) -> str:
        return ((self._segment.name if self._segment else None) or "")[:60]

    def _begin(self, segment: MultipartSegment) -> None:
        self._segment = segment
        self._value.clear()
        is_file = segment.filename is not None
        if is_file != (segment.name == _FILE):
            raise _broken(self._name, "it is a file" if is_file else "it is no file")
        if is_file:
            if self._form.file_name is not None:
                raise _broken(_FILE, "the form holds more than one file: send one at a time")
            self._form.file_name = (segment.filename or "").replace("\x00", "")

    def _end(self) -> None:
        if self._segment is not None and self._segment.name != _FILE:
            value = self._value.decode("utf-8")
            if "\x00" in value or "\x00" in self._name:
                raise _broken(self._name.replace("\x00", ""), "it holds a NUL character")
            self._form.fields.setdefault(self._name, []).append(value)
        self._segment = None


def _too_large() -> HTTPException:
    # what is still under way is not waited for
    return HTTPException(status_code=413, headers={"Connection": "close"})


def _broken(field_name: str, message: str) -> ValidationException:
    return ValidationException(extra=[{"key": field_name, "message": message}])
