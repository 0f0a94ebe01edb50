"""`pgkb ingest`: files and folders in, one line per file out."""

import sys
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import batches, wiring
from cli.errors import CliError, not_blank
from cli.output import note, plural, print_json, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from ingest.items import FileResult, Item, Progress

_GOOD = {"stored", "updated", "duplicate", "unchanged", "unpacked"}


@dataclass(frozen=True, slots=True)
class ManifestLine:
    """What a manifest says about one file; `path` is relative to the manifest."""

    path: str
    source: str | None = None
    title: str | None = None
    la_code: str | None = None
    school_urn: str | None = None
    authority: str | None = None
    document_type: str | None = None
    effective_date: date | None = None
    tags: tuple[str, ...] = ()


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("ingest", help="Store files, folders, ZIPs and web pages: PDF, DOCX, HTML, TXT.")(
        ingest
    )


def ingest(
    paths: Annotated[
        list[str] | None,
        typer.Argument(help="Files, folders, ZIPs; or addresses of pages.", metavar="PATH…|URL…"),
    ] = None,
    urls: Annotated[
        Path | None, typer.Option("--urls", help="File with an address on each line.")
    ] = None,
    manifest: Annotated[
        Path | None, typer.Option("--manifest", help="JSON Lines file naming files and facts.")
    ] = None,
    la: Annotated[
        str | None, typer.Option("--la", help="Authority the documents belong to.")
    ] = None,
    urn: Annotated[str | None, typer.Option("--urn", help="School they belong to.")] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", help="Topic slug; may be given several times.")
    ] = None,
    authority: Annotated[
        str | None, typer.Option("--authority", help="Kind of publisher, e.g. statutory, la.")
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="Title, of a single file.")] = None,
    source: Annotated[
        str | None,
        typer.Option("--source", help="Name to keep a file under, or what goes before a folder's."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> int:
    """Ingest; exit code 1 when a file was not stored."""
    from ingest.items import Item
    from ingest.load import interrupted_by_sigterm

    options = Item(
        path=Path(),
        la_code=not_blank("--la", la),
        school_urn=not_blank("--urn", urn),
        tags=tuple(tag or ()),
        authority=not_blank("--authority", authority),
        title=not_blank("--title", title),
        source=not_blank("--source", source),
    )
    for path in paths or ():
        not_blank("a path", path)
    if urls is not None or any(batches.is_address(path) for path in paths or ()):
        if manifest is not None:
            raise CliError("--manifest names files. Hand addresses in by themselves")
        return batches.hand_in(paths or (), urls, options, as_json=as_json)
    if not paths and manifest is None:
        raise CliError("no files were named. Give files or folders: pgkb ingest PATH…")
    if not paths and options != Item(path=Path()):
        raise CliError(
            "--la, --urn, --tag, --authority, --title and --source are for the PATHs given with "
            "them. "
            "Write them into the manifest instead"
        )
    named = [Path(path) for path in paths or ()]
    items = [*_items_at(named, options), *(read_manifest(manifest) if manifest else [])]
    results = []
    with interrupted_by_sigterm(), closing(ingest_items(items)) as finished:
        for result in finished:
            results.append(result)
            if not as_json:
                say(result_line(result))
    counts = Counter[str](result.status for result in results)
    if as_json:
        print_json({"files": results, "counts": counts})
    else:
        note(f"{plural(len(results), 'file')}: {in_words(counts)}")
    return int(any(status not in _GOOD for status in counts))


def _items_at(paths: Sequence[Path], options: "Item") -> "list[Item]":
    from ingest.paths import expand_paths

    if not paths:
        return []
    found = expand_paths(paths)
    if options.title is not None and len(found) > 1:
        raise CliError(
            f"--title names one document, but {len(found)} files were found. "
            "Leave it out: each document's own title is taken"
        )
    if options.source is None:
        return [
            replace(options, path=file.path, source=file.source, found_at=file.path)
            for file in found
        ]
    if len(paths) > 1:
        raise CliError(
            f"--source names one file or one folder, but {len(paths)} paths were given. "
            "Give them one by one"
        )
    if paths[0].is_file():
        return [replace(options, path=paths[0])]
    prefix = options.source.rstrip("/")
    return [replace(options, path=file.path, source=f"{prefix}/{file.source}") for file in found]


def read_manifest(manifest: Path) -> "list[Item]":
    """The files a manifest names, with what it says about each."""
    import msgspec

    from ingest.items import Item

    items = []
    for number, line in enumerate(manifest.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            raw = msgspec.json.decode(line)
            said = msgspec.convert(raw, ManifestLine)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise CliError(
                f"{manifest}:{number}: {error}. Write one JSON object per line, with path"
            ) from None
        # a misspelt la_code must not make a council's page national
        if unknown := sorted(set(raw) - {field.name for field in fields(ManifestLine)}):
            raise CliError(f"{manifest}:{number}: unknown key {unknown[0]}. Check its spelling")
        for key in ("path", "source", "la_code", "school_urn", "authority"):
            not_blank(f"{manifest}:{number}: {key}", getattr(said, key))
        items.append(
            Item(
                path=manifest.parent / said.path,
                source=said.source,
                title=said.title,
                la_code=said.la_code,
                school_urn=said.school_urn,
                authority=said.authority,
                document_type=said.document_type,
                effective_date=said.effective_date,
                tags=said.tags,
            )
        )
    if not items:
        raise CliError(f"{manifest} names no files. Write one JSON object per line, with path")
    return items


def ingest_items(items: "Sequence[Item]") -> "Generator[FileResult, None, None]":
    """Ingest with a progress bar where somebody watches; one result per file.

    Close it when leaving early: what was begun is then given back to the queue at once.
    """
    from ingest.load import load_paths

    url = wiring.database_url()
    with _progress_bar(len(items)) as show:
        yield from load_paths(url, items, on_progress=show)


def result_line(result: "FileResult") -> str:
    """One file on one line."""
    match result.status:
        case "stored":
            tail = f"{plural(result.chunks, 'chunk')}, “{result.title}”"
            if result.version is not None and result.version > 1:
                tail += f", version {result.version}: replaces what {result.source} said before"
            if result.superseded:
                named = ", ".join(map(str, result.superseded))
                tail += f", supersedes document {named}"
            tail += "".join(f" ({warning})" for warning in result.warnings)
        case "duplicate":
            tail = f"of {result.existing} (document {result.document_id})"
        case "unpacked":
            tail = result.reason or ""
        case "unchanged" | "updated":
            tail = f"document {result.document_id}"
        case _:
            tail = f"because {result.reason}"
    return f"{_shown(result.status):<9} {result.source}: {tail}"


def in_words(counts: "Counter[str]") -> str:
    """`74 stored, 1 refused`."""
    shown = (f"{count:,} {_shown(status)}" for status, count in counts.most_common())
    return ", ".join(shown) or "nothing"


def _shown(status: str) -> str:
    return status.replace("_", " ")


@contextmanager
def _progress_bar(files: int) -> "Iterator[Callable[[Progress], None]]":
    """A bar on stderr when that is a terminal, else nothing."""
    if not sys.stderr.isatty():
        yield lambda progress: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns: Iterable[BarColumn | MofNCompleteColumn | TextColumn | TimeElapsedColumn] = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("files · {task.fields[chunks]} chunks"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[name]}", markup=False),
    )
    # lines of the result pass above the bar only when they go to the same terminal
    with Bar(
        *columns,
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
    ) as bar:
        task = bar.add_task("", total=files, chunks=0, name="")

        def show(progress: "Progress") -> None:
            bar.update(
                task,
                # an archive turns out to be many files
                total=progress.files,
                completed=progress.files_done,
                chunks=f"{progress.chunks_done}/{progress.chunks}",
                name=f"{progress.stage} {progress.path.name}",
            )

        yield show
