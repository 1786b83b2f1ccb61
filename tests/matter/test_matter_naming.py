"""Which document a name means: ids, short ids, paths, file names and ends of paths; what is not clear is refused."""

from __future__ import annotations

import random
import unicodedata
from pathlib import Path

import pytest

import truecopy as tc
from truecopy.errors import NotFound, UnreadableInput, UsageError
from truecopy.matter.ask.naming import numbers_of

WORDS = [f"word{i}" for i in range(400)]


def text(seed: int) -> str:
    dice = random.Random(seed)
    return " ".join(dice.choices(WORDS, k=60))


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


@pytest.fixture(scope="module")
def matter(tmp_path_factory: pytest.TempPathFactory) -> tc.Matter:
    """Two roots with the same relative paths, and names that are ends of each other."""
    place = tmp_path_factory.mktemp("naming")
    one = write(
        place / "one",
        {
            "board/minutes.txt": text(1),
            "board/2021/minutes.txt": text(2),
            "lease.txt": text(3),
            "old/Lease.txt": text(4),
            "older/lease.txt": text(8),
            "3": text(5),
            "100% [final]_v1.txt": text(6),
            "drafts/only here.txt": text(7),
            "empty.txt": "",
        },
    )
    two = write(place / "two", {"board/minutes.txt": text(11), "other.txt": text(12)})
    made = tc.scan(one, place / "m", report=False)
    made.add(two, "second")
    return made


def path_of(matter: tc.Matter, name: str) -> str:
    return matter.document(name).path


@pytest.mark.parametrize("name", ["TC-000002", "tc-000002", "TC-2", "tc-2", "2", "0002"])
def test_an_id_may_be_short(name: str, matter: tc.Matter):
    assert matter.document(name).number == 2


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("lease.txt", "lease.txt"),
        ("old/Lease.txt", "old/Lease.txt"),
        ("only here.txt", "drafts/only here.txt"),
        ("ONLY HERE.txt", "drafts/only here.txt"),
        ("2021/minutes.txt", "board/2021/minutes.txt"),
        ("board\\2021\\minutes.txt", "board/2021/minutes.txt"),
        ("100% [final]_v1.txt", "100% [final]_v1.txt"),
    ],
)
def test_a_path_a_file_name_and_the_end_of_a_path_name_a_document(name: str, path: str, matter: tc.Matter):
    assert path_of(matter, name) == path


def test_a_path_comes_before_a_file_name(matter: tc.Matter):
    """Another document's path ends in the same file name."""
    assert path_of(matter, "lease.txt") == "lease.txt"
    assert path_of(matter, "older/lease.txt") == "older/lease.txt"


def test_an_id_comes_before_a_path(matter: tc.Matter):
    """The file is called 3, and 3 is another document's id."""
    assert matter.document("3").number == 3
    assert path_of(matter, "3") != "3"


@pytest.mark.parametrize("name", ["ere.txt", "minutes", "%.txt", "_v1.txt", "boar_/minutes.txt", "\udcff", "a\0b"])
def test_a_part_of_a_name_is_no_name(name: str, matter: tc.Matter):
    """Neither half a file name nor what a database would take for a wildcard."""
    with pytest.raises(NotFound, match="has no document"):
        matter.document(name)


@pytest.mark.parametrize("name", ["TC-000099", "99", "0", "-1", "999999999999999999999999"])
def test_a_number_that_no_document_has_is_not_found(name: str, matter: tc.Matter):
    with pytest.raises(NotFound):
        matter.document(name)


def test_a_name_that_several_have_is_refused_and_the_choices_are_listed(matter: tc.Matter):
    """Where two paths are equal, their roots tell them apart."""
    with pytest.raises(UsageError, match=r"'minutes\.txt' is not clear: 3 documents") as refused:
        matter.document("minutes.txt")
    named = {document.id: document for document in matter.documents() if document.path.endswith("minutes.txt")}
    assert len(named) == 3
    for name, document in named.items():
        shown = document.path if "2021" in document.path else f"{document.path} (in {document.root})"
        assert f"{name} ({shown})" in refused.value.hint
    with pytest.raises(UsageError, match="2 documents"):
        matter.document("board/minutes.txt")


def test_the_same_path_in_one_root_is_told_apart_by_wave(tmp_path: Path):
    """A file that was changed and added again."""
    room = write(tmp_path / "room", {"a.txt": text(1)})
    made = tc.scan(room, tmp_path / "m", report=False)
    write(room, {"a.txt": text(2)})
    made.add(room, "later")
    with pytest.raises(UsageError) as refused:
        made.document("a.txt")
    assert "TC-000001 (a.txt (wave wave 1)), TC-000002 (a.txt (wave later))" in refused.value.hint


def test_many_choices_are_counted(tmp_path: Path):
    made = tc.scan(write(tmp_path / "r", {f"{i:02}/x.txt": text(i) for i in range(14)}), tmp_path / "m", report=False)
    with pytest.raises(UsageError) as refused:
        made.document("x.txt")
    assert refused.value.hint.count("TC-") == 10
    assert "and 4 more" in refused.value.hint


def test_who_mistypes_gets_what_is_like_it_and_the_command_that_lists_all(matter: tc.Matter):
    with pytest.raises(NotFound) as refused:
        matter.document("only here")
    assert "Did you mean" in refused.value.hint
    assert "drafts/only here.txt" in refused.value.hint
    assert f"`truecopy documents --matter {matter.path}`" in refused.value.hint


@pytest.mark.parametrize("name", ["7", "tc-000007", "100% [final]_v1.txt", "old/Lease.txt"])
def test_every_question_takes_the_same_names(name: str, matter: tc.Matter):
    """Text, similar, compare and containment all mean the same document."""
    document = matter.document(name)
    assert matter.text(name) == matter.text(document) != ""
    assert matter.similar(name) == matter.similar(document)
    assert matter.containing(name).hits == matter.containing(document).hits
    assert matter.compare(name, "1") == matter.compare(document, matter.document("1"))


