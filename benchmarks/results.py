"""What a benchmark says: figures as one JSON object, tables for people, promises beside what was measured.

Result     one run
Table      a table that people read
Target     a promise, and whether it was kept
publish    prints a result in the form that was asked for
"""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from common import AT_FIRST, Arguments

PACKAGES = ("numpy", "numba", "rapidfuzz", "gaoya", "rensa", "datasketch", "simhash")


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    facts: dict[str, Any] = {
        "processor": _processor(),
        "cores": len(AT_FIRST),
        "system": platform.system(),
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[0], 2),
        "truecopy": version("truecopy"),
    }
    for package in PACKAGES:
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = None
    return facts


def _processor() -> str:
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found.group(1).strip() if found else platform.processor() or platform.machine()


@dataclass(frozen=True, slots=True)
class Table:
    """A table that people read."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """What was promised, and what was measured."""

    name: str
    wanted: str
    measured: float
    met: bool

    @classmethod
    def at_least(cls, name: str, wanted: float, measured: float) -> Target:
        return cls(name, f">= {wanted:g}", round(measured, 4), measured >= wanted)

    @classmethod
    def at_most(cls, name: str, wanted: float, measured: float) -> Target:
        return cls(name, f"<= {wanted:g}", round(measured, 4), measured <= wanted)


@dataclass(slots=True)
class Result:
    """One run: figures for programs, tables for people."""

    benchmark: str
    arguments: Arguments
    figures: dict[str, Any] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    generated: set[str] = field(default_factory=set)
    """Collections that were missing, so that texts were generated in their place."""
    machine: dict[str, Any] = field(default_factory=machine)

    def as_json(self) -> dict[str, Any]:
        return {
            "benchmark": self.benchmark,
            "scale": self.arguments.scale,
            "machine": self.machine,
            "generated": sorted(self.generated),
            **self.figures,
            "targets": [
                {"name": target.name, "wanted": target.wanted, "measured": target.measured, "met": target.met}
                for target in self.targets
            ],
        }

    def all_tables(self) -> list[Table]:
        rows = [(t.name, t.wanted, f"{t.measured:g}", "yes" if t.met else "NO") for t in self.targets]
        promised = Table("Promised and measured", ("what", "promised", "measured", "met"), rows)
        return [*self.tables, promised] if rows else self.tables

    def about(self) -> str:
        facts = self.machine
        versions = ", ".join(f"{name} {facts[name] or 'absent'}" for name in ("truecopy", *PACKAGES))
        texts = f" Generated texts took the place of: {', '.join(sorted(self.generated))}." if self.generated else ""
        return (
            f"Scale {self.arguments.scale}; {facts['processor']}, {facts['cores']} cores, {facts['system']}, "
            f"Python {facts['python']}; {versions}; load before the run {facts['load_before']:g}.{texts}"
        )


def publish(result: Result) -> None:
    """Print a result as it was asked for, and put it into the page, or the folder of pages, that was named."""
    form, into = result.arguments.form, result.arguments.into
    if into is not None:
        page = into / f"{result.benchmark}.md" if into.is_dir() else into
        _put_into(page, result.benchmark, as_markdown(result))
    if form == "json":
        sys.stdout.write(json.dumps(result.as_json(), indent=1) + "\n")
    else:
        sys.stdout.write(as_markdown(result) if form == "markdown" else as_text(result))


def as_text(result: Result) -> str:
    """The tables in columns."""
    lines = [f"{result.benchmark}: {result.about()}", ""]
    for table in result.all_tables():
        grid = [table.columns, *table.rows]
        widths = [max(len(row[i]) for row in grid) for i in range(len(table.columns))]
        lines.append(table.title)
        for row in grid:
            cells = [
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            lines.append("  " + "  ".join(cells).rstrip())
        lines += ["  " + table.note, ""] if table.note else [""]
    return "\n".join(lines)


def as_markdown(result: Result) -> str:
    """The tables as the pages in docs/explanation/measured show them."""
    lines = [result.about(), ""]
    for table in result.all_tables():
        lines += [f"**{table.title}**", "", "| " + " | ".join(table.columns) + " |"]
        lines.append("|---" + "|---:" * (len(table.columns) - 1) + "|")
        lines += ["| " + " | ".join(row) + " |" for row in table.rows]
        lines += ["", table.note, ""] if table.note else [""]
    return "\n".join(lines)


def _put_into(page: Path, name: str, tables: str) -> None:
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    text = page.read_text(encoding="utf-8")
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise SystemExit(f"{page} has no place between {begin} and {end}.")
    page.write_text(f"{before}{begin}\n{tables.rstrip()}\n{end}{after}", encoding="utf-8")


def megabytes(size: int) -> str:
    """A size in MB of a million bytes."""
    return f"{size / 1e6:,.1f}"
