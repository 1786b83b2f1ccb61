"""The documentation against the code: what it names exists, what it shows can be run, and nothing is left out."""

from __future__ import annotations

import dataclasses
import doctest
import inspect
import re
import shlex
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer

import truecopy as tc
from truecopy import errors, model, schemas
from truecopy.cli.app import commands
from truecopy.index.index import Index
from truecopy.index.methods import INDEXES, index_class
from truecopy.match.kinds import KIND_NAMES
from truecopy.match.relations import RELATION_NAMES
from truecopy.read import ReadSettings, file_types
from truecopy.settings import MatterSettings

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "truecopy"
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
COMMANDS: dict[str, Any] = commands()
GROUPS = {name.split()[0] for name in COMMANDS if " " in name}
USAGE_ERROR = typer.BadParameter.__mro__[1]

FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(r"[\w.*-]+(?:/[\w.*-]*)+|[\w-]+\.(?:py|md|toml|lock|typed)|Makefile")
GLOSSARY = (
    "text", "folding", "word", "shingle", "content words", "character n-gram", "byte window", "similarity",
    "character_similarity", "resemblance", "containment", "terminology", "masked_similarity", "topic_similarity",
    "figure mark", "threshold", "floor",
    "recall", "similar", "contains", "rewrites", "topic", "scanned", "dense family", "document", "id",
    "path", "copy", "pair",
    "difference", "layout", "group", "grouping", "view", "principal", "member", "linked", "wave", "matter", "segment",
    "signature", "spec", "audit log", "redline", "candidate", "execution-copy", "near-identical", "same-form",
    "rewrite", "focus", "scan", "near copy", "not searched", "original",
)  # fmt: skip
"""The contract's words; its statuses, relations and kinds come from the code."""


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def without_code(text: str) -> str:
    return FENCE.sub("", text)


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings have, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", without_code(read(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def rows(page: Path) -> dict[str, str]:
    """The lines of a page's tables, by the first name in them that stands in backticks."""
    found = {}
    for line in read(page).splitlines():
        match = re.match(r"\| `([^`]+)`", line)
        if match:
            found[match[1]] = line
    return found


def shown_commands() -> Iterator[tuple[str, str]]:
    """(page, line) of every command that a page shows on a line of its own."""
    for page in PAGES:
        for language, block in FENCE.findall(read(page)):
            for line in block.splitlines() if language in ("", "sh") else ():
                match = re.match(r"(?:\$ )?(?:\S*/)?truecopy (.+)", line)
                if match and "[OPTIONS]" not in line:
                    yield name_of(page), match[1]


def mentioned_commands() -> Iterator[tuple[str, str]]:
    """(page, words) of every command that a sentence mentions."""
    for page in PAGES:
        for code in INLINE.findall(without_code(read(page))):
            if code.startswith("truecopy ") and not code.startswith("truecopy --"):
                yield name_of(page), code.removeprefix("truecopy ")


def words_of(command: str) -> list[str]:
    """The command and its arguments, without a comment and without what the shell does with the output."""
    words = shlex.split(re.split(r"\s[>|]\s", command)[0], comments=True)
    return [" ".join(words[:2]), *words[2:]] if words[0] in GROUPS else words


# What ARCHITECTURE.md says


def test_every_path_that_the_architecture_names_exists():
    named = [code for code in INLINE.findall(without_code(read(ROOT / "ARCHITECTURE.md"))) if PATH.fullmatch(code)]
    missing = [path for path in named if not (ROOT / path).exists() and not (PACKAGE / path).exists()]
    assert missing == []
    assert len(named) > 60


def test_every_part_of_the_package_is_in_the_architecture():
    """A folder or top-level module that nobody explains has no reason to exist."""
    named = set(INLINE.findall(read(ROOT / "ARCHITECTURE.md")))
    parts = {
        f"{entry.name}/" if entry.is_dir() else entry.name for entry in PACKAGE.iterdir() if entry.name != "__pycache__"
    }
    assert parts - named == set()