def test_a_file_on_disk_is_meant_only_where_the_matter_has_no_such_name(
    matter: tc.Matter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """`./lease.txt` is always the file; of a name that is not clear, the hint says so."""
    (tmp_path / "lease.txt").write_text(text(12))
    (tmp_path / "minutes.txt").write_text(text(12))
    (tmp_path / "new.txt").write_text(text(12))
    monkeypatch.chdir(tmp_path)
    assert [hit.document.path for hit in matter.similar("./lease.txt")] == ["other.txt"]
    assert [hit.document.path for hit in matter.similar("new.txt")] == ["other.txt"]
    assert matter.similar("lease.txt") == matter.similar("TC-000007") == []
    assert path_of(matter, "7") == "lease.txt"
    with pytest.raises(UsageError) as refused:
        matter.similar("minutes.txt")
    assert "begin its path with ./" in refused.value.hint


@pytest.mark.parametrize("ask", ["similar", "containing", "contained_in"])
def test_a_document_without_text_is_refused_with_its_reason(ask: str, matter: tc.Matter):
    with pytest.raises(UnreadableInput, match=r"\(empty\.txt\) has no text to compare: it is empty"):
        getattr(matter, ask)("empty.txt")


def test_names_are_looked_up_without_making_every_document(matter: tc.Matter, monkeypatch: pytest.MonkeyPatch):
    """A name costs a question to the database, not a list of all documents."""
    monkeypatch.setattr("truecopy.matter.sql.documents.DocumentTable.walk", lambda _: pytest.fail("all were read"))
    assert path_of(matter, "only here.txt") == "drafts/only here.txt"
    assert matter.text("tc-2")


# Many names at once, and letters in another form


def test_a_list_of_names_means_what_each_of_them_means(matter: tc.Matter):
    """The lookup of a whole list agrees with that of one name; what is refused there is found by nobody here."""
    names = ["TC-000002", "tc-2", "0002", "lease.txt", "LEASE.TXT", "old/Lease.txt", "only here.txt", "ONLY HERE.txt"]
    names += [
        "2021/minutes.txt",
        "board\\2021\\minutes.txt",
        "minutes.txt",
        "board/minutes.txt",
        "3",
        "99",
        "nobody.txt",
    ]
    names += ["ere.txt", "other.txt", "OTHER.TXT", "/lease.txt", "100% [final]_v1.txt", ""]
    found = numbers_of(matter.documents(), names)
    for name in names:
        try:
            alone = [matter.document(name).number]
        except (NotFound, UsageError):
            alone = []
        assert found[name] == alone, name
    assert sum(bool(numbers) for numbers in found.values()) == 14


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> tc.Matter:
    """File names as macOS stores them, accents apart from their letters, and in capitals that SQLite does not know."""
    place = tmp_path_factory.mktemp("foreign")
    names = [unicodedata.normalize("NFD", "Verträge/Übergabe.txt"), "ΣΎΜΒΑΣΗ.txt", "a.txt"]
    return tc.scan(write(place / "room", {name: text(i) for i, name in enumerate(names)}), place / "m", report=False)


@pytest.mark.parametrize(
    "name", ["Verträge/Übergabe.txt", "übergabe.txt", "ÜBERGABE.TXT", "vertra\u0308ge/Übergabe.txt", "σύμβαση.txt"]
)
def test_letters_are_the_same_in_any_form_and_case(name: str, foreign: tc.Matter):
    path = foreign.document(name).path
    assert path != name
    assert numbers_of(foreign.documents(), [name]) == {name: [foreign.document(path).number]}


def test_principals_are_named_like_any_document(matter: tc.Matter, tmp_path: Path):
    """By short ids and ends of paths too; a name that two documents have chooses neither, and that is said."""
    room = write(tmp_path / "room", {"a/x.txt": text(1), "b/x.txt": text(2) + " more", "c/y.txt": text(1) + " more"})
    made = tc.scan(room, tmp_path / "m", rule="given", given=["x.txt", "tc-1"], report=False)
    assert made.missing_principals() == ["x.txt"]
    assert [group.principal.path for group in made.groups()] == ["a/x.txt"]
    longest = tc.scan(room, tmp_path / "other", report=False)
    assert [group.principal.path for group in longest.groups()] == ["c/y.txt"]


def test_a_document_of_another_matter_is_refused(matter: tc.Matter, foreign: tc.Matter):
    """Its number is another document's here, or nobody's: its text would be that one's."""
    asked = {
        "text": foreign.text,
        "group": foreign.group,
        "group_places": lambda one: foreign.group_places([foreign.documents()[0], one]),
        "similar": foreign.similar,
        "containing": foreign.containing,
        "compare": lambda one: foreign.compare(foreign.documents()[0], one),
    }
    assert len(matter.documents()) > len(foreign.documents())
    for one in (matter.documents()[0], matter.documents()[-1]):
        for name, ask in asked.items():
            with pytest.raises(NotFound, match="was not given by the matter") as refused:
                ask(one)
            assert one.id in refused.value.message, name
    again = tc.open(foreign.path)  # its own documents are known, whoever has opened it
    assert all(again.text(one) == foreign.text(one) for one in foreign.documents())


def test_an_empty_name_is_called_that(matter: tc.Matter):
    for ask in (matter.document, matter.text, matter.similar, matter.document_page, matter.group_page):
        with pytest.raises(UsageError, match="An empty name was given"):
            ask(*(("",) if ask != matter.document_page else (None, "")))
    assert matter.find("") is None
