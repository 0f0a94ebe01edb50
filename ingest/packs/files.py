"""The files of a pack, read and checked row by row before anything reaches the database."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from ingest.packs.settings import PackError, Settings, read_settings

Values = dict[str, object]
Cells = Mapping[str, str]

_GSS = re.compile(r"[A-Z][0-9]{8}")
_DFE = re.compile(r"[0-9]{3}")
_URN = re.compile(r"[0-9]{6}")
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_WORD = re.compile(r"[a-z][a-z0-9_]*")
_HOST = re.compile(r"(?!www\.)[a-z0-9-]+(\.[a-z0-9-]+)+")
_PAGE = re.compile(r"https?://[^\s/]+(/\S*)?")
_MILDEST, _STRONGEST = 0.5, 2.0


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the line it stands on and what its SQL function reads."""

    line: int
    values: Values


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one file; none when the pack has no such file."""

    path: Path
    rows: tuple[Row, ...]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def keys(self, column: str) -> set[str]:
        """The values of a column."""
        return {str(row.values[column]) for row in self.rows}


@dataclass(frozen=True, slots=True)
class Pack:
    """A domain, complete and consistent with itself. What only the server knows, such as whether
    a pattern compiles, shows when it is loaded."""

    settings: Settings
    authorities: Table
    districts: Table
    schools: Table
    synonyms: Table
    topics: Table
    ranks: Table
    domains: Table
    policy_pages: Table


def read_pack(pack_dir: Path) -> Pack:
    """Read a pack's directory; raises `PackError`, one line with file and line number."""
    if not pack_dir.is_dir():
        raise PackError(f"{pack_dir} is not a directory. Name the folder that holds pack.toml")
    settings = read_settings(pack_dir / "pack.toml")
    authorities = _table(pack_dir / "authorities.csv", _authority, key="gss")
    _check_successors(authorities)
    live = {str(r.values["gss"]) for r in authorities if r.values["status"] == "live"}
    known = authorities.keys("gss")
    ranks = _table(pack_dir / "ranks.csv", _rank, key="authority")
    kinds = ranks.keys("authority")
    return Pack(
        settings=settings,
        authorities=authorities,
        districts=_table(
            pack_dir / "districts.csv", lambda cells: _district(cells, live), key="lad_gss"
        ),
        schools=_table(pack_dir / "schools.csv", lambda cells: _school(cells, known), key="urn"),
        synonyms=_table(pack_dir / "synonyms.tsv", _synonym, key="pattern"),
        topics=_table(pack_dir / "topics.tsv", _topic, key="slug"),
        ranks=ranks,
        domains=_table(pack_dir / "domains.csv", lambda cells: _domain(cells, kinds), key="domain"),
        policy_pages=_table(pack_dir / "policy_pages.tsv", _policy_page, key="slug"),
    )


# the columns each file must have, in this order
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "authorities.csv": (
        "gss", "dfe_code", "name", "kind", "region", "status",
        "start_date", "end_date", "successors", "website",
    ),
    "districts.csv": ("lad_gss", "name", "authority_gss", "status"),
    "schools.csv": ("urn", "name", "la_code", "phase", "postcode", "website", "status"),
    "synonyms.tsv": ("pattern", "phrases", "expansions", "citation", "caution", "unless"),
    "topics.tsv": ("slug", "name", "pattern", "citation", "fact", "examples"),
    "ranks.csv": ("authority", "weight", "meaning"),
    "domains.csv": ("domain", "authority", "scope", "note"),
    "policy_pages.tsv": ("slug", "name", "phrases", "unless"),
}  # fmt: skip


class _BadRow(Exception):
    """What is wrong with a row; `_table` adds file and line."""


def authority_table(path: Path, lines: Iterable[tuple[int, Cells]]) -> Table:
    """Authorities of a file of another form, by line, as if they stood in authorities.csv."""
    return _table(path, _authority, key="gss", lines=lines)


