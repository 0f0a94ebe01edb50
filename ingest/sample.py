"""Build a pack's sample corpus: text in, the files people would upload out, and a manifest.

python -m ingest.sample packs/send build/sample
"""

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePosixPath

from ingest.packs.files import read_pack
from ingest.packs.settings import PackError
from ingest.samples.check import check_sample, site_of
from ingest.samples.pages import as_html, as_txt
from ingest.samples.source import Sample, SampleError, read_sample

__all__ = ["MANIFEST", "SampleError", "SampleItem", "build", "main"]

MANIFEST = "manifest.jsonl"
_FINGERPRINT = "fingerprint.txt"
_MAKERS = ("reportlab", "python-docx")


@dataclass(frozen=True, slots=True)
class SampleItem:
    """A built file and what is known about it; `path` is relative to the output directory."""

    path: str
    source: str
    title: str
    la_code: str | None
    school_urn: str | None
    authority: str
    document_type: str
    effective_date: date
    tags: tuple[str, ...]


def build(pack_dir: Path, out_dir: Path) -> list[SampleItem]:
    """Write every sample document in its format, and `manifest.jsonl` with a line for each.

    The same sources give the same bytes; when nothing changed nothing is written. Files of
    documents that are gone are removed. Raises `SampleError` or `PackError`, one line.
    """
    pack = read_pack(pack_dir)
    root = pack_dir / "sample" / "documents"
    paths = sorted(root.glob("*/*.md"))
    if not paths:
        raise SampleError(f"{root} holds no <group>/<slug>.md. Name a pack with a sample")
    samples = [read_sample(path) for path in paths]
    for sample in samples:
        check_sample(sample, pack)
    items = [_item(sample) for sample in samples]
    fingerprint = _fingerprint(
        root, [*paths, pack_dir / "authorities.csv", pack_dir / "schools.csv"]
    )
    if _is_built(items, out_dir, fingerprint):
        return items
    _remove_stale(items, out_dir)
    (out_dir / _FINGERPRINT).unlink(missing_ok=True)
    for sample, item in zip(samples, items, strict=True):
        _write(out_dir / item.path, _render(sample, site_of(sample, pack)))
    _write(out_dir / MANIFEST, "".join(map(_line, items)).encode())
    _write(out_dir / _FINGERPRINT, fingerprint.encode())
    return items


def _item(sample: Sample) -> SampleItem:
    path = PurePosixPath(sample.group, f"{sample.path.stem}.{sample.format}")
    return SampleItem(
        path=str(path),
        source=str(PurePosixPath("sample") / path),
        title=sample.title,
        la_code=sample.la_code,
        school_urn=sample.school_urn,
        authority=sample.authority,
        document_type=sample.document_type,
        effective_date=sample.effective_date,
        tags=sample.tags,
    )


def _line(item: SampleItem) -> str:
    values = asdict(item) | {"effective_date": item.effective_date.isoformat()}
    return json.dumps(values, ensure_ascii=False) + "\n"


def _render(sample: Sample, site: str) -> bytes:
    match sample.format:
        case "html":
            return as_html(sample, site=site)
        case "pdf" | "docx":
            return _render_binary(sample, site)
        case _:
            return as_txt(sample)


def _render_binary(sample: Sample, site: str) -> bytes:
    # loaded only here: a corpus that is built already needs neither library
    try:
        from ingest.samples.docx import as_docx
        from ingest.samples.pdf import as_pdf
    except ImportError as error:
        raise SampleError(
            f"the {sample.format.upper()} files need {error.name}. "
            "Install pgkb with its `sample` extra"
        ) from None
    return (as_pdf if sample.format == "pdf" else as_docx)(sample, site=site)


def _fingerprint(root: Path, inputs: Iterable[Path]) -> str:
    """Hash of everything the files are made from, our own code included."""
    code = sorted(Path(__file__).parent.glob("sample*/*.py"))
    digest = hashlib.sha256()
    for path in (*inputs, *code, Path(__file__)):
        name = path.relative_to(root) if path.is_relative_to(root) else path.name
        content = path.read_bytes() if path.exists() else b""
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    for maker in _MAKERS:
        try:
            digest.update(version(maker).encode())
        except PackageNotFoundError:
            digest.update(b"absent")
    return digest.hexdigest()


def _is_built(items: Sequence[SampleItem], out_dir: Path, fingerprint: str) -> bool:
    made = out_dir / _FINGERPRINT
    return (
        made.is_file()
        and made.read_text(encoding="utf-8") == fingerprint
        and (out_dir / MANIFEST).is_file()
        and all((out_dir / item.path).is_file() for item in items)
    )


def _remove_stale(items: Sequence[SampleItem], out_dir: Path) -> None:
    """Remove what an earlier build made of documents that are gone, and nothing else."""
    manifest = out_dir / MANIFEST
    if not manifest.is_file():
        return
    kept = {item.path for item in items}
    try:
        lines = manifest.read_text(encoding="utf-8").splitlines()
        earlier = [PurePosixPath(json.loads(line)["path"]) for line in lines]
    except (ValueError, KeyError, TypeError):
        raise SampleError(f"{manifest} is not a manifest of ours. Choose another folder") from None
    for path in earlier:
        if str(path) not in kept and not path.is_absolute() and ".." not in path.parts:
            (out_dir / path).unlink(missing_ok=True)


def _write(target: Path, content: bytes) -> None:
    """Whole or not at all, so that a build that was interrupted leaves no half file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.part")
    beside.write_bytes(content)
    beside.replace(target)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if len(given) != 2:
        print("usage: python -m ingest.sample PACK_DIR OUT_DIR", file=sys.stderr)
        return 2
    out_dir = Path(given[1])
    try:
        items = build(Path(given[0]), out_dir)
    except (PackError, SampleError) as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename}: {error.strerror}. Check the path", file=sys.stderr)
        return 2
    formats = Counter(item.path.rpartition(".")[2] for item in items)
    told = ", ".join(f"{count} {name}" for name, count in sorted(formats.items()))
    noun = "document" if len(items) == 1 else "documents"
    print(f"{len(items)} {noun} in {out_dir}: {told}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
