"""What a matter says about encodings: of each document, in lists, in the report, and what was given for it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

import truecopy as tc
from truecopy.cli.run import run
from truecopy.errors import BadSetting
from truecopy.read.encodings.rules import encoding_of

HEBREW = "הסכם זה נכנס לתוקף ביום חתימתו על ידי שני הצדדים ויעמוד בתוקפו למשך שלוש שנים מיום החתימה.\n" * 2
GERMAN = "Der Mieter trägt die Kosten für Strom, Wasser und Müll; die Vergütung beträgt 500 Euro im Jahr.\n" * 2
DOUBTED = "It was agreed that A\xa4 B and nothing else is due under this lease by any of its parties.\n"


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("room")
    (folder / "hebrew").mkdir()
    (folder / "hebrew" / "lease.txt").write_bytes(HEBREW.encode("cp1255"))
    (folder / "german.txt").write_bytes(GERMAN.encode("latin-1"))
    (folder / "plain.txt").write_text("These are plain words of a lease that everybody can read without doubt.\n")
    (folder / "odd.txt").write_bytes(DOUBTED.encode("latin-1"))
    (folder / "page.html").write_bytes(f'<meta charset="windows-1255"><p>{HEBREW}</p>'.encode("cp1255"))
    return folder


@pytest.fixture(scope="module")
def matter(room: Path, tmp_path_factory: pytest.TempPathFactory) -> tc.Matter:
    return tc.scan(room, tmp_path_factory.mktemp("m") / "matter", report=True)


def test_each_document_has_its_encoding_and_how_sure_that_is(matter: tc.Matter) -> None:
    """Certain ones have 100, guessed ones less, and one has a doubt, which its reason says too."""
    found = {one.path: one for one in matter.documents()}
    assert (found["plain.txt"].encoding, found["plain.txt"].confidence, found["plain.txt"].doubt) == ("utf-8", 100, "")
    assert found["hebrew/lease.txt"].encoding == "cp1255"
    assert found["hebrew/lease.txt"].doubt == ""
    assert matter.text(found["hebrew/lease.txt"]) == HEBREW
    assert found["page.html"].encoding == "cp1255"
    odd = found["odd.txt"]
    assert odd.doubt.startswith("read as")
    assert odd.doubt in odd.reason
    assert odd.confidence is not None
    assert odd.confidence < 95


def answered(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints."""
    capsys.readouterr()
    assert run(arguments) == 0
    return capsys.readouterr().out


def test_lists_and_report_show_the_doubt(matter: tc.Matter, capsys: pytest.CaptureFixture[str]) -> None:
    """`documents --doubted`, its JSON and the report name the text that is in doubt."""
    where = ("--matter", str(matter.path))
    answer = json.loads(answered(capsys, "documents", "--doubted", "--json", *where))
    assert [one["path"] for one in answer["documents"]] == ["odd.txt"]
    assert answer["documents"][0]["doubt"]
    assert answer["documents"][0]["encoding"]
    assert "with doubt" in answered(capsys, "documents", "--doubted", *where)
    page = (matter.path / "report.html").read_text(encoding="utf-8")
    assert "Read with doubt: 1" in page
    assert "1 text was read with doubt about its encoding" in page


