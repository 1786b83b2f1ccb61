"""Lists page by page, and custodians: all pages together are the whole list, once and in order."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import cli_room
import pytest

import truecopy as tc
from truecopy.cli.run import run
from truecopy.errors import NotFound, UsageError
from truecopy.model import Filter


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> tc.Matter:
    """Three waves of three custodians: groups, copies, linked documents, and documents without a text between them."""
    place = tmp_path_factory.mktemp("pages")
    dice = random.Random(5)
    files: dict[str, str | bytes] = {}
    for family in range(6):
        base = cli_room.text(family)
        files[f"Lee Ann/{family} a.txt"] = base
        files[f"Bo/mail/{family} b.txt"] = cli_room.changed(base, 6)
        files[f"Bo/mail/{family} b again.txt"] = cli_room.changed(base, 6)
        files[f"Lee Ann/{family} far.txt"] = cli_room.changed(base, 60)  # 75 % similar
        files[f"Lee Ann/{family}.docx"] = b"PK\x03\x04 no archive" * (1 + family // 2)
    for link in range(4):
        # The second draft is like the first and like the third, which are not alike; the first is longer and principal.
        words = cli_room.text(100 + link).split()
        for draft in range(3):
            files[f"Bo/drafts/{link}-{draft}.txt"] = " ".join(words) + " The end." * (3 - draft)
            for i in dice.sample(range(len(words)), 40):
                words[i] = f"new{draft}x{i}"
    made = tc.create(place / "matter")
    made.add(cli_room.write(place / "room", files), custodian_from="{custodian}/**")
    more = {f"{n}.txt": cli_room.changed(cli_room.text(n), 9) for n in range(3)}
    made.add(cli_room.write(place / "more", dict(more)), "production 2", custodian="Cy")
    made.add(cli_room.write(place / "rest", {"unknown.txt": cli_room.text(77)}))
    assert made.statuses()["linked"] >= 3
    return made


LISTS = {
    "documents": ["documents"],
    "documents of a status": ["documents", "--status", "not-searched"],
    "documents of a figure": ["documents", "--status", "copies", "--status", "to-read"],
    "documents of a custodian": ["documents", "--custodian", "Bo", "--custodian", "Cy"],
    "documents of a wave": ["documents", "--wave", "wave 1"],
    "documents on a path": ["documents", "--path", "*b*.txt"],
    "documents of a kind": ["documents", "--kind", "same-file", "--kind", "revision"],
    "groups": ["groups"],
    "groups of a view": ["groups", "--threshold", "72"],
    "pairs": ["pairs"],
    "pairs at the floor": ["pairs", "--threshold", "70"],
    "pairs of contains": ["pairs", "--relation", "contains"],
}


def entries(answer: Any) -> list[Any]:
    """What a page has, in its order: all groups come before the first linked document."""
    for key in ("documents", "pairs"):
        if key in answer:
            return list(answer[key])
    return [*answer["groups"], *answer["linked"]]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("name", sorted(LISTS))
def test_all_pages_are_the_whole_list_once_and_in_order(name: str, size: int, ask: Any) -> None:
    """Each page but the last is full, says how many there are in all, and where the next one begins."""
    words = LISTS[name]
    whole = ask(*words)
    assert whole["next"] is None
    assert len(entries(whole)) > 3
    found: list[Any] = []
    after: list[str] = []
    for _ in range(len(entries(whole)) + 2):
        page = ask(*words, "--limit", str(size), *after)
        for total in ("total", "linked_total", "complete", "left_out"):
            assert page.get(total) == whole.get(total)
        found += entries(page)
        if page["next"] is None:
            break
        assert len(entries(page)) == size
        following = page["next"] if isinstance(page["next"], list) else [page["next"]]
        after = ["--after", *following]
    assert found == entries(whole)
    assert page["next"] is None, "the last page says that it is the last one"


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_the_largest_groups_are_looked_up(size: int, ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are the first of all groups in that order, and no other group is read."""
    whole = ask("groups", "--sort", "-documents")
    monkeypatch.setattr(tc.Matter, "groups", lambda *_, **__: pytest.fail("all groups were read"))
    for words in (["--sort", "-documents"], ["--sort", "documents", "--reverse"]):
        found = ask("groups", *words, "--limit", str(size))
        assert found["groups"] == whole["groups"][:size]
        assert found["linked"] == whole["linked"][: size - len(found["groups"])]
        assert (found["total"], found["linked_total"], found["next"]) == (whole["total"], whole["linked_total"], None)


