"""The folder the bytes of uploads lie in until a worker has read them.

A file there has a name of our own, is this user's alone, and is on the disk before the database
hears of it. Whatever ends a request early, its file goes.
"""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from uuid import uuid4

# so much is collected before a thread writes it: fewer changes of hands, and a bounded memory
_PIECE = 1024 * 1024


class SpoolError(Exception):
    """Nothing can be kept in the spool now; the message is for the log."""


class SpooledFile:
    """A file that is being received. `close` makes it last."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.size = 0
        self.kept = False
        self._descriptor: int | None = descriptor
        self._hash = hashlib.sha256()
        self._pending = bytearray()

    @property
    def sha256(self) -> bytes:
        """The hash of what was received."""
        return self._hash.digest()

    async def write(self, data: bytes) -> None:
        """Take bytes; a thread writes them now and then."""
        self.size += len(data)
        self._pending += data
        if len(self._pending) >= _PIECE:
            await self._flush()

    async def close(self) -> None:
        """Write what is left and wait until the disk has it, and its name."""
        await self._flush()
        await asyncio.to_thread(self._settle)

    async def _flush(self) -> None:
        pending, self._pending = self._pending, bytearray()
        try:
            await asyncio.to_thread(self._write, pending)
        except OSError as error:
            raise SpoolError(f"the spool takes no more bytes ({error.strerror})") from error

    def _write(self, data: bytearray) -> None:
        self._hash.update(data)
        view = memoryview(data)
        while view and self._descriptor is not None:
            view = view[os.write(self._descriptor, view) :]

    def _settle(self) -> None:
        if self._descriptor is None:
            return
        try:
            os.fsync(self._descriptor)
            folder = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise SpoolError(f"the disk of the spool failed ({error.strerror})") from error
        finally:
            self.release()

    def release(self) -> None:
        """Let go of the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def remove(self) -> None:
        """Take it out of the spool."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


@asynccontextmanager
async def spooled_file(folder: Path | None) -> AsyncIterator[SpooledFile]:
    """A new file in the spool, removed at the end unless it is `kept`. Raises SpoolError."""
    if folder is None:
        raise SpoolError("no folder for uploads is set: PGKB_UPLOAD_DIR")
    path = folder / uuid4().hex
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise SpoolError(
            f"{folder} cannot be written to ({error.strerror}): set PGKB_UPLOAD_DIR to a folder "
            "that the service and all workers share"
        ) from error
    file = SpooledFile(path, descriptor)
    try:
        yield file
    finally:
        file.release()
        if not file.kept:
            file.remove()