# Links


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_internal_link_leads_somewhere(page: Path):
    broken = []
    for target in LINK.findall(without_code(read(page))):
        if re.match(r"[a-z]+:", target):
            continue
        place, _, anchor = target.partition("#")
        file = (page.parent / place).resolve() if place else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(target)
    assert broken == []


def test_every_page_can_be_reached_from_the_index():
    """By links from page to page; the tables of a benchmark are two steps away."""
    reached, to_follow = set(), {DOCS / "index.md"}
    while to_follow:
        page = to_follow.pop()
        reached.add(page)
        linked = {(page.parent / target.partition("#")[0]).resolve() for target in LINK.findall(read(page))}
        to_follow |= {other for other in linked if other.suffix == ".md" and DOCS in other.parents} - reached
    assert set(DOCS.rglob("*.md")) - reached == set()


# Figures


def test_every_figure_that_is_quoted_is_in_the_table_that_it_comes_from():
    """A benchmark that ran again changes its table; this fails until the page that quotes it follows."""
    page = DOCS / "explanation" / "measured.md"
    quoted = re.findall(r"^\| ([^|]+) \| ([^|]+) \| \[[^]]+\]\((measured/\w+\.md)\) \|$", read(page), re.MULTILINE)
    assert len(quoted) > 8
    for what, measured, source in quoted:
        table = set(re.findall(r"\d[\d,.]*\d|\d", read(page.parent / source)))
        figures = re.findall(r"\d[\d,.]*\d|\d", f"{what} | {measured}")
        assert [figure for figure in figures if figure not in table] == [], what


# Commands


@pytest.mark.parametrize(("page", "command"), sorted(set(shown_commands())))
def test_every_command_that_is_shown_can_be_parsed(page: str, command: str):
    """The command exists, its options exist, and no argument is missing."""
    name, *arguments = words_of(command)
    assert name in COMMANDS, f"{page} shows `truecopy {command}`"
    try:
        COMMANDS[name].make_context(name, arguments)
    except USAGE_ERROR as error:
        pytest.fail(f"{page} shows `truecopy {command}`: {error}")


@pytest.mark.parametrize(("page", "command"), sorted(set(mentioned_commands())))
def test_every_command_that_is_mentioned_exists(page: str, command: str):
    """In a sentence arguments may be left out, but not what the command is called, nor its options."""
    name, *arguments = words_of(command)
    assert name in COMMANDS, f"{page} mentions `truecopy {command}`"
    known = {spelled for option in COMMANDS[name].params for spelled in option.opts}
    unknown = [word for word in arguments if word.startswith("--") and word not in known]
    assert unknown == [], f"{page} mentions `truecopy {command}`"


def test_commands_are_found_in_the_pages():
    """The tests above look at something."""
    assert len(list(shown_commands())) > 30
    assert len(list(mentioned_commands())) > 10


def test_every_command_has_a_row_with_all_its_json_keys():
    listed = rows(DOCS / "reference" / "json.md")
    assert set(listed) == set(COMMANDS)
    for name in schemas.names():
        success = schemas.schema(name)["$defs"].get("success", {})
        row = listed[name.replace("-", " ")]
        missing = [key for key in success.get("properties", {}) if key != "ok" and not re.search(rf"\b{key}\b", row)]
        assert missing == [], name


# Indexes


def test_the_pages_say_which_indexes_are_exact():
    """An index that states a recall of its own can miss; README and the page on indexes name just the others."""
    exact = {name for name in INDEXES if index_class(name).recall is Index.recall}
    listed = rows(DOCS / "explanation" / "indexes.md")
    assert {name for name in INDEXES if listed[name].split("|")[4].strip() == "no"} == exact
    claim = read(ROOT / "README.md").partition(" but one are exact:")[2].partition("miss nothing")[0]
    assert set(INLINE.findall(claim)) == exact


# Errors, settings, words


def test_every_error_is_described_with_its_codes():
    listed = rows(DOCS / "reference" / "errors.md")
    classes = [
        value for _, value in inspect.getmembers(errors, inspect.isclass) if issubclass(value, errors.TruecopyError)
    ]
    assert {one.__name__ for one in classes} == set(listed)
    for one in classes:
        assert f"| `{one.code}` | {one.exit_code} |" in listed[one.__name__]


