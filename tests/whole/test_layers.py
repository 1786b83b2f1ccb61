"""Who may know of whom: the import rule of the design, what a bare import costs, and which names are public."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import truecopy

PACKAGE = Path(truecopy.__file__).parent
LEAVES = (
    "_version", "arrow", "errors", "heap", "hints", "keywords", "listing", "model", "spec", "settings", "progress",
    "threshold", "schemas", "segments", "locks", "drives", "stopping", "threads", "plainfiles", "trusted", "fresh",
    "access", "troubles", "caches", "assured", "collecting", "memory", "streamed", "array_types",
)  # fmt: skip
"""Plain data and words that every layer may use."""
LAYERS = (
    ("kernels",),
    ("read", "text", "sign", "index", "match", "group"),
    ("pairing", "stages"),
    ("wave",),
    ("pipeline",),
    ("matter", "prepare"),
    ("review", "report", "demo", "api"),
    ("cli", "serve", "spark", "lab"),
)
"""A layer imports itself and what stands before it. `pairing` runs index and match over arrays for any engine."""
HEAVY = ("numpy", "numba", "kreuzberg", "sqlalchemy", "rich", "typer", "jinja2", "zstandard", "rapidfuzz", "xlsxwriter")


def level(name: str) -> int:
    """The layer of a top-level module or folder; leaves are below all."""
    if name in LEAVES:
        return -1
    return next(place for place, layer in enumerate(LAYERS) if name in layer)


def imported(tree: ast.AST) -> Iterator[str]:
    """Every module of truecopy that a file imports, at its top or inside a function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, "imports are absolute"
            yield node.module
            if node.module == "truecopy":
                yield from (f"truecopy.{alias.name}" for alias in node.names)


def imports() -> list[tuple[str, str, str]]:
    """(file, its top-level name, the top-level name that it imports) within the package."""
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        place = file.relative_to(PACKAGE)
        own = place.parts[0].removesuffix(".py")
        if own in ("__init__", "__main__"):  # all of the public names; the command line
            continue
        for module in imported(ast.parse(file.read_text(encoding="utf-8"))):
            parts = module.split(".")
            if parts[0] == "truecopy" and len(parts) > 1:
                found.append((place.as_posix(), own, parts[1]))
    return found