def _table(
    path: Path,
    read_row: Callable[[Cells], Values],
    *,
    key: str,
    lines: Iterable[tuple[int, Cells]] | None = None,
) -> Table:
    rows: list[Row] = []
    seen: dict[str, int] = {}
    for line, cells in _lines(path) if lines is None else lines:
        try:
            values = read_row(cells)
        except _BadRow as error:
            raise PackError(f"{path}:{line}: {error}") from None
        name = str(values[key])
        if name in seen:
            raise PackError(f'{path}:{line}: "{name[:40]}" stands on line {seen[name]} already')
        seen[name] = line
        rows.append(Row(line, values))
    return Table(path, tuple(rows))


def _lines(path: Path) -> Iterator[tuple[int, Cells]]:
    """Line numbers and cells, white space at their ends removed; blank lines are passed over."""
    columns = COLUMNS[path.name]
    tabs = path.suffix == ".tsv"
    lines = _text(path).splitlines()
    # a tab separates and nothing quotes: patterns are full of quotes and commas
    reader = (
        csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        if tabs
        else csv.reader(lines, strict=True)
    )
    try:
        for number, cells in enumerate(reader):
            line = reader.line_num
            if number == 0:
                if tuple(cell.strip() for cell in cells) != columns:
                    wanted = ("\t" if tabs else ",").join(columns)
                    raise PackError(f"{path}:1: the header must be: {wanted}")
                continue
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) > len(columns):
                raise PackError(f"{path}:{line}: {len(cells)} cells for {len(columns)} columns")
            if not tabs and len(cells) < len(columns):
                raise PackError(f"{path}:{line}: only {len(cells)} of {len(columns)} columns")
            # editors strip the tabs at a line's end, so the last cells of a TSV may be missing
            padded = cells + [""] * (len(columns) - len(cells))
            yield line, {name: cell.strip() for name, cell in zip(columns, padded, strict=True)}
    except csv.Error as error:
        raise PackError(f"{path}:{reader.line_num}: not readable as CSV: {error}") from None


def _text(path: Path) -> str:
    if not path.exists():
        return ""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise PackError(f"{path}: not UTF-8 at byte {error.start}. Save it as UTF-8") from None
    except OSError as error:
        raise PackError(f"{path}: {error.strerror}. Check the file") from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise PackError(f"{path}:{line}: a NUL character. Remove it")
    return text


def _authority(cells: Cells) -> Values:
    status = _one_of(cells, "status", ("live", "ended"))
    successors = cells["successors"].split()
    for code in successors:
        _match(code, _GSS, "successors", "codes like E08000038, a space between")
    if status == "live" and successors:
        raise _BadRow("a live authority has no successors. Clear them, or set status to ended")
    return {
        "gss": _shaped(cells, "gss", _GSS, "a code like E08000025"),
        "dfe_code": _optional(cells, "dfe_code", _DFE, "three digits"),
        "name": _filled(cells, "name"),
        "kind": cells["kind"],
        "region": cells["region"],
        "status": status,
        "start_date": _day(cells, "start_date"),
        "end_date": _day(cells, "end_date"),
        "successors": successors,
        "website": _optional(cells, "website", _PAGE, "an address like https://www.kent.gov.uk"),
    }


def _check_successors(authorities: Table) -> None:
    successors: dict[str, list[str]] = {}
    for row in authorities:
        codes = row.values["successors"]
        successors[str(row.values["gss"])] = codes if isinstance(codes, list) else []
    for row in authorities:
        gss = str(row.values["gss"])
        where = f"{authorities.path}:{row.line}"
        for code in successors[gss]:
            if code not in successors:
                raise PackError(f"{where}: successor {code} is not in this file. Add its row")
        if _reaches(successors, gss):
            raise PackError(f"{where}: {gss} succeeds itself. Correct its successors")


def _reaches(successors: Mapping[str, list[str]], gss: str) -> bool:
    """Whether following successors from a code leads back to it."""
    ahead, passed = list(successors[gss]), set[str]()
    while ahead:
        code = ahead.pop()
        if code == gss:
            return True
        if code not in passed:
            passed.add(code)
            ahead += successors.get(code, [])
    return False


def _district(cells: Cells, live: set[str]) -> Values:
    authority = _shaped(cells, "authority_gss", _GSS, "a code like E10000016")
    if authority not in live:
        raise _BadRow(f"authority_gss {authority} is not a live authority of authorities.csv")
    _one_of(cells, "status", ("live", "ended"))
    return {
        "lad_gss": _shaped(cells, "lad_gss", _GSS, "a code like E07000106"),
        "name": _filled(cells, "name"),
        "authority_gss": authority,
    }


