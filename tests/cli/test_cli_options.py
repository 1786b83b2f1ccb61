"""What is typed reaches the library as it was meant."""

from __future__ import annotations

from pathlib import Path

import pytest


def test_every_option_of_scan_reaches_the_library(cli, library, tmp_path):
    principals = tmp_path / "first.txt"
    principals.write_text("\ufeffTC-000004\n\n  a/b.txt \n", encoding="utf-8")
    typed = ["scan", "one", "*.pdf", "--matter", "m", "--threshold", "92.5", "--floor", "75", "--recall", "0.99"]
    typed += ["--rule", "given", "--principals", str(principals), "--against", "form.docx", "--ocr"]
    typed += [
        "--exclude",
        "*.log",
        "--exclude",
        "drafts/**",
        "--threads",
        "2",
        "--memory",
        "3GB",
        "--no-report",
        "--access",
        "group",
    ]
    typed += ["--max-members", "9", "--follow-links", "--encoding", "cp1252", "--encoding", "old/**=cp437"]
    assert cli(*typed).code == 0
    asked = dict(library.asked)
    asked.pop("progress")
    assert asked == {
        "given": ["TC-000004", "a/b.txt"],
        "matter": Path("m"),
        "threshold": 92.5,
        "floor": 75.0,
        "recall": "0.99",
        "rule": "given",
        "access": "group",
        "against": Path("form.docx"),
        "exclude": ("*.log", "drafts/**"),
        "follow_links": True,
        "encoding": ("cp1252", "old/**=cp437"),
        "ocr": True,
        "max_members": 9,
        "threads": 2,
        "memory": "3GB",
        "report": False,
    }
    assert library.paths == ["one", "*.pdf"]


def test_scan_writes_its_report_unless_told_otherwise(cli, library, tmp_path):
    assert cli("scan", "room").code == 0
    assert library.asked["report"] is True
    assert cli("scan", "room", "--report", str(tmp_path / "r.html")).code == 0
    assert library.asked["report"] == tmp_path / "r.html"


def test_left_out_settings_are_left_to_the_library(cli, library):
    assert cli("init").code == 0
    assert library.asked["floor"] is None
    assert library.asked["recall"] is None
    for command, relation in ((["groups"], "similar"), (["pairs", "--relation", "contains"], "contains")):
        assert cli(*command).code == 0
        assert library.least == (relation, None)


def test_pairs_and_similar_and_add_pass_what_they_are_given(cli, library):
    assert cli("pairs", "--threshold", "81", "--relation", "contains", "--expand").code == 0
    assert library.asked == {"threshold": 81.0, "relation": "contains", "expand": True}
    assert cli("similar", "TC-000002", "--threshold", "90").code == 0
    assert library.asked == {"document": "TC-000002", "threshold": 90.0}
    assert (
        cli(
            "add",
            "x",
            "y",
            "--wave",
            "second",
            "--threads",
            "1",
            "--memory",
            "2GB",
            "--max-members",
            "9",
            "--follow-links",
        ).code
        == 0
    )
    assert (library.asked["custodian"], library.asked["custodian_from"]) == ("", None)
    assert library.asked["follow_links"] is True
    assert library.asked["paths"] == ["x", "y"]
    assert library.asked["wave"] == "second"
    assert library.asked["threads"] == 1
    assert library.asked["memory"] == "2GB"
    assert library.asked["max_members"] == 9
    assert cli("add", "x", "--custodian", "Lee Ann", "--custodian-from", "{custodian}/**").code == 0
    assert (library.asked["custodian"], library.asked["custodian_from"]) == ("Lee Ann", "{custodian}/**")


def test_reports_go_where_they_are_sent(cli, library, tmp_path):
    sent = str(tmp_path / "x.xlsx")
    said = {"ok": True, "report": sent, "format": "xlsx", "redlines": 0}
    assert cli("report", "--xlsx", "--output", sent, "--json").json == said
    folder = cli("report", "--output", str(tmp_path), "--json")
    assert folder.code == 2
    assert "is a folder" in folder.json["error"]["message"]


@pytest.mark.parametrize(("content", "code"), [(None, "not-found"), (b"\xff\xfe\x00", "unreadable")])
def test_a_file_of_principals_that_cannot_be_read_is_refused(content, code, cli, library, tmp_path):
    file = tmp_path / "principals.txt"
    if content is not None:
        file.write_bytes(content)
    ran = cli("init", "--rule", "given", "--principals", str(file), "--json")
    assert ran.code == 1
    assert ran.json["error"]["code"] == code


def test_a_wave_that_is_no_text_is_refused_in_one_sentence(cli, tmp_path):
    """Bytes that are not UTF-8, as a terminal of another encoding sends them: wrong use, and no error of ours."""
    (tmp_path / "a.txt").write_text("words of a text")
    matter = str(tmp_path / "m")
    assert cli("init", "--matter", matter).code == 0
    ran = cli("add", str(tmp_path / "a.txt"), "--matter", matter, "--wave", "w\udcff")
    assert ran.code == 2
    assert ran.err.splitlines() == [
        "The name of the wave is 'w\\udcff', but it must be valid Unicode (UTF-8) without NUL characters.",
        "Give another one with --wave, or none to have the wave numbered.",
    ]
    ran = cli("add", str(tmp_path / "a.txt"), "--matter", matter, "--wave", "w\udcff", "--json")
    assert (ran.code, ran.json["error"]["code"]) == (2, "bad-setting")


@pytest.mark.parametrize(
    "words",
    [["documents"], ["status"], ["scan", "one"], ["doctor"], ["sign", "--method", "simhash"], ["compare", "a", "b"]],
)
def test_a_matter_without_a_name_is_not_the_current_folder(words, cli):
    """`--matter "$CASE"`, where CASE was never set."""
    ran = cli(*words, "--matter", "", "--json")
    assert ran.code == 2
    assert ran.json["error"]["message"] == "--matter was given an empty name."
    assert ran.json["error"]["hint"]