@pytest.mark.parametrize("name", ["documents", "groups", "pairs"])
def test_after_an_entry_comes_all_that_follows(name: str, ask: Any) -> None:
    """Without a limit, `--after` gives the rest of the list."""
    whole = entries(ask(name))
    middle = whole[2]
    after = [middle["a_id"], middle["b_id"]] if name == "pairs" else [middle["id"]]
    assert entries(ask(name, "--after", *after)) == whole[3:]
    last = [whole[-1]["a_id"], whole[-1]["b_id"]] if name == "pairs" else [whole[-1]["id"]]
    if name == "groups":
        last = [f"linked:{whole[-1]['id']}"]
    assert entries(ask(name, "--after", *last)) == []


def test_the_library_reads_the_same_pages(opened: tc.Matter) -> None:
    """Iterators give what the lists give, whatever the size of a page."""
    assert list(opened.each_document()) == list(opened.documents())
    assert list(opened.each_group()) == list(opened.groups().groups)
    for relation in ("similar", "contains"):
        assert list(opened.each_pair(80, relation)) == list(opened.pairs(80, relation))
    linked, after = [], None
    while page := opened.linked_page(after, 2):
        linked += page
        after = page[-1].document.id
    assert linked == list(opened.groups().linked)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["documents", "--after", "nobody.txt"], "no document with the id, path or file name 'nobody.txt'"),
        (["documents", "--path", "*.txt", "--after", "nobody.txt"], "no document with the id"),
        (["documents", "--after", ""], "An empty name was given"),
        (["documents", "--path", "*.txt", "--after", ""], "An empty name was given"),
        (["groups", "--after", ""], "An empty name was given"),
        (["groups", "--after", "", "--limit", "2"], "An empty name was given"),
        (["pairs", "--after", "TC-000001", ""], "An empty name was given"),
        (["documents", "--after", "TC-000001", "--sort", "words"], "--after goes on in the order of addition"),
        (["documents", "--after", "TC-000001", "--reverse"], "--after goes on in the order of addition"),
        (["groups", "--after", "TC-999999"], "no document with the id"),
        (["groups", "--after", "TC-999999", "--threshold", "72"], "no document with the id"),
        (["groups", "--after", "0.docx"], "has no text: no page of groups or pairs ends with it"),
        (["groups", "--after", "TC-000001", "--sort", "-documents"], "--after goes on in the order of addition"),
        (["pairs", "--after", "TC-000001", "nobody.txt"], "no document with the id"),
        (["pairs", "--after", "TC-000001", "0.docx"], "has no text: no page of groups or pairs ends with it"),
        (["pairs", "--after", "TC-000001", "TC-000002", "--expand"], "--expand"),
        (["pairs", "--after", "TC-000001"], "--after"),
    ],
)
def test_a_wrong_after_gets_one_clear_sentence(words: list[str], said: str, cli: Any, opened: tc.Matter) -> None:
    """With what to do about it, and no list."""
    ran = cli(words[0], "--matter", str(opened.path), "--json", *words[1:])
    assert ran.code in (1, 2)
    assert ran.json["ok"] is False
    assert said in ran.json["error"]["message"]
    assert ran.json["error"]["code"] != "internal"
    assert ran.json["error"]["hint"]


def test_the_two_documents_of_a_pair_can_be_given_in_either_order(ask: Any) -> None:
    whole = entries(ask("pairs"))
    one = whole[1]
    assert entries(ask("pairs", "--after", one["b_id"], one["a_id"])) == whole[2:]


# Custodians


