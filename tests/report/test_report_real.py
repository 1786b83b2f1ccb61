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
from truecopy.model import NOT_SEARCHED
from truecopy.report import THOROUGH, Budget, write_html, write_html_with_redlines


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
    page, count = write_html_with_redlines(matter, tmp_path / "the report.html", budget=Budget(redlines=2))
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
