"""The sample corpus: what is written can be read back, in every format, each time the same."""

import json
import shutil
from collections import Counter
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import docx
import mammoth
import pypdfium2
import pytest
from selectolax.lexbor import LexborHTMLParser

from ingest import sample as builder
from ingest.sample import MANIFEST, SampleError, SampleItem, build
from ingest.samples.source import Grid, Heading, Listing, Sample, read_sample

SEND = Path(__file__).resolve().parents[2] / "packs" / "send"
DOCUMENTS = SEND / "sample" / "documents"

DOCUMENT = """+++
title = "Getting help in Kent"
format = "txt"
la_code = "E10000016"
authority = "la"
document_type = "guidance"
effective_date = 2025-09-01
tags = ["local-offer"]
+++
# Getting help in Kent

Illustrative example: nothing here is real advice.
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample of the SEND pack, built once."""
    out = tmp_path_factory.mktemp("sample")
    build(SEND, out)
    return out


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    return [read_sample(path) for path in sorted(DOCUMENTS.glob("*/*.md"))]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The SEND pack with one document of its own."""
    pack = tmp_path / "pack"
    shutil.copytree(SEND, pack, ignore=shutil.ignore_patterns("sample"))
    write(pack, "kent/getting-help.md", DOCUMENT)
    return pack


def write(pack: Path, name: str, text: str) -> Path:
    path = pack / "sample" / "documents" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def of_format(samples: list[Sample], wanted: str) -> list[Sample]:
    return [sample for sample in samples if sample.format == wanted]


def built_file(built: Path, sample: Sample) -> Path:
    return built / sample.group / f"{sample.path.stem}.{sample.format}"


def words(text: str) -> str:
    return " ".join(text.split())


def read_txt(path: Path, _: Sample) -> str:
    return path.read_text(encoding="utf-8")


def read_html(path: Path, _: Sample) -> str:
    main = LexborHTMLParser(path.read_text(encoding="utf-8")).css_first("main")
    assert main is not None
    return main.text(separator=" ")


def read_docx(path: Path, _: Sample) -> str:
    with path.open("rb") as file:
        return str(mammoth.extract_raw_text(file).value)


def read_pdf(path: Path, sample: Sample) -> str:
    document = pypdfium2.PdfDocument(path)
    pages = [page.get_textpage().get_text_bounded() for page in document]
    document.close()
    day = sample.effective_date.isoformat()
    bodies = []
    for number, page in enumerate(pages, start=1):
        head, rest = page.split("\n", 1)
        assert head.strip()
        foot = f"Effective {day} Page {number}"
        assert foot in words(rest)[:80]
        bodies.append(words(rest).replace(foot, "", 1))
    return " ".join(bodies)


READERS: dict[str, Callable[[Path, Sample], str]] = {
    "txt": read_txt,
    "html": read_html,
    "docx": read_docx,
    "pdf": read_pdf,
}


@pytest.mark.parametrize("wanted", sorted(READERS))
def test_every_text_survives_its_format(built: Path, samples: list[Sample], wanted: str) -> None:
    lost = []
    for sample in of_format(samples, wanted):
        found = words(READERS[wanted](built_file(built, sample), sample))
        lost += [(sample.path.name, text) for text in sample.texts if words(text) not in found]
    assert lost == []


def test_a_pdf_has_pages_numbers_and_a_title(built: Path, samples: list[Sample]) -> None:
    pages = []
    for sample in of_format(samples, "pdf"):
        document = pypdfium2.PdfDocument(built_file(built, sample))
        assert document.get_metadata_value("Title") == sample.title
        pages.append(len(document))
        document.close()
    assert min(pages) >= 1
    assert max(pages) <= 4
    assert sum(number > 1 for number in pages) >= 5


def test_a_word_file_has_real_headings_lists_and_tables(built: Path, samples: list[Sample]) -> None:
    for sample in of_format(samples, "docx"):
        document = docx.Document(str(built_file(built, sample)))
        styles = Counter(p.style.name for p in document.paragraphs if p.style is not None)
        headings = [b for b in sample.blocks if isinstance(b, Heading)]
        assert styles["Heading 1"] + styles["Heading 2"] == len(headings)
        for numbered, style in ((False, "List Bullet"), (True, "List Number")):
            lists = [b for b in sample.blocks if isinstance(b, Listing) and b.numbered == numbered]
            assert styles[style] == sum(len(listing.items) for listing in lists)
        grids = [b for b in sample.blocks if isinstance(b, Grid)]
        assert len(document.tables) == len(grids)


def test_every_numbered_list_of_a_word_file_starts_at_one(small: Path, tmp_path: Path) -> None:
    text = DOCUMENT.replace('"txt"', '"docx"') + "\n1. one\n2. two\n\nThen\n\n1. again\n"
    write(small, "kent/getting-help.md", text)
    build(small, tmp_path / "out")
    content = (tmp_path / "out" / "kent" / "getting-help.docx").read_bytes()
    html = mammoth.convert_to_html(BytesIO(content)).value
    assert html.count("<ol>") == 2


def test_a_web_page_has_around_its_text_what_real_ones_have(
    built: Path, samples: list[Sample]
) -> None:
    for sample in of_format(samples, "html"):
        page = LexborHTMLParser(built_file(built, sample).read_text(encoding="utf-8"))
        for part in ("nav", "header", "footer", "aside", "#cookie-banner", ".alert-banner"):
            assert page.css_first(part) is not None, part
        main = page.css_first("main")
        assert main is not None
        assert "cookies" not in (main.text() or "").lower()


def test_text_is_never_taken_for_markup(small: Path, tmp_path: Path) -> None:
    sentence = 'Under <5 & over £3 "quoted" isn\'t &amp; lost'
    for wanted in READERS:
        text = DOCUMENT.replace('"txt"', f'"{wanted}"') + f"\n{sentence}\n"
        path = write(small, "kent/getting-help.md", text)
        build(small, tmp_path / "out")
        target = tmp_path / "out" / "kent" / f"getting-help.{wanted}"
        assert sentence in words(READERS[wanted](target, read_sample(path)))


def test_the_manifest_tells_what_the_front_matter_says(built: Path, samples: list[Sample]) -> None:
    lines = (built / MANIFEST).read_text(encoding="utf-8").splitlines()
    told = {line["source"]: line for line in map(json.loads, lines)}
    assert len(told) == len(samples)
    for sample in samples:
        name = f"{sample.group}/{sample.path.stem}.{sample.format}"
        assert told[f"sample/{name}"] == {
            "path": name,
            "source": f"sample/{name}",
            "title": sample.title,
            "la_code": sample.la_code,
            "school_urn": sample.school_urn,
            "authority": sample.authority,
            "document_type": sample.document_type,
            "effective_date": sample.effective_date.isoformat(),
            "tags": list(sample.tags),
        }
        assert (built / name).is_file()


def test_the_same_sources_give_the_same_bytes(built: Path, tmp_path: Path) -> None:
    build(SEND, tmp_path)
    again = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    first = {p.relative_to(built): p.read_bytes() for p in built.rglob("*") if p.is_file()}
    assert [str(name) for name in first if again.get(name) != first[name]] == []
    assert set(again) == set(first)


def test_nothing_is_written_when_nothing_changed(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = build(small, out)
    (out / "kent" / "getting-help.txt").write_text("edited by hand", encoding="utf-8")
    assert build(small, out) == first
    assert (out / "kent" / "getting-help.txt").read_text(encoding="utf-8") == "edited by hand"


def test_a_change_or_a_missing_file_is_built_again(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    target = out / "kent" / "getting-help.txt"
    build(small, out)
    target.unlink()
    build(small, out)
    assert "Getting help" in target.read_text(encoding="utf-8")
    write(small, "kent/getting-help.md", DOCUMENT + "\nOne thing more.\n")
    build(small, out)
    assert "One thing more." in target.read_text(encoding="utf-8")


def test_the_file_of_a_document_that_is_gone_is_removed_and_no_other(
    small: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    write(small, "kent/second.md", DOCUMENT.replace("Getting", "More"))
    assert len(build(small, out)) == 2
    (out / "kent" / "mine.txt").write_text("not yours", encoding="utf-8")
    (small / "sample" / "documents" / "kent" / "second.md").unlink()
    assert [item.path for item in build(small, out)] == ["kent/getting-help.txt"]
    kept = {path.name for path in (out / "kent").iterdir()}
    assert kept == {"getting-help.txt", "mine.txt"}


def test_a_folder_with_a_manifest_of_somebody_else_is_left_alone(
    small: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / MANIFEST).write_text("not ours\n", encoding="utf-8")
    with pytest.raises(SampleError, match="is not a manifest of ours"):
        build(small, out)
    assert (out / MANIFEST).read_text(encoding="utf-8") == "not ours\n"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('tags = ["local-offer"]', 'tags = ["local-ofer"]'), 'tag "local-ofer" is no slug'),
        (('tags = ["local-offer"]', "tags = []"), "tags must be a list of at least one"),
        (('["local-offer"]', '["ehcp", "ehcp"]'), "a tag stands twice"),
        (('"E10000016"', '"E10000099"'), 'la_code "E10000099" is not in authorities.csv'),
        (('la_code = "E10000016"', 'school_urn = "123456"'), 'school_urn "123456" is not in'),
        (
            ('la_code = "E10000016"', 'la_code = "E10000016"\nschool_urn = "990001"'),
            "school 990001 is in E08000025, not in E10000016",
        ),
        (('authority = "la"', 'authority = "council"'), 'authority "council" is not in ranks.csv'),
        (('"txt"', '"odt"'), 'format "odt" must be one of txt, html, pdf, docx'),
        (("2025-09-01", '"September"'), "effective_date must be a day like"),
        (("2025-09-01", "2025-09-01T10:00:00"), "effective_date must be a day like"),
        (("document_type", "doc_type"), "unknown front-matter key doc_type"),
        (('title = "Getting help in Kent"\n', ""), "front matter lacks title"),
        (('"Getting help in Kent"', '" "'), "title must be a text"),
        (('"Getting help in Kent"', "Getting help"), "front matter is not readable as TOML"),
        (("+++\ntitle", "title"), "must begin with front matter"),
        (("Illustrative example: nothing", "Nothing"), "must say that it is illustrative"),
        (("# Getting help in Kent\n", "Getting help\n"), "must begin with its only '# ' title"),
        (("\nIllustrative", "\n# Second\n\nIllustrative"), "must begin with its only '# ' title"),
        (("nothing here", "**nothing** here"), "Markdown that is not rendered"),
        (("nothing here", "[nothing](x) here"), "Markdown that is not rendered"),
        (("\nIllustrative", "\n### Deep\n\nIllustrative"), "Markdown that is not rendered"),
        (("\nIllustrative", "\n| a | b |\n\nIllustrative"), "a table is a header"),
        (
            ("\nIllustrative", "\n| a | b |\n|---|---|\n| 1 |\n\nIllustrative"),
            "a table row has 1 cells, not 2",
        ),
    ],
)
def test_a_document_that_cannot_be_built_is_named_in_one_line(
    small: Path, tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    assert change[0] in DOCUMENT
    path = write(small, "kent/getting-help.md", DOCUMENT.replace(*change))
    with pytest.raises(SampleError) as caught:
        build(small, tmp_path / "out")
    line = str(caught.value)
    assert line.startswith(str(path))
    assert said in line
    assert "\n" not in line
    assert not (tmp_path / "out").exists()


def test_a_character_that_no_pdf_font_has_is_refused(small: Path, tmp_path: Path) -> None:
    text = DOCUMENT.replace('"txt"', '"pdf"') + "\nAn arrow \u2192 here.\n"
    write(small, "kent/getting-help.md", text)
    with pytest.raises(SampleError, match='"\u2192" is not in the fonts of a PDF'):
        build(small, tmp_path / "out")


def test_a_pack_without_a_sample_is_refused(small: Path, tmp_path: Path) -> None:
    shutil.rmtree(small / "sample")
    with pytest.raises(SampleError, match=r"holds no <group>/<slug>\.md"):
        build(small, tmp_path / "out")


def test_the_command_says_what_it_built(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert builder.main([str(small), str(out)]) == 0
    assert capsys.readouterr().out == f"1 document in {out}: 1 txt\n"


def test_the_command_refuses_in_one_line_with_exit_code_2(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert builder.main([str(tmp_path / "absent"), str(tmp_path / "out")]) == 2
    assert "is not a directory" in capsys.readouterr().err
    assert builder.main([]) == 2
    assert capsys.readouterr().err.startswith("usage: ")
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert builder.main([str(small), str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_items_say_whose_a_document_is(small: Path, tmp_path: Path) -> None:
    (item,) = build(small, tmp_path / "out")
    assert isinstance(item, SampleItem)
    assert (item.la_code, item.school_urn, item.tags) == ("E10000016", None, ("local-offer",))
