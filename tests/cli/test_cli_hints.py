"""Every message that names a command of truecopy is provoked here, and the command is run as it was printed.

Commands are put into messages by `truecopy.hints.pasted`. Its calls are found in the source and watched while the
messages are provoked: a call that nothing here reaches fails the test, and so does a command that a message spells out
without it. The matter has a name with a space and an apostrophe, so that a command which is not quoted does not run.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import shlex
import shutil
import sqlite3
import sys
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cli_room
import pytest
from sqlalchemy.exc import OperationalError

import truecopy as tc
from truecopy import hints
from truecopy.cli.app import commands
from truecopy.cli.run import run
from truecopy.errors import TruecopyError
from truecopy.settings import MatterSettings
from truecopy.sign import letters

PACKAGE = Path(tc.__file__).parent
FORMATS = Path(__file__).parents[1] / "formats"
MATTER = "the client's matter"
COMMANDS = {name.split()[0] for name in commands()}
SPELLED = re.compile(rf"truecopy ({'|'.join(sorted(COMMANDS))})\b")
PRINTED = re.compile(r"`(truecopy [^`]+)`|'(truecopy [^']* --help)'|(?:: |^    )(truecopy .+)$", re.MULTILINE)
TITLES = (" – truecopy report",)
"""Strings that look like a command and are none."""
Site = tuple[str, int]
"""A file and the line of a call of `pasted` in it."""


def typed(*words: str) -> str:
    """Everything that a command prints."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(words)
    return f"exit code {code}\n{out.getvalue()}{err.getvalue()}"


def refused(function: Callable[..., Any], *given: Any, **named: Any) -> str:
    """What the library says when it refuses."""
    with pytest.raises(TruecopyError) as caught:
        function(*given, **named)
    return str(caught.value)


def change_facts(statement: str, matter: str = MATTER) -> None:
    with contextlib.closing(sqlite3.connect(Path(matter) / "matter.sqlite")) as connection:
        connection.execute(statement)
        connection.commit()


def damage_index() -> None:
    file = next(Path(MATTER).glob("index-*.segment"))
    file.write_bytes(file.read_bytes()[:-40])


# What provokes each message; each begins in a folder with the room, the matter, and an empty matter of the usual name.


def demo(_: pytest.MonkeyPatch) -> str:
    return typed("demo", "my sample room", "--documents", "50")


def index_verify(_: pytest.MonkeyPatch) -> str:
    damage_index()
    return typed("index", "verify", "--matter", MATTER)


def doctor_of_a_damaged_index(_: pytest.MonkeyPatch) -> str:
    damage_index()
    return typed("doctor", "--matter", MATTER)


def init(_: pytest.MonkeyPatch) -> str:
    return typed("init", "--matter", "another client's")


def similar_to_an_excerpt(_: pytest.MonkeyPatch) -> str:
    return typed("similar", "05 Leases/excerpt.txt", "--matter", MATTER)


def similar_to_an_excerpt_as_json(_: pytest.MonkeyPatch) -> str:
    answer = typed("similar", "excerpt.txt", "--matter", MATTER, "--json").partition("\n")[2]
    return str(json.loads(answer)["hint"])


def too_little_memory(monkeypatch: pytest.MonkeyPatch) -> str:
    def fail(*given: Any, **named: Any) -> None:
        raise MemoryError

    monkeypatch.setitem(vars(tc), "scan", fail)
    return typed("scan", "room")


def scan(_: pytest.MonkeyPatch) -> str:
    return typed("scan", "room", "--matter", "another client's", "--no-report")


def text_with_doubt(_: pytest.MonkeyPatch) -> str:
    text = "The parties meet in Malmö once a year, and sign what they have agreed upon."
    Path("names.txt").write_bytes(text.encode("cp437"))
    return typed("add", "names.txt", "--matter", MATTER, "--no-report")


def status(_: pytest.MonkeyPatch) -> str:
    return typed("status", "--matter", MATTER)


def settings_of_a_full_matter(_: pytest.MonkeyPatch) -> str:
    return refused(tc.open(MATTER).change_settings, MatterSettings())


def below_the_floor(_: pytest.MonkeyPatch) -> str:
    return typed("groups", "--threshold", "65", "--matter", MATTER)


def below_the_floor_of_contains(_: pytest.MonkeyPatch) -> str:
    return typed("pairs", "--relation", "contains", "--threshold", "75%", "--matter", MATTER)


def no_such_document(_: pytest.MonkeyPatch) -> str:
    return typed("similar", "nothing", "--matter", MATTER)


def no_such_signatures(_: pytest.MonkeyPatch) -> str:
    return typed("similar", "note.txt", "--method", "topsig", "--matter", MATTER)


def signatures_of_another_version(monkeypatch: pytest.MonkeyPatch) -> str:
    tc.open(MATTER).sign("letters")
    monkeypatch.setattr(letters, "VERSION", letters.VERSION + 1)
    return typed("sign", "--method", "letters", "--matter", MATTER)