def _school(cells: Cells, known: set[str]) -> Values:
    la_code = _shaped(cells, "la_code", _GSS, "a code like E08000025")
    if la_code not in known:
        raise _BadRow(f"la_code {la_code} is not in authorities.csv")
    return {
        "urn": _shaped(cells, "urn", _URN, "six digits"),
        "name": _filled(cells, "name"),
        "la_code": la_code,
        "phase": cells["phase"] or None,
        "postcode": cells["postcode"] or None,
        "website": _optional(cells, "website", _PAGE, "an address like https://school.example"),
        "status": _one_of(cells, "status", ("open", "closed")),
    }


def _synonym(cells: Cells) -> Values:
    expansions = _parts(cells, "expansions")
    if not expansions:
        raise _BadRow("expansions is empty. Give at least one term to add")
    return {
        "pattern": _filled(cells, "pattern"),
        "phrases": _filled(cells, "phrases"),
        "expansions": expansions,
        "citation": cells["citation"],
        "caution": cells["caution"],
        "unless": cells["unless"] or None,
    }


def _topic(cells: Cells) -> Values:
    return {
        "slug": _shaped(cells, "slug", _SLUG, "a slug like annual-review"),
        "name": _filled(cells, "name"),
        "pattern": _filled(cells, "pattern"),
        "citation": cells["citation"],
        "fact": cells["fact"],
    }


def _rank(cells: Cells) -> Values:
    try:
        weight = float(cells["weight"])
    except ValueError:
        weight = 0.0
    if not _MILDEST <= weight <= _STRONGEST:
        raise _BadRow(f'weight "{cells["weight"]}" must be a number from 0.5 to 2')
    return {
        "authority": _shaped(cells, "authority", _WORD, "a word like charity"),
        "weight": weight,
        "meaning": cells["meaning"],
    }


def _domain(cells: Cells, kinds: set[str]) -> Values:
    authority = _filled(cells, "authority")
    if authority not in kinds:
        raise _BadRow(f'authority "{authority[:40]}" is not in ranks.csv')
    return {
        "domain": _shaped(cells, "domain", _HOST, "a host in lower case without www."),
        "authority": authority,
        "scope": _one_of(cells, "scope", ("national",)),
    }


def _policy_page(cells: Cells) -> Values:
    phrases = _parts(cells, "phrases")
    if not phrases:
        raise _BadRow("phrases is empty. Give at least one that links to such a page say")
    return {
        "slug": _shaped(cells, "slug", _SLUG, "a slug like accessibility-plan"),
        "name": _filled(cells, "name"),
        "phrases": phrases,
        "unless": _parts(cells, "unless"),
    }


def _parts(cells: Cells, column: str) -> list[str]:
    """What stands between semicolons."""
    return [part for part in (p.strip() for p in cells[column].split(";")) if part]


def _filled(cells: Cells, column: str) -> str:
    if not cells[column]:
        raise _BadRow(f"{column} is empty")
    return cells[column]


def _shaped(cells: Cells, column: str, shape: re.Pattern[str], wanted: str) -> str:
    return _match(cells[column], shape, column, wanted)


def _optional(cells: Cells, column: str, shape: re.Pattern[str], wanted: str) -> str | None:
    return _shaped(cells, column, shape, wanted) if cells[column] else None


def _match(value: str, shape: re.Pattern[str], column: str, wanted: str) -> str:
    if not shape.fullmatch(value):
        raise _BadRow(f'{column} "{value[:40]}" must be {wanted}')
    return value


def _one_of(cells: Cells, column: str, choices: tuple[str, ...]) -> str:
    if cells[column] not in choices:
        raise _BadRow(f'{column} "{cells[column][:40]}" must be {" or ".join(choices)}')
    return cells[column]


def _day(cells: Cells, column: str) -> str | None:
    if not cells[column]:
        return None
    try:
        return date.fromisoformat(cells[column]).isoformat()
    except ValueError:
        raise _BadRow(f'{column} "{cells[column][:40]}" must be a day like 2025-05-01') from None