def test_scan_says_how_many_texts_are_in_doubt(room: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the terminal and in JSON; nothing where there is none."""
    place = ("--matter", str(tmp_path / "m"), "--no-report")
    assert "1 text was read with doubt about the encoding." in answered(capsys, "scan", str(room), *place)
    place = ("--matter", str(tmp_path / "n"), "--no-report", "--json")
    assert json.loads(answered(capsys, "scan", str(room), *place))["doubted"] == 1
    place = ("--matter", str(tmp_path / "o"), "--no-report")
    assert "doubt" not in answered(capsys, "scan", str(room), *place, "--encoding", "iso8859-15")


def test_status_says_how_many_texts_are_in_doubt(
    matter: tc.Matter, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Later too, with the command that lists them; nothing where there is none."""
    where = ("--matter", str(matter.path))
    assert matter.doubted() == 1
    assert json.loads(answered(capsys, "status", "--json", *where))["doubted"] == 1
    said = answered(capsys, "status", *where)
    assert "1 text was read with doubt about the encoding." in said
    assert "truecopy documents --doubted" in said
    empty = ("--matter", str(tc.create(tmp_path / "empty").path))
    assert "doubt" not in answered(capsys, "status", *empty)
    assert json.loads(answered(capsys, "status", "--json", *empty))["doubted"] == 0


def test_a_given_encoding_is_taken_for_its_paths_and_kept(room: Path, tmp_path: Path) -> None:
    """Rules by path, the last that matches counts; what is UTF-8 stays that; the wave's details say what was given."""
    rules = ["iso8859-15", "hebrew/**=cp1255"]
    made = tc.scan(room, tmp_path / "m", encoding=rules, report=False)
    found = {one.path: one for one in made.documents()}
    assert {path: one.encoding for path, one in found.items() if path.endswith(".txt")} == {
        "plain.txt": "utf-8",
        "german.txt": "iso8859-15",
        "odd.txt": "iso8859-15",
        "hebrew/lease.txt": "cp1255",
    }
    assert all(one.confidence == 100 and not one.doubt for one in found.values())
    assert "A€ B" in made.text(found["odd.txt"])
    [database] = [file for file in (tmp_path / "m").iterdir() if file.read_bytes()[:6] == b"SQLite"]
    connection = sqlite3.connect(database)
    [(details,)] = connection.execute("SELECT details FROM waves").fetchall()
    connection.close()
    assert json.loads(details)["encoding"] == rules
    assert made.facts().settings["encoding"] == rules


def test_bytes_that_do_not_fit_what_was_given_are_said(tmp_path: Path) -> None:
    """The given encoding is used, and the doubt said."""
    (tmp_path / "a.txt").write_bytes(GERMAN.encode("latin-1") + b"\xff\xdb\xd9")
    made = tc.scan(tmp_path / "a.txt", tmp_path / "m", encoding="cp1255", report=False)
    [one] = made.documents()
    assert one.encoding == "cp1255"
    assert "no meaning" in one.doubt


def test_files_from_outside_are_read_as_given(
    matter: tc.Matter, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`similar` and `compare` take it too."""
    file = tmp_path / "lease.txt"
    file.write_bytes(HEBREW.encode("cp1255"))
    other = tmp_path / "utf8.txt"
    other.write_text(HEBREW, encoding="utf-8")
    assert tc.compare(file, other, encoding="cp1255").kind == "same-text"
    assert tc.compare(file, other, encoding="lease.*=koi8-r").kind == "unrelated"
    said = answered(capsys, "compare", str(file), str(other), "--encoding", "cp1255", "--json")
    assert json.loads(said)["read"]["a"] == {"encoding": "cp1255", "confidence": 100, "doubt": None}
    asked = ("similar", str(file), "--matter", str(matter.path), "--json")
    assert len(json.loads(answered(capsys, *asked))["hits"]) == 2
    assert json.loads(answered(capsys, *asked, "--encoding", "*.txt=koi8-r"))["hits"] == []
    odd = tmp_path / "odd.txt"
    odd.write_bytes(DOUBTED.encode("latin-1"))
    said = answered(capsys, "similar", str(odd), "--matter", str(matter.path), "--json")
    assert json.loads(said)["doubt"].startswith("read as")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("cp1525", "Did you mean cp125"),
        ("no-such", "no encoding named"),
        ("a/**=", "names no encoding"),
        ("=cp1252", "no path"),
    ],
)
def test_unknown_encodings_are_refused_with_near_names(rule: str, said: str, tmp_path: Path) -> None:
    """One sentence, and what was meant."""
    (tmp_path / "a.txt").write_text("words")
    with pytest.raises(BadSetting) as refused:
        tc.scan(tmp_path / "a.txt", tmp_path / "m", encoding=rule)
    assert said in f"{refused.value} {refused.value.hint}"
    assert not (tmp_path / "m").exists()


def test_the_last_rule_that_matches_counts() -> None:
    """Exceptions come after the general rule."""
    of = encoding_of(("cp1252", "old/**=cp437", "old/ru/**=koi8-r"))
    assert of is not None
    assert [of(path) for path in ("a.txt", "old/a.txt", "old/ru/a.txt")] == ["cp1252", "cp437", "koi8-r"]
    assert encoding_of(()) is None