def damaged_statistics(_: pytest.MonkeyPatch) -> str:
    typed("sign", "--method", "terms", "--statistics", "legal-english", "--matter", MATTER)
    file = next(Path(MATTER).glob("statistics-*.segment"))
    file.write_bytes(file.read_bytes()[:-40])
    return typed("add", "room/note.txt", "--matter", MATTER)


def statistics_that_are_not_there(_: pytest.MonkeyPatch) -> str:
    return typed("stats", "show", "our own.statistics")


def matter_made_twice(_: pytest.MonkeyPatch) -> str:
    return typed("init", "--matter", MATTER)


def scanned_twice(_: pytest.MonkeyPatch) -> str:
    return typed("scan", "room", "--matter", MATTER)


def no_matter(_: pytest.MonkeyPatch) -> str:
    return typed("status", "--matter", "nobody's matter")


def other_files_instead_of_a_matter(_: pytest.MonkeyPatch) -> str:
    return typed("status", "--matter", "room")


def no_matter_of_the_usual_name(_: pytest.MonkeyPatch) -> str:
    shutil.rmtree("truecopy-matter")
    return typed("status")


def unfinished_matter(_: pytest.MonkeyPatch) -> str:
    change_facts("DELETE FROM facts", "truecopy-matter")
    return typed("status")


def matter_of_an_old_format(_: pytest.MonkeyPatch) -> str:
    change_facts("UPDATE facts SET value = '1' WHERE name = 'format'")
    return typed("status", "--matter", MATTER)


def matter_to_be_brought_forward_that_cannot_be_written_to(patched: pytest.MonkeyPatch) -> str:
    with tarfile.open(FORMATS / "format-5" / "matter.tar.xz") as packed:
        packed.extractall("an older one", filter="data")
    (matter,) = (file.parent for file in Path("an older one").rglob("matter.sqlite"))
    matter.rename("older matter")
    patched.setattr("truecopy.matter.store._writable", lambda _: False)
    return typed("groups", "--matter", "older matter")


def damaged_database(_: pytest.MonkeyPatch) -> str:
    file = Path(MATTER) / "matter.sqlite"
    content = bytearray(file.read_bytes())
    content[4096 * 2 :] = bytes(len(content) - 4096 * 2)
    file.write_bytes(content)
    return typed("status", "--matter", MATTER)


def flush_that_fails(patched: pytest.MonkeyPatch) -> str:
    """The end of a transaction fails, and so does looking at what became of it."""

    def fail(*_: object) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
        raise OperationalError(None, None, error)

    patched.setattr("sqlalchemy.Connection.commit", fail)
    patched.setattr("truecopy.matter.sql.outcome.state_of", lambda _: object())
    return typed("index", "rebuild", "--matter", MATTER)


def wrong_use(_: pytest.MonkeyPatch) -> str:
    return typed("stats", "show", "--no-such-option")


PROVOKED: tuple[Callable[[pytest.MonkeyPatch], str], ...] = (
    demo, index_verify, doctor_of_a_damaged_index, init, similar_to_an_excerpt, similar_to_an_excerpt_as_json,
    too_little_memory, scan, text_with_doubt, status, settings_of_a_full_matter, below_the_floor,
    below_the_floor_of_contains,
    no_such_document, no_such_signatures, signatures_of_another_version, damaged_statistics,
    statistics_that_are_not_there, matter_made_twice, scanned_twice, no_matter,
    other_files_instead_of_a_matter, no_matter_of_the_usual_name,
    unfinished_matter, matter_of_an_old_format, matter_to_be_brought_forward_that_cannot_be_written_to,
    damaged_database, flush_that_fails, wrong_use,
)  # fmt: skip
FAILS = {"damaged_database": 1}
"""`doctor` does its work and says that the matter is broken."""