def test_a_custodian_is_kept_with_each_document(ask: Any, opened: tc.Matter) -> None:
    """By a part of the path, by one name for a wave, or none; `status` counts them, and they add up."""
    every = ask("documents")["documents"]
    for one in every:
        expected = {"wave 1": one["path"].split("/")[0], "production 2": "Cy"}.get(one["wave"])
        assert one["custodian"] == expected
    counted = ask("status")["custodians"]
    assert counted == opened.custodians() == {"": 1, "Bo": 24, "Cy": 3, "Lee Ann": 18}
    assert sum(counted.values()) == len(every)


def test_documents_of_some_custodians_are_listed(ask: Any) -> None:
    """With other filters too; who has no document is refused, and the names are listed."""
    every = ask("documents")["documents"]
    for names in (["Bo"], ["Cy", "Lee Ann"]):
        asked = [word for name in names for word in ("--custodian", name)]
        found = ask("documents", *asked)
        assert found["documents"] == [one for one in every if one["custodian"] in names]
        assert found["total"] == len(found["documents"])
    both = ask("documents", "--custodian", "Bo", "--status", "copies")["documents"]
    assert both == [one for one in every if one["custodian"] == "Bo" and one["copy_of"]]
    assert both


def test_a_custodian_without_documents_is_refused(cli: Any, opened: tc.Matter) -> None:
    ran = cli("documents", "--custodian", "Nobody", "--matter", str(opened.path), "--json")
    assert ran.code == 2
    assert "--custodian was given 'Nobody'" in ran.json["error"]["message"]
    assert "Bo, Cy, Lee Ann" in ran.json["error"]["hint"]


