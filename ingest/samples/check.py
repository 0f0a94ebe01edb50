"""Whether a sample document fits its pack: its tags, its place, its publisher, its mark."""

from ingest.packs.files import Pack, Table
from ingest.samples.source import Sample, SampleError

_MARK = "illustrative"


def check_sample(sample: Sample, pack: Pack) -> None:
    """Raise `SampleError`, one line, for a document that names what the pack does not know."""
    for tag in sample.tags:
        if tag not in pack.topics.keys("slug"):
            raise SampleError(f'{sample.path}: tag "{tag}" is no slug of topics.tsv')
    if sample.authority not in pack.ranks.keys("authority"):
        raise SampleError(f'{sample.path}: authority "{sample.authority}" is not in ranks.csv')
    if sample.la_code is not None and sample.la_code not in pack.authorities.keys("gss"):
        raise SampleError(f'{sample.path}: la_code "{sample.la_code}" is not in authorities.csv')
    if sample.school_urn is not None:
        _check_school(sample, sample.school_urn, pack)
    if _MARK not in " ".join(sample.texts).lower():
        raise SampleError(f"{sample.path}: its text must say that it is {_MARK}")


def site_of(sample: Sample, pack: Pack) -> str:
    """The web site or letterhead that a document would come from."""
    if sample.school_urn is not None:
        return _value(pack.schools, "urn", sample.school_urn, "name") or ""
    if sample.la_code is not None:
        return f"{_value(pack.authorities, 'gss', sample.la_code, 'name')} local offer"
    return "SEND information library"


def _check_school(sample: Sample, urn: str, pack: Pack) -> None:
    home = _value(pack.schools, "urn", urn, "la_code")
    if home is None:
        raise SampleError(f'{sample.path}: school_urn "{urn}" is not in schools.csv')
    if sample.la_code not in {None, home}:
        raise SampleError(f"{sample.path}: school {urn} is in {home}, not in {sample.la_code}")


def _value(table: Table, key: str, wanted: str, column: str) -> str | None:
    for row in table:
        if row.values[key] == wanted:
            return str(row.values[column])
    return None