def sources(holding: str) -> Iterator[tuple[str, ast.Module]]:
    """Every source file that holds a text somewhere, with its tree."""
    for file in sorted(PACKAGE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if holding in text:
            yield file.relative_to(PACKAGE).as_posix(), ast.parse(text)


def calls() -> set[Site]:
    """Every call of `pasted` in the source, by its first line."""
    return {
        (file, node.lineno)
        for file, tree in sources("pasted(")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "pasted"
    }


def spelled_out() -> list[str]:
    """Strings of the source that name a command, but for documentation: docstrings, help of options, constants."""
    found = []
    for file, tree in sources("truecopy "):
        prose = {id(part) for node in tree.body if isinstance(node, ast.Assign) for part in ast.walk(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Expr) or (isinstance(node, ast.keyword) and node.arg == "help"):
                prose.add(id(node.value))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
                found += [f"{file}:{node.lineno}: {node.value}" for _ in SPELLED.findall(node.value)]
    return [one for one in found if not one.endswith(TITLES)]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the room, its matter under an awkward name, and an empty matter of the usual name."""
    place = tmp_path_factory.mktemp("hints")
    made = cli_room.make_matter(place)
    made.containing("excerpt.txt")
    shutil.copytree(made.path, place / "start" / MATTER)
    shutil.copytree(place / "room", place / "start" / "room")
    tc.create(place / "start" / "truecopy-matter")
    return place / "start"


def watch(monkeypatch: pytest.MonkeyPatch, reached: set[Site]) -> None:
    """Note who calls `pasted`."""
    real = hints.pasted

    def watched(*words: Any, **named: Any) -> str:
        frame = sys._getframe(1)
        file = Path(frame.f_code.co_filename).relative_to(PACKAGE).as_posix()
        text = real(*words, **named)
        line = frame.f_lineno
        reached.update(site for site in calls_near(file, line))
        return text

    for module in [module for name, module in sys.modules.items() if name.startswith("truecopy.")]:
        if getattr(module, "pasted", None) is real:
            monkeypatch.setattr(module, "pasted", watched)


def calls_near(file: str, line: int) -> set[Site]:
    """The calls whose lines hold this one: within an f-string, Python gives the line of the call or of the string."""
    tree = ast.parse((PACKAGE / file).read_text(encoding="utf-8"))
    return {
        (file, node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "pasted"
        if node.lineno <= line <= (node.end_lineno or node.lineno)
    }


def printed(text: str) -> list[str]:
    """The commands that a message names."""
    return [next(filter(None, match)) for match in PRINTED.findall(text)]


@dataclass(frozen=True)
class Provoked:
    """What every function above has provoked."""

    places: dict[str, Path]
    """Where each was done."""
    texts: dict[str, str]
    """What was printed or raised."""
    reached: set[Site]
    """The calls of `pasted` that were reached by one of them."""


@pytest.fixture(scope="module")
def provoked(start: Path) -> Provoked:
    """Every message, each in a folder of its own."""
    found = Provoked({}, {}, set())
    for provoke in PROVOKED:
        place = start.parent / provoke.__name__
        shutil.copytree(start, place)
        with pytest.MonkeyPatch.context() as patched:
            patched.chdir(place)
            watch(patched, found.reached)
            found.places[provoke.__name__], found.texts[provoke.__name__] = place, provoke(patched)
    return found


@pytest.mark.parametrize("name", [provoke.__name__ for provoke in PROVOKED])
def test_every_command_that_is_printed_runs_as_it_is(
    name: str, provoked: Provoked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pasted into a shell; only PATH, DIR, NEW, FILE and COPY stand for what the user must choose."""
    chosen = {"PATH": "room", "DIR": "a new matter", "NEW": "a new matter", "FILE": "legal-english"}
    chosen["COPY"] = "older matter"  # each command is run in a copy of everything
    named = printed(provoked.texts[name])
    assert named, f"no command in: {provoked.texts[name]}"
    for number, command in enumerate(named):
        shutil.copytree(provoked.places[name], tmp_path / str(number))
        monkeypatch.chdir(tmp_path / str(number))
        words = [chosen.get(word, word) for word in shlex.split(command)]
        assert words[0] == "truecopy"
        said = typed(*words[1:])
        assert said.startswith(f"exit code {FAILS.get(name, 0)}\n"), f"{command}: {said}"


def test_every_message_that_names_a_command_was_provoked(provoked: Provoked) -> None:
    """A new call of `pasted` must get a function above that provokes it."""
    assert calls() - provoked.reached == set()


def test_no_message_spells_a_command_out() -> None:
    """`pasted` quotes what must be quoted and names the matter, so every message goes through it."""
    assert spelled_out() == []


def examples() -> list[list[str]]:
    """The commands in the help of commands."""
    found = []
    for command in commands().values():
        text = command.help.partition("Example:")[2]
        found += [shlex.split(line) for line in text.splitlines() if line.strip().startswith("truecopy ")]
    return found


@pytest.mark.parametrize("words", examples(), ids=" ".join)
def test_every_example_in_help_has_options_that_exist(words: list[str]) -> None:
    """Each is taken apart as it would be when it is run."""
    rest = words[1 : words.index(">")] if ">" in words else words[1:]
    name = next(name for name in (" ".join(rest[:2]), rest[0]) if name in commands())
    commands()[name].make_context(name, rest[len(name.split()) :])


@pytest.mark.parametrize(
    ("matter", "said"),
    [
        ("truecopy-matter", "`truecopy groups`"),
        ("acme", "`truecopy groups --matter acme`"),
        ("a b", "`truecopy groups --matter 'a b'`"),
        ("it's", """`truecopy groups --matter 'it'"'"'s'`"""),
        ("$HOME;rm", "`truecopy groups --matter '$HOME;rm'`"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="the shell of Windows quotes in another way")
def test_the_matter_is_named_unless_it_is_the_usual_one_and_quoted(matter: str, said: str) -> None:
    assert hints.pasted("groups", matter=Path(matter)) == said