def test_lists_can_be_sorted_by_custodian_and_shown(cli: Any, ask: Any, opened: tc.Matter) -> None:
    found = [one["custodian"] for one in ask("documents", "--sort", "custodian")["documents"]]
    assert found == sorted(filter(None, found)) + [None] * found.count(None)
    out = cli("documents", "--sort", "-custodian", "--limit", "3", "--matter", str(opened.path)).out
    assert out.count("Lee Ann") >= 3
    assert "Lee Ann" in cli("status", "--matter", str(opened.path)).out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--custodian", "Ann O'Neil"], {"Ann O'Neil": 3}),
        (["--custodian-from", "{custodian}/**"], {"Bo": 1, "Cy": 1, "": 1}),
        (["--custodian-from", "{custodian}/**", "--custodian", "the rest"], {"Bo": 1, "Cy": 1, "the rest": 1}),
        (["--custodian-from", "*/{custodian}.txt"], {"one": 1, "two": 1, "": 1}),
        ([], {"": 3}),
    ],
)
def test_add_says_whose_documents_are(words: list[str], expected: dict[str, int], cli: Any, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "Bo/one.txt": cli_room.text(1),
        "Cy/two.txt": cli_room.text(2),
        "three.txt": cli_room.text(3),
    }
    cli_room.write(tmp_path / "room", files)
    matter = ["--matter", str(tmp_path / "m")]
    assert cli("init", *matter).code == 0
    assert cli("add", str(tmp_path / "room"), *words, *matter).code == 0
    assert cli("status", *matter, "--json").json["custodians"] == expected


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--custodian-from", "mail/**"], "must have {custodian} once"),
        (["--custodian-from", "{custodian}/{custodian}"], "must have {custodian} once"),
        (["--custodian", "a\x00b"], "The custodian"),
    ],
)
def test_a_wrong_custodian_gets_one_clear_sentence(words: list[str], said: str, cli: Any, tmp_path: Path) -> None:
    """Before anything is read, and nothing is added."""
    cli_room.write(tmp_path / "room", {"one.txt": cli_room.text(1)})
    matter = ["--matter", str(tmp_path / "m")]
    assert cli("init", *matter).code == 0
    ran = cli("add", str(tmp_path / "room"), *words, *matter, "--json")
    assert ran.code == 2
    assert said in ran.json["error"]["message"]
    assert ran.json["error"]["hint"]
    assert cli("status", *matter, "--json").json["documents"] == 0


@pytest.mark.parametrize("threshold", [(), ("--threshold", "79")])
def test_a_wave_between_two_pages_repeats_and_loses_nothing(
    threshold: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The linked document that a page ended with gets a member before the next page is asked for."""

    def page(*words: str) -> Any:
        assert run(["groups", "--matter", str(tmp_path / "matter"), "--limit", "2", "--json", *threshold, *words]) == 0
        return json.loads(capsys.readouterr().out)

    sheets = [" ".join(str(1000 * sheet + n) for n in range(20)) for sheet in range(4)]
    files: dict[str, str | bytes] = {f"{n}-sheet.txt": sheet for n, sheet in enumerate(sheets)}
    files |= {f"{n}-total.txt": f"{sheet} total" for n, sheet in enumerate(sheets)}
    files |= {
        f"group {n}.txt": text for n, text in enumerate([cli_room.text(1), cli_room.changed(cli_room.text(1), 5)])
    }
    made = tc.create(tmp_path / "matter")
    made.add(cli_room.write(tmp_path / "room", files))
    first = page()
    assert [len(first["groups"]), len(first["linked"])] == [1, 1]
    ended = first["linked"][0]
    assert first["next"] == f"linked:{ended['id']}"
    made.add(cli_room.write(tmp_path / "more", {"new.txt": f"{made.text(ended['id']).strip()} sum"}))
    assert made.document(ended["id"]).status in ("principal", "member")
    second = page("--after", first["next"])
    third = page("--after", second["next"])
    assert second["groups"] == third["groups"] == []
    said = [one["path"] for one in [*first["linked"], *second["linked"], *third["linked"]]]
    assert [path for path in said if path.endswith("total.txt")] == [f"{n}-total.txt" for n in range(4)]
    assert len(set(said)) == len(said)


@pytest.mark.parametrize(
    "words",
    [
        ["groups", "--threshold", "--", "--json"],
        ["pairs", "--after", "TC-000001", "--", "--json"],
        ["stats", "show", "--", "--json"],
    ],
)
def test_json_is_heard_as_click_hears_it(
    words: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A `--` that is the value of an option ends nothing; one that is not is the end of the options."""
    monkeypatch.chdir(tmp_path)
    assert run(words) != 0
    said = capsys.readouterr()
    assert bool(said.out) == (words[0] != "stats")
    assert bool(said.err) == (words[0] == "stats")


def test_a_wave_without_a_name_is_refused(tmp_path: Path) -> None:
    made = tc.create(tmp_path / "matter")
    room = cli_room.write(tmp_path / "room", {"a.txt": "The rent."})
    for name in ("", " "):
        with pytest.raises(UsageError, match="The name of the wave is empty"):
            made.add(room, wave=name)
    assert made.waves() == []


WRONG: dict[str, Any] = {
    "pair_page one": lambda m: m.pair_page(after=("1",)),
    "pair_page text": lambda m: m.pair_page(after="12"),
    "similar nothing": lambda m: m.similar(None),
    "similar bytes": lambda m: m.similar(b"x"),
    "add nothing": lambda m: m.add(None),
    "add numbers": lambda m: m.add([5]),
    "add threads": lambda m: m.add("x", threads="2"),
    "add custodian": lambda m: m.add("x", custodian=5),
    "add wave": lambda m: m.add("x", wave=5),
    "document_page": lambda m: m.document_page("x"),
    "document_count": lambda m: m.document_count(None),
    "unknown status": lambda m: m.document_count(Filter(("linkd",))),
    "unknown status of a page": lambda m: m.document_page(Filter(("linkd",))),
    "copied": lambda m: m.copied("nosuch"),
    "doubted": lambda m: m.doubted("nosuch"),
    "counts": lambda m: m.counts("nosuch"),
}


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tc.Matter:
    """Two documents, whose ids "1" and "2" find: what is refused is not refused because it is not there."""
    place = tmp_path_factory.mktemp("two")
    room = cli_room.write(place / "room", {"a.txt": "The rent.", "b.txt": "The lease."})
    return tc.scan(room, place / "matter", report=False)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_refused_in_one_sentence(name: str, two: tc.Matter) -> None:
    """As an error of truecopy with a hint, and not of Python."""
    with pytest.raises((UsageError, NotFound)) as refused:
        WRONG[name](two)
    if name.startswith("pair_page"):
        assert "a pair of two ids" in refused.value.message
    assert refused.value.message.count(". ") == 0
    assert refused.value.hint
