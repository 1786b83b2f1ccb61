"""The report of a real matter: its numbers are the matter's, they agree with each other, and its commands run."""

from __future__ import annotations

import html
import json
import re
import shlex
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

import truecopy as tc
from truecopy.cli.run import run
from truecopy.demo import write_dataroom
from truecopy.model import NOT_SEARCHED, Member
from truecopy.report import THOROUGH, RedlineBudget, write_html, write_html_with_redlines, write_xlsx
from truecopy.report.build import build_page


@pytest.fixture(scope="module")
def matter(tmp_path_factory: pytest.TempPathFactory) -> tc.Matter:
    """A data room with copies of copies, of damaged files, of sheets of figures and of short notes."""
    folder = tmp_path_factory.mktemp("report of a matter")
    room = write_dataroom(folder / "room", documents=60, seed=7).folder
    (room / "damaged.docx").write_bytes(b"PK\x03\x04 this is no archive")
    shutil.copy(room / "damaged.docx", room / "damaged too.docx")
    for name in ("figures.csv", "figures again.csv"):
        (room / name).write_text("1,500;2.75\n3;4\n")
    for name in ("note.txt", "the same note.txt"):
        (room / name).write_text("Call me back today.")
    (room / "nothing.txt").write_text("")
    first = sorted(room.rglob("*.txt"))[3]
    for n in range(3):
        shutil.copy(first, room / f"100% copy #{n}.txt")
    return tc.scan(room, folder / "the matter", report=False)


@pytest.fixture(scope="module")
def content(matter: tc.Matter) -> str:
    return write_html(matter, matter.path / "report.html", budget=THOROUGH).read_text("utf-8")


