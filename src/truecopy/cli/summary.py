"""What several commands tell a person in the same words: statuses, seconds, similarities, paths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from truecopy.cli.safe import safe
from truecopy.cli.table import Column, print_table

if TYPE_CHECKING:
    from rich.console import Console

    from truecopy.model import Document

MEANS = {
    "unreadable": "could not be read; see the reasons",
    "too-large": "larger than the limit, not read",
    "excluded": "left out on request",
    "unsearchable": "opened, but no text could be had: a picture or a scan",
    "empty": "nothing in it",
    "numbers-only": "no letter in it",
    "same-file": "the same bytes as an earlier document",
    "same-text": "the same words as an earlier document",
    "too-short": "fewer than 10 words, compared for equality only",
    "principal": "stands for its group",
    "member": "similar to its group's principal",
    "linked": "similar to some document, but to no principal",
    "unique": "like no other",
}
NOT_READ = ("unreadable", "too-large")
LISTED = 20
"""So many are named on the terminal before the report is pointed at."""
READ_ONCE = ("same-file", "same-text", "member")


def shown(similarity: float | None) -> str:
    """A measure with one decimal; 100.0 is said of nothing less than 100.

    >>> shown(99.97), shown(100.0), shown(None)
    ('99.9', '100.0', '–')
    """
    if similarity is None:
        return "–"
    text = f"{similarity:.1f}"
    return "99.9" if text == "100.0" and similarity < 100 else text


def print_statuses(console: Console, statuses: dict[str, int]) -> None:
    """Every status with its number, and the total that they add up to."""
    rows = [(status, f"{count:,}", MEANS.get(status, "")) for status, count in statuses.items() if count]
    rows.append(("documents", f"{sum(statuses.values()):,}", ""))
    columns = [Column("status"), Column("number", style="bold", right=True), Column("", style="dim")]
    print_table(console, columns, rows)


def print_not_read(console: Console, documents: Iterable[Document]) -> None:
    """The documents that were not read, with their reasons; all of them are in the report."""
    rows = [(one.status, one.path, one.reason) for one in documents if one.status in NOT_READ]
    if not rows:
        return
    print_table(console, [Column("not read"), Column("document", path=True), Column("reason")], rows[:LISTED])
    if len(rows) > LISTED:
        print_note(console, f"… and {count_said(len(rows) - LISTED, 'more document')}, listed in the report.")
    console.print()


def print_missing_principals(console: Console, names: Sequence[str]) -> None:
    """Principals that were asked for and are not there."""
    if names:
        listed = ", ".join(names[:LISTED]) + (", …" if len(names) > LISTED else "")
        print_note(console, f"{count_said(len(names), 'listed principal')} not in the matter: {listed}")
        console.print()


def print_line(console: Console, label: str, value: str) -> None:
    """One fact of a summary."""
    from rich.text import Text

    console.print(Text.assemble((f"{label:<24}", "dim"), safe(value)), soft_wrap=True)


def print_note(console: Console, text: str) -> None:
    """A sentence."""
    from rich.text import Text

    console.print(Text(safe(text)))


def read_once(statuses: dict[str, int], documents: int) -> str:
    """How many documents need not be read twice, with their share."""
    count = sum(statuses.get(status, 0) for status in READ_ONCE)
    share = f" ({100 * count / documents:.0f} % of all)" if documents else ""
    return f"{count:,}{share}"


def recall_said(recall: float) -> str:
    """The stated recall as a sentence."""
    if recall >= 1:
        return "exact: no pair at or above the floor is missed"
    return f"{recall:g}: a pair at the floor is missed with a probability of at most {1 - recall:.2g}"


def seconds_said(seconds: dict[str, float]) -> str:
    """Seconds by stage, on one line."""
    stages = ", ".join(f"{stage} {value:.2f}" for stage, value in seconds.items() if stage != "total")
    total = seconds.get("total", sum(seconds.values()))
    return f"{total:.2f} ({stages})" if stages else f"{total:.2f}"


def count_said(count: int, thing: str) -> str:
    """A number of things in words.

    >>> count_said(1, "group"), count_said(2000, "group")
    ('1 group', '2,000 groups')
    """
    return f"{count:,} {thing}" + ("" if count == 1 else "s")
