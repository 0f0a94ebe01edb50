"""`python -m bench memory`: the most memory an ingest takes, over a long document and a large ZIP.

The ingest runs in a process of its own, as `pgkb ingest` runs it but for the model, which hands out
prepared vectors. What is measured is that process and the one that parses for it, shared pages
counted in part (PSS), twenty times a second.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from io import BytesIO
from pathlib import Path

import numpy as np

from bench.database import BenchError, Say, bench_database, connect
from bench.ingesting import StoredEmbedder
from bench.report import to_rows
from ingest.embedding import calls
from ingest.items import Item
from ingest.load import load_paths
from ingest.samples.docx import as_docx
from ingest.samples.source import Block, Heading, Paragraph, Sample

# the goal of the project, in MB
MOST_MEMORY = 500
ZIP_MEGABYTES = 200
LONG_PARAGRAPHS = 2600
_PICTURE_MEGABYTES = 2
_INTERVAL = 0.05
_MEGABYTE = 2**20
_URL = "PGKB_BENCH_URL"


@dataclass(frozen=True, slots=True)
class Peak:
    """The most memory the ingest of one file took, in bytes."""

    name: str
    file_bytes: int
    seconds: float
    peak: int


def main(arguments: Sequence[str]) -> int:
    """0 when every file stayed under the goal, else 1; errors are those of `python -m bench`."""
    options = _parser().parse_args(arguments)
    if options.child:
        return _ingest(options.files[0])
    started = time.monotonic()

    def say(line: str) -> None:
        print(f"{time.monotonic() - started:6.1f} s  {line}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory(prefix="pgkb-bench-") as folder:
        files = [*options.files, *_made(Path(folder), zip_megabytes=options.zip_mb, say=say)]
        with bench_database(keep=False, say=lambda _: None) as url:
            peaks = [_measure(url, file, say=say) for file in files]
    print(to_table(peaks))
    return int(any(peak.peak > MOST_MEMORY * _MEGABYTE for peak in peaks))


def to_table(peaks: Sequence[Peak]) -> str:
    """What people read."""
    return to_rows(
        ("file", "MB", "seconds", "peak MB", ""),
        (
            (
                peak.name,
                f"{peak.file_bytes / _MEGABYTE:.1f}",
                f"{peak.seconds:.0f}",
                f"{peak.peak / _MEGABYTE:.0f}",
                "met" if peak.peak <= MOST_MEMORY * _MEGABYTE else f"MISSED, goal {MOST_MEMORY}",
            )
            for peak in peaks
        ),
    )


def _made(folder: Path, *, zip_megabytes: int, say: Say) -> Iterator[Path]:
    """A long Word document, and an archive of Word documents with pictures in them."""
    say("making a long document and a large archive")
    rng = np.random.default_rng(7)
    long = folder / "long.docx"
    long.write_bytes(as_docx(_sample(rng, "A long handbook", LONG_PARAGRAPHS), site="bench"))
    yield long
    packed = folder / "pictures.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        # the documents around the pictures take the rest
        for number in range(max(1, int(0.98 * zip_megabytes / _PICTURE_MEGABYTES))):
            sample = _sample(rng, f"Leaflet {number}", 6)
            archive.writestr(f"leaflets/{number}.docx", _with_picture(rng, sample))
    yield packed


def _sample(rng: np.random.Generator, title: str, paragraphs: int) -> Sample:
    blocks: list[Block] = [Heading(1, title)]
    for number in range(1, paragraphs + 1):
        if number % 10 == 1:
            blocks.append(Heading(2, f"Part {number}"))
        words = " ".join(f"word{word}" for word in rng.integers(0, 5000, 60))
        blocks.append(Paragraph(f"{words}."))
    return Sample(
        path=Path(f"{title}.docx"), title=title, format="docx", la_code=None, school_urn=None,
        authority="charity", document_type="guide", effective_date=date(2025, 6, 1), tags=(),
        blocks=tuple(blocks),
    )  # fmt: skip


def _with_picture(rng: np.random.Generator, sample: Sample) -> bytes:
    written = BytesIO(as_docx(sample, site="bench"))
    with zipfile.ZipFile(written, "a") as package:
        package.writestr("word/media/image1.jpeg", rng.bytes(_PICTURE_MEGABYTES * _MEGABYTE))
    return written.getvalue()


def _measure(url: str, file: Path, *, say: Say) -> Peak:
    say(f"ingesting {file.name}")
    started = time.monotonic()
    # the URL goes where no list of processes shows it
    child = subprocess.Popen(
        [sys.executable, "-m", "bench", "memory", "--child", str(file)],
        env={**os.environ, _URL: url},
    )
    peak = 0
    while child.poll() is None:
        peak = max(peak, _tree_bytes(child.pid))
        time.sleep(_INTERVAL)
    if child.returncode:
        raise BenchError(f"{file.name} was not ingested; its reason stands above")
    return Peak(file.name, file.stat().st_size, time.monotonic() - started, peak)


def _tree_bytes(pid: int) -> int:
    """Memory of a process and of those it started; one that just ended counts nothing."""
    total = 0
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) * 1024
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for thread in Path(f"/proc/{pid}/task").iterdir():
            if thread.name != str(pid):
                children += (thread / "children").read_text().split()
    except OSError:
        return total
    return total + sum(_tree_bytes(int(one)) for one in children)


def _ingest(file: Path) -> int:
    """The child: one file, as `pgkb ingest` does it."""
    url = os.environ[_URL]
    with connect(url) as db:
        active = calls.active_set(db)
    vectors = np.eye(1, active.width, dtype=np.float32).tolist()
    embedder = StoredEmbedder(active.model, active.width, vectors)
    items = [Item(path=file, source=file.name)]
    bad = [
        result
        for result in load_paths(url, items, embedder=embedder)
        if result.status not in {"stored", "unpacked"}
    ]
    for result in bad[:3]:
        print(f"{result.source}: {result.status}, {result.reason}", file=sys.stderr)
    return int(bool(bad))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench memory",
        description="Ingest files, a made-up document of some 900 pages and a ZIP of Word files "
        "with pictures, each in a process of its own, and report the most memory it took. Exit "
        f"code 1 over {MOST_MEMORY} MB. Reads /proc, so it needs Linux.",
    )
    parser.add_argument("files", type=Path, nargs="*", metavar="FILE")
    parser.add_argument(
        "--zip-mb", type=int, default=ZIP_MEGABYTES, metavar="N",
        help=f"size of the archive (default: {ZIP_MEGABYTES})",
    )  # fmt: skip
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return parser