def shown_default(value: object) -> str:
    """A default as the page of settings writes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return f"`{value}`"
    if not isinstance(value, int | float):
        return ""  # nothing given, or what that leads to in words
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB")):
        if isinstance(value, int) and value >= unit and value % unit == 0:
            return f"{value // unit} {name}"
    return f"{value:,g}" if isinstance(value, float) else f"{value:,}"


@pytest.mark.parametrize("settings", [MatterSettings, ReadSettings])
def test_every_setting_is_described_with_its_default(settings: type):
    listed = rows(DOCS / "reference" / "settings.md")
    for field in dataclasses.fields(settings):
        assert field.name in listed
        if field.default is not dataclasses.MISSING:
            assert shown_default(field.default) in listed[field.name].split("|")[3]


def test_kinds_and_statuses_are_explained_in_the_order_in_which_they_are_tried():
    """The first that holds counts, so the order is part of the meaning."""
    page = read(DOCS / "explanation" / "measures-and-kinds.md").partition("\n## Kinds\n")[2]
    kinds_listed = re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)
    assert kinds_listed == list(KIND_NAMES)
    listed = read(DOCS / "glossary.md").partition("\n## Statuses\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\* `([^`]+)`", listed, re.MULTILINE) == list(model.STATUSES)


def test_every_word_of_the_contract_is_in_the_glossary():
    glossary = read(DOCS / "glossary.md")
    words = {*GLOSSARY, *model.STATUSES, *RELATION_NAMES, *KIND_NAMES}
    explained = {found.lower() for found in re.findall(r"(?:\*\*|`)([^*`]+)(?:\*\*|`)", glossary)}
    assert words - explained == set()


def test_every_format_that_is_read_is_listed():
    page = read(DOCS / "reference" / "formats.md")
    assert [suffix for suffix in (*file_types._BY_SUFFIX, *file_types._IMAGES) if f"`.{suffix}`" not in page] == []


def test_every_public_name_is_in_the_python_reference():
    page = read(DOCS / "reference" / "python.md")
    methods = [name for name, _ in inspect.getmembers(tc.Matter, inspect.isfunction) if not name.startswith("_")]
    public = [name for name in tc.__all__ if not name.startswith("_")]
    missing = [name for name in [*methods, *public] if not re.search(rf"`(?:tc\.)?{name}\b", page)]
    assert [name for name in missing if name not in ("loaded",)] == []  # loaded: for engines, not for users


# Examples


EXAMPLES = sorted(file for file in PACKAGE.rglob("*.py") if ">>> " in read(file))


@pytest.mark.parametrize("file", EXAMPLES, ids=name_of)
def test_the_examples_in_the_code_give_what_they_show(file: Path):
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    module = import_module(".".join(part for part in parts if part != "__init__"))
    failed, tried = doctest.testmod(module)
    assert tried > 0
    assert failed == 0


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "docs/howto/use-from-python.md"])
def test_the_python_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """From top to bottom, in a folder that has the files they speak of."""
    from truecopy.demo import write_dataroom

    monkeypatch.chdir(tmp_path)
    room = write_dataroom(Path("dataroom"), documents=50, seed=7)
    word, pdf = (sorted(room.folder.rglob(f"*.{suffix}")) for suffix in ("docx", "pdf"))
    readable = tc.scan("dataroom", matter="looked-at", report=False)
    status = {document.path: document.status for document in readable.documents()}
    good = [file for file in [*word, *pdf] if status[file.relative_to(room.folder).as_posix()] != "unreadable"]
    Path("production-02").mkdir()
    for name in ("new draft.docx", "draft.docx", "production-02/letter.docx"):
        shutil.copy(good[0], name)
    shutil.copy(good[-1], "signed.pdf")
    blocks = [block for language, block in FENCE.findall(read(ROOT / page)) if language == "python"]
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    assert isinstance(names["matter"], tc.Matter)
