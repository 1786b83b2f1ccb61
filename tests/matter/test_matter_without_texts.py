"""Waves that bring no text, in every family of signatures: nothing to sign is no mistake.

A wave may hold only copies of earlier documents, only files that cannot be read, only empty files. What is signed,
indexed and asked before, between and after such waves is what it would be without them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truecopy as tc
from truecopy.cli.run import run
from truecopy.sign import METHODS, family

WORDS = ["lessee", "lessor", "premises", "rent", "deposit", "insurance", "assignment", "governing", "law", "notice"]
FEW = ("fingerprint", "terms", "mod", "letters")
"""Methods of each form: rows with heads, sets with heads, sets, rows."""


def text(number: int) -> str:
    """A text of its own for each number."""
    return " ".join(f"{WORDS[(number * k) % 10]} shall {WORDS[(number + k) % 10]} clause{k}" for k in range(1, 60))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder of each kind that a wave may be."""
    base = tmp_path_factory.mktemp("folders")
    contents = {
        "texts": {f"{number}.txt": text(number).encode() for number in (1, 2, 3)},
        "copies": {f"copy-{number}.txt": text(number).encode() for number in (1, 3)},
        "unreadable": {"a.pdf": b"%PDF-1.4 no more", "b.bin": bytes(range(256)) * 9},
        "empty": {"empty.txt": b"", "blank.txt": b" \n"},
        "short": {"short.txt": b"two words"},
        "numbers": {"numbers.txt": b"12 34 56 78 90 12 34 56 78 99 11 22"},
        "one": {"one.txt": text(9).encode()},
    }
    for name, files in contents.items():
        (base / name).mkdir()
        for file, content in files.items():
            (base / name / file).write_bytes(content)
    return {name: base / name for name in contents}


SIGNED = {"texts": 3, "copies": 0, "unreadable": 0, "empty": 1, "short": 1, "numbers": 1, "one": 1}
"""Texts that each wave brings, if those before it are there: blanks are a text, an empty file is none."""
ORDERS: tuple[tuple[str, ...], ...] = (
    (),
    ("unreadable",),
    ("empty",),
    ("short",),
    ("numbers",),
    ("one",),
    ("unreadable", "texts"),
    ("texts", "copies"),
)
ALL = ("unreadable", "empty", "one", "texts", "copies", "short")


def ask(matter: tc.Matter, method: str, files: list[Path]) -> tuple[list[object], list[object], list[str]]:
    """What every question about signatures answers."""
    module, made = family(method), matter.signatures(method)
    stored: list[object] = [(name, module.value(made, place)) for place, name in enumerate(made.ids)]
    hits: list[object] = [
        [(hit.document.id, hit.document.path) for hit in matter.near(file, method).hits] for file in files
    ]
    return stored, hits, matter.verify()


@pytest.mark.parametrize(
    ("method", "order"),
    [
        *(pytest.param(method, ALL, marks=pytest.mark.slow) for method in METHODS),
        *(("fingerprint", order) for order in ORDERS),
    ],
)
def test_every_family_signs_waves_without_texts(
    method: str, order: tuple[str, ...], folders: dict[str, Path], tmp_path: Path
) -> None:
    """Signed before the waves, after them, or between: the answers are the same, also from rebuilt indexes."""
    files = [folders["texts"] / "1.txt", folders["one"] / "one.txt", folders["short"] / "short.txt"]
    answers = []
    for when in sorted({0, len(order) // 2, len(order)}):
        matter = tc.create(tmp_path / str(when))
        for wave in order[:when]:
            matter.add(folders[wave])
        matter.sign(method)
        for wave in order[when:]:
            matter.add(folders[wave])
        assert matter.sign(method).signed == 0, "each wave was signed as it was added"
        answers.append(ask(matter, method, files))
        matter.rebuild_indexes()
        answers.append(ask(tc.open(matter.path), method, files))
        matter.sign(method, replace=True)
        answers.append(ask(tc.open(matter.path), method, files))
    assert all(answer == answers[0] for answer in answers)
    stored, _, wrong = answers[0]
    assert wrong == []
    assert len(stored) == sum(SIGNED[wave] for wave in order)


@settings(max_examples=8, deadline=None)
@given(
    order=st.lists(st.sampled_from(["texts", "copies", "unreadable", "empty", "short", "one"]), max_size=5),
    methods=st.lists(st.sampled_from(FEW), min_size=1, max_size=2, unique=True),
)
def test_any_order_of_waves(
    order: list[str], methods: list[str], folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Several methods at once, waves in any order: a text is found where a wave has brought it."""
    matter = tc.create(tmp_path_factory.mktemp("matter") / "m")
    for method in methods:
        matter.sign(method)
    for wave in order:
        matter.add(folders[wave])
    for method in methods:
        found = {hit.document.path for hit in tc.open(matter.path).near(folders["texts"] / "2.txt", method).hits}
        assert ("2.txt" in found) == ("texts" in order)
    assert matter.verify() == []


@pytest.mark.parametrize("wave", ["unreadable", "empty"])
def test_the_commands_answer_for_a_matter_without_texts(
    wave: str, folders: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No signature, no hit, and no failure; statistics of nothing are refused with a sentence."""
    matter, file = str(tmp_path / "m"), str(folders["texts"] / "1.txt")
    assert run(["scan", str(folders[wave]), "--matter", matter]) == 0
    for command in (
        ["sign", "--method", "fingerprint", "--matter", matter],
        ["similar", file, "--method", "fingerprint", "--matter", matter],
        ["index", "rebuild", "--matter", matter],
        ["index", "verify", "--matter", matter],
        ["sign", str(folders[wave]), "--method", "fingerprint"],
        ["add", str(folders["copies"]), "--matter", matter],
        ["similar", file, "--method", "fingerprint", "--matter", matter, "--json"],
    ):
        assert run(command) == 0, capsys.readouterr().err
    assert '"path": "copy-1.txt"' in capsys.readouterr().out
    statistics = run(["stats", "build", str(folders["unreadable"]), "--out", str(tmp_path / "statistics")])
    assert (statistics, "has a text, so there is nothing to count" in capsys.readouterr().err) == (1, True)
