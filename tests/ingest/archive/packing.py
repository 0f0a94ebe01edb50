"""ZIP files as careless programs and bad people make them."""

import io
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

Content = str | bytes


def packed(entries: Mapping[str, Content] | list[tuple[str, Content]]) -> bytes:
    """An archive of these entries; a list may name one twice."""
    into = io.BytesIO()
    pairs = entries if isinstance(entries, list) else list(entries.items())
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in pairs:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w") as entry:
                entry.write(content.encode() if isinstance(content, str) else content)
    return into.getvalue()


def write(path: Path, entries: Mapping[str, Content] | list[tuple[str, Content]]) -> Path:
    """The same in a file."""
    path.write_bytes(packed(entries))
    return path


def named(raw: bytes, content: bytes = b"text") -> bytes:
    """An archive of one entry whose name is these bytes, and the UTF-8 flag is clear."""
    placeholder = "x" * len(raw)
    return packed({placeholder: content}).replace(placeholder.encode(), raw)


def altered(
    archive: bytes,
    name: str,
    *,
    flags: int | None = None,
    method: int | None = None,
    size: int | None = None,
    mode: int | None = None,
    spoil: bool = False,
) -> bytes:
    """The archive with an entry's headers changed, or its data spoilt.

    The two headers hold the same fields, the directory's two bytes further on.
    """
    data = bytearray(archive)
    with zipfile.ZipFile(io.BytesIO(archive)) as read:
        info = read.getinfo(name)
        offset = info.header_offset
    entry = data.index(b"PK\x01\x02")
    while data[entry + 46 :][: len(name.encode())] != name.encode():
        entry = data.index(b"PK\x01\x02", entry + 4)
    for header, at in ((6, offset), (8, entry)):
        if flags is not None:
            struct.pack_into("<H", data, at + header, flags)
        if method is not None:
            struct.pack_into("<H", data, at + header + 2, method)
        if size is not None:
            struct.pack_into("<I", data, at + header + 16, size)
    if mode is not None:
        data[entry + 5] = 3
        struct.pack_into("<I", data, entry + 38, mode << 16)
    if spoil:
        start = offset + 30 + len(name.encode())
        for at in range(start, start + info.compress_size):
            data[at] ^= 0xFF
    return bytes(data)