@pytest.fixture(scope="module")
def data(content: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', content, re.DOTALL)
    assert found
    loaded: dict[str, Any] = json.loads(found[1])
    return loaded


def test_every_row_is_what_the_matter_says_of_member_and_principal(matter: tc.Matter, data: dict[str, Any]) -> None:
    ids, kinds = data["documents"]["id"], [kind for kind, _ in data["kinds"]]
    shown = {
        (ids[principal], ids[member]): (tenths, kinds[kind])
        for _, principal, members, similarities, found in data["groups"]
        for member, tenths, kind in zip(members, similarities, found, strict=True)
    }
    compared = 0
    for (principal, member), (tenths, kind) in shown.items():
        if matter.document(principal).words:
            answer = matter.compare(principal, member)
            assert kind == answer.kind
            assert tenths == (1000 if answer.similarity == 100 else min(round(answer.similarity * 10), 999))
            compared += 1
    assert compared == sum(len(group.members) for group in matter.groups().groups) > 20


def test_copies_name_their_original(matter: tc.Matter, data: dict[str, Any]) -> None:
    ids, originals = data["documents"]["id"], data["documents"]["copy"]
    shown = {ids[at]: "" if original < 0 else ids[original] for at, original in enumerate(originals)}
    assert shown == {one.id: one.copy_of for one in matter.documents()}
    assert sum(bool(original) for original in shown.values()) == matter.counts().copies >= 6


def test_the_counts_on_the_page_agree_with_each_other(matter: tc.Matter, content: str, data: dict[str, Any]) -> None:
    counts = matter.counts()
    figures = content[content.index('class="figures"') : content.index('<section id="documents">')]
    found = [int(number.replace(",", "")) for number in re.findall(r'class="figure">([\d,]+)<', figures)]
    assert found == [counts.copies, counts.near_copies, counts.to_read, counts.not_searched, counts.empty]
    assert sum(found) == len(matter.documents()) == len(data["documents"]["id"])
    listed = Counter(one for _, principal, members, *_ in data["groups"] for one in (principal, *members))
    listed.update(one for one, *_ in data["linked"])
    listed.update(one for name, each in data["lists"].items() if name != "remarked" for one in each)
    assert listed == Counter(range(len(data["documents"]["id"]))), "every document once, in some list"
    members = [one for _, _, members, *_ in data["groups"] for one in members]
    copies = [one for one in members if data["documents"]["copy"][one] >= 0]
    assert len(members) - len(copies) == counts.near_copies
    assert f"{len(members)} members: {counts.near_copies} near copies and {len(copies)} copies" in content
    assert f"{len(data['groups'])} groups at a threshold of 80" in content
    unsearched = [one for one in matter.documents() if one.status in NOT_SEARCHED]
    assert len(data["lists"][""]) == len(unsearched)
    assert len([one for one in unsearched if not one.copy_of]) == counts.not_searched


def test_every_stored_pair_of_a_text_and_its_holder_is_shown_or_in_one_group(
    matter: tc.Matter, content: str, data: dict[str, Any]
) -> None:
    """Whatever its kind; those below the threshold all in the list of contained texts, the others counted above it."""
    ids, kinds = data["documents"]["id"], [kind for kind, _ in data["kinds"]]
    shown = Counter(
        (frozenset((ids[part], ids[whole])), kinds[kind])
        for part, wholes, _, found, _ in data["contained"]
        for whole, kind in zip(wholes, found, strict=True)
    )
    stored = matter.pairs(matter.settings.contains_floor, relation="contains").pairs
    wanted = Counter((frozenset((one.a.id, one.b.id)), one.kind) for one in stored)
    below = [one for one in stored if one.scores.similarity is None or one.scores.similarity < 80]
    assert {one.kind for one in below} == {"excerpt", "elaboration", "revision"}
    assert {(frozenset((one.a.id, one.b.id)), one.kind) for one in below} <= shown.keys()
    assert shown <= wanted
    places = {
        one.document.id: group.id
        for group in matter.groups().groups
        for one in (Member(group.principal, 100.0, ""), *group.members)
    }
    missing = [pair for pair, _ in (wanted - shown)]
    assert missing
    assert all(len({places[one] for one in pair}) == 1 for pair in missing)
    assert f"{len(missing)} more pairs of a text and a document that holds it are not repeated here" in content


MESSAGE = """From: Ann <ann@example.com>
To: Ben <ben@example.com>
Date: Tue, {day} Mar 2021 10:00:00 +0000
Subject: {subject}
Message-ID: <{day}@example.com>

{body}
"""


def test_a_message_in_its_later_and_longer_reply_is_shown(tmp_path: Path) -> None:
    """The kind is `elaboration`, as the longer one is later; no group has the two."""
    asked = (
        "Dear Ben, please find below what we discussed on the phone this morning about the lease of the warehouse in "
        "the harbor. The landlord offers a term of five years with an option for another three. The rent would go up "
        "every year by the rate of inflation. Insurance is ours to pay, repairs of the roof are his. Tell me what you "
        "think of it before he signs with somebody else. Kind regards, Ann"
    )
    answered = (
        "Ann, I have read it twice. Inflation is hard to plan with, so let us ask for a fixed step instead. The roof "
        "is old, and I want a survey of it first, with photographs. Can the option be longer than three years? Our own "
        "customers ask for ten. Also find out who pays for the gate, which has been broken since autumn. Ben"
    )
    room = tmp_path / "room"
    room.mkdir()
    (room / "1.eml").write_text(MESSAGE.format(day="02", subject="lease", body=asked))
    (room / "2.eml").write_text(MESSAGE.format(day="09", subject="Re: lease", body=f"{answered}\n\n{asked}"))
    matter = tc.scan(room, tmp_path / "the matter", report=False)
    page = build_page(matter)
    assert not page.groups
    assert [(one.document.path, one.holders[0].document.path, one.holders[0].kind) for one in page.contained] == [
        ("1.eml", "2.eml", "elaboration")
    ]
    written = write_html(matter, tmp_path / "report.html").read_text("utf-8")
    assert "No text is contained in another" not in written


def test_the_summary_of_the_workbook_says_which_documents_are_copies_so_that_it_adds_up(
    matter: tc.Matter, tmp_path: Path
) -> None:
    from openpyxl import load_workbook

    book = load_workbook(write_xlsx(matter, tmp_path / "report.xlsx"))
    table = {str(row[0]): (row[1], str(row[3])) for row in book["Summary"].iter_rows(min_row=2, values_only=True)}
    unreadable, said = table["Status: unreadable"]
    assert said.endswith("; 1 of them a copy, and counted as a copy above")
    assert unreadable - 1 == table["Not searched"][0] == matter.counts().not_searched
    copies = sum(int(found[1]) for _, said in table.values() if (found := re.search(r"; (\d+) of them a cop", said)))
    repeated = sum(table[f"Status: {status}"][0] for status in ("same-file", "same-text"))
    assert copies + repeated == table["Copies"][0] == matter.counts().copies
    contained = list(book["Contained"].iter_rows(min_row=2, values_only=True))
    assert len({row[0] for row in contained}) == table["Contained texts"][0]
    assert {row[-1] for row in contained} >= {"excerpt", "elaboration"}


@pytest.mark.skipif(sys.platform == "win32", reason="commands are split as a POSIX shell does")
def test_every_command_on_the_page_runs(
    matter: tc.Matter, content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = {html.unescape(one) for one in re.findall(r'<code class="command">(truecopy [^<]*)</code>', content)}
    assert len(commands) >= 2
    for command in sorted(commands):
        assert run(shlex.split(command)[1:]) == 0, command
    capsys.readouterr()


def test_redlines_that_have_no_room_are_pages_beside_the_report(matter: tc.Matter, tmp_path: Path) -> None:
    """One for each member that differs from its principal and is no copy: in the page, or beside it, never both."""
    page, count = write_html_with_redlines(matter, tmp_path / "the report.html", budget=RedlineBudget(redlines=2))
    content = page.read_text("utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', content, re.DOTALL)
    assert found
    data = json.loads(found[1])
    inside = {int(at) for at in re.findall(r'id="redline-(\d+)"', content)}
    beside = {int(at): address for at, address in data["beside"].items()}
    ids = data["documents"]["id"]
    wanted = {
        ids.index(member.document.id)
        for group in matter.groups().groups
        for member in group.members
        if member.kind not in ("same-file", "same-text") and not member.copy_of
    }
    assert len(inside) == 2
    assert inside | beside.keys() == wanted
    assert not inside & beside.keys()
    assert count == len(beside) == len(list((tmp_path / "the report-files").iterdir()))
    for address in beside.values():
        assert (tmp_path / unquote(address)).read_text("utf-8").count('class="text"') == 1