def exists(name: str) -> bool:
    return (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()


def test_every_part_of_the_package_has_a_layer():
    """A folder or module that nobody has placed would escape the rule."""
    parts = {entry.name.removesuffix(".py") for entry in PACKAGE.iterdir() if entry.suffix in ("", ".py")}
    placed = set(LEAVES).union(*LAYERS)
    assert parts - placed - {"__init__", "__pycache__", "__main__"} == set()


def test_a_layer_imports_only_what_stands_before_it():
    """kernels ← text, sign, index, match, group ← wave ← pipeline ← matter ← report ← cli, serve, spark, lab."""
    wrong = [f"{file} imports {other}" for file, own, other in imports() if exists(other) and level(other) > level(own)]
    assert wrong == []
    assert len(imports()) > 100


def test_leaves_import_only_leaves():
    wrong = [
        f"{file} imports {other}"
        for file, own, other in imports()
        if own in LEAVES and exists(other) and other not in LEAVES
    ]
    assert wrong == []


def test_reading_knows_nothing_of_texts_pairs_and_files_that_are_kept():
    """read/ imports what it reports with, stops with and works with, as ARCHITECTURE.md has it, and nothing else."""
    others = {other for _, own, other in imports() if own == "read" and exists(other)}
    page = (PACKAGE.parent.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    said = page.split("### `read/`")[1].split("### ")[0].split("It imports nothing but")[1]
    assert others - {"read"} == set(re.findall(r"`(\w+)\.py`", said))
    assert others - {"read"} == {"array_types", "errors", "fresh", "model", "progress", "stopping", "threads"}


def test_no_two_classes_share_a_name():
    """Whoever reads a name in one module finds one class behind it."""
    places: dict[str, list[str]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(f"{file.relative_to(PACKAGE).as_posix()}:{node.lineno}")
    assert len(places) > 200
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_nothing_imports_the_ways_in():
    ways = ("cli", "serve", "spark", "lab")
    assert [(file, other) for file, own, other in imports() if other in ways and own != other] == []


# The matter's own layers


def matter_files() -> list[tuple[str, ast.AST]]:
    """Every module below matter/, with its place there."""
    folder = PACKAGE / "matter"
    files = sorted(folder.rglob("*.py"))
    return [(file.relative_to(folder).as_posix(), ast.parse(file.read_text(encoding="utf-8"))) for file in files]


SQL = re.compile(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE|PRAGMA|BEGIN IMMEDIATE)\b")
CONNECTIONS = ("store.py", "troubles.py", "blame.py", "state.py")
"""What opens connections, hands them out, and tells what became of them; none of it asks for a row."""


def test_sql_is_in_one_place():
    """Only matter/sql writes statements or imports what makes them; the store only begins and ends transactions."""
    outside = [(place, tree) for place, tree in matter_files() if not place.startswith("sql/")]
    spoken = [
        f"{place}: {node.value[:40]}"
        for place, tree in outside
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.search(node.value)
    ]
    assert sorted(spoken) == [
        "store.py: BEGIN IMMEDIATE",
    ]
    imported_by = {
        place
        for place, tree in outside
        for module in imported(tree)
        if module.split(".")[0] in ("sqlalchemy", "sqlite3")
    }
    assert imported_by <= {*CONNECTIONS, "doctor/findings.py"}


def test_names_of_segments_become_paths_in_one_place():
    """Only matter/arrays.py puts a name behind a folder; the spool has names of its own, the doctor reads by arrays."""
    reading = {
        place
        for place, tree in matter_files()
        for module in imported(tree)
        if module == "truecopy.segments" and not place.startswith("sql/migrations/")
    }
    assert reading == {"arrays.py", "change/spool.py", "doctor/afresh.py"}


CHANGES = re.compile(r"^\s*(INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER)\b")
MAKES_A_CHANGE = ("insert", "update", "delete")
"""What SQLAlchemy's tables have for it."""


def writers() -> set[str]:
    """The methods below matter/sql that change rows, by themselves or by calling another one; and those of arrays."""
    found, methods = {"write", "sweep"}, list[tuple[str, ast.AST]]()
    changing = set[str]()  # names of statements that a module has ready
    for place, tree in matter_files():
        if not place.startswith("sql/") or place.startswith(("sql/migrations/", "sql/guard", "sql/readers")):
            continue
        assert isinstance(tree, ast.Module)
        for node in tree.body:
            if isinstance(node, ast.Assign) and says_a_change(node.value):
                changing |= {name.id for name in node.targets if isinstance(name, ast.Name)}
            if isinstance(node, ast.ClassDef):
                methods += [(part.name, part) for part in node.body if isinstance(part, ast.FunctionDef)]
    while True:
        more = {name for name, method in methods if name not in found and does_change(method, found, changing)}
        if not more:
            return found
        found |= more


def says_a_change(tree: ast.AST) -> bool:
    """Whether there is a statement in a piece of code that changes rows."""
    return any(
        isinstance(node, ast.Constant) and isinstance(node.value, str) and CHANGES.search(node.value)
        for node in ast.walk(tree)
    )


def does_change(method: ast.AST, known: set[str], statements: set[str]) -> bool:
    """Whether a method changes rows, or uses on its own object what does."""
    for node in ast.walk(method):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            on = ast.unparse(node.func.value)
            if node.func.attr in MAKES_A_CHANGE and on.split(".")[0].lower() in ("_table", "table", "tables", "_waves"):
                return True
            if node.func.attr in known and on.startswith("self"):
                return True
        if isinstance(node, ast.Name) and node.id in statements:
            return True
    return says_a_change(method)


def test_questions_do_not_write():
    """Nothing below matter/ask begins a change, or calls what makes one."""
    changing = writers()
    assert changing >= {
        "insert", "insert_all", "insert_rows", "put", "put_dense", "move", "forget", "forget_types", "forget_all",
        "set_sizes", "set_statuses", "set_settings", "set_format", "change", "record", "write", "begin", "sweep",
    }  # fmt: skip
    wrong = []
    for place, tree in matter_files():
        if not place.startswith("ask/"):
            continue
        wrong += [
            f"{place} imports {module}" for module in imported(tree) if module.startswith("truecopy.matter.change")
        ]
        wrong += [
            f"{place}:{node.lineno} {ast.unparse(node.func)}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and (node.func.attr == "writing" or (node.func.attr in changing and "state" in ast.unparse(node.func)))
        ]
    assert wrong == []


def test_stages_do_not_know_the_store():
    """What computes a wave imports nothing of the matter: it is handed what it asks for."""
    stages = ("pairing", "stages", "wave", "pipeline", "kernels", "text", "sign", "index", "match", "group")
    assert [(file, other) for file, own, other in imports() if own in stages and other == "matter"] == []


def test_importing_the_package_imports_nothing_heavy():
    code = "import sys, truecopy; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert "truecopy" in loaded
    assert set(HEAVY) & set(loaded) == set()


@pytest.mark.parametrize(
    "module",
    [
        "truecopy.errors",
        "truecopy.model",
        "truecopy.listing",
        "truecopy.arrow",
        "truecopy.read.settings",
        "truecopy.progress",
    ],
)
def test_plain_modules_import_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert set(HEAVY) & set(loaded) == set()


def test_kernels_are_never_parallel():
    """A parallel kernel ends a server's process when two threads enter it."""
    for file in sorted((PACKAGE / "kernels").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword):
                assert node.arg != "parallel", file.name


def test_the_public_names_are_these():
    """A name is added here when it is meant for users, and never goes without a deprecation."""
    assert sorted(truecopy.__all__) == [
        "Answer", "Comparison", "Difference", "Document", "Documents", "Group", "Grouping", "Hit", "Matter",
        "MatterSettings", "Pair", "Pairs", "Scan", "SimilarHits", "TruecopyError", "__version__", "compare", "create",
        "open", "redline", "scan",
    ]  # fmt: skip
    for name in truecopy.__all__:
        assert getattr(truecopy, name) is not None
    assert dir(truecopy) == sorted(truecopy.__all__)


def test_what_type_checkers_see_is_what_is_exported():
    """The names under TYPE_CHECKING, those loaded when used, and `__all__` are the same."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    seen = {
        alias.asname or alias.name
        for node in ast.walk(block)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen | {"__version__"} == set(truecopy.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        truecopy.no_such_name  # noqa: B018


def test_the_library_never_prints_and_never_exits():
    """Only the command line speaks and ends the process; a parser's own process may, at its end."""
    wrong = []
    for file in sorted(PACKAGE.rglob("*.py")):
        place = file.relative_to(PACKAGE)
        if place.parts[0] == "cli":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "exit", "sys.exit", "quit"):
                wrong.append(f"{place.as_posix()}:{node.lineno} {ast.unparse(node.func)}")
    assert wrong == []
