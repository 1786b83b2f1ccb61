"""What several commands tell a person in the same words: counts, statuses, seconds, similarities, commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from truecopy.cli.safe import safe
from truecopy.cli.table import Column, print_table, wrapped
from truecopy.hints import DEFAULT_MATTER, pasted
from truecopy.model import COPIES, Filter, figure_of

if TYPE_CHECKING:
    from rich.console import Console

    from truecopy import Matter
    from truecopy.model import Counts, Document

MEANS = {
    "unreadable": "could not be opened; see the reasons",
    "too-large": "larger than the limit, not read",
    "excluded": "left out on request, or a link that was not followed",
    "unsearchable": "opened, but its text could not be read; see the reasons",
    "empty": "nothing in it",
    "numbers-only": "no letter in it, grouped by equality only",
    "same-file": "the same bytes as an earlier document",
    "same-text": "the same words and figures as an earlier document",
    "too-short": "fewer than 10 words, compared for equality only",
    "principal": "represents its group",
    "member": "similar to its group's principal",
    "linked": "similar to some document, but to no principal",
    "unique": "no other is similar at the threshold",
}
FIGURES = {
    "copies": "same file, or same words and figures, as an earlier document",
    "near-copies": "differ from their principal in words or figures",
    "to-read": "all others",
    "not-searched": "no text was read from them",
    "empty": "nothing in them",
}
"""The headline: every document is counted in one of these."""
LISTED = 20
"""How many the terminal lists before it names the command that lists all."""
_LABEL = 24


def figure(document: Document) -> str:
    """The figure of the headline that a document is counted in."""
    return figure_of(document.status, bool(document.copy_of)).replace("_", "-")


def counts_data(counts: Counts) -> dict[str, int]:
    """The headline for `--json`."""
    return {
        "copies": counts.copies,
        "near_copies": counts.near_copies,
        "to_read": counts.to_read,
        "not_searched": counts.not_searched,
        "empty": counts.empty,
    }


def counts_said(counts: Counts) -> str:
    """The headline on one line."""
    one = {"copies": "copy", "near_copies": "near copy"}
    parts = [
        f"{number:,} {(one.get(name, name) if number == 1 else name).replace('_', ' ')}"
        for name, number in counts_data(counts).items()
        if number or name not in ("not_searched", "empty")
    ]
    return f"{count_said(counts.documents, 'document')}: {', '.join(parts)}"


@dataclass(frozen=True, slots=True)
class Unsearched:
    """What is told of the documents that were not searched."""

    first: Sequence[Document]
    """As many as the terminal lists."""
    total: int
    copies: int


def unsearched(matter: Matter, wave: str | None = None) -> Unsearched:
    """The documents of a matter, or of one wave, that were not searched, copies too."""
    wanted = Filter(("not-searched",), () if wave is None else (wave,))
    first = matter.document_page(wanted, limit=LISTED)
    if not first:
        return Unsearched(first, 0, 0)
    return Unsearched(first, matter.document_count(wanted), matter.document_count(replace(wanted, copied=True)))


def print_counts(
    console: Console,
    counts: Counts,
    missed: Unsearched,
    matter: str | Path = DEFAULT_MATTER,
    wave: str | None = None,
) -> None:
    """The headline of a matter or of one wave, and the documents that were not searched, each with its reason."""
    numbers = {name.replace("_", "-"): number for name, number in counts_data(counts).items()}
    means = FIGURES | {"not-searched": not_searched_said(missed.copies)}
    rows = [
        (name.replace("-", " "), f"{number:,}", means[name])
        for name, number in numbers.items()
        if number or name not in ("not-searched", "empty")
    ]
    rows.append(("documents", f"{counts.documents:,}", ""))
    print_table(
        console, [Column("", style="bold"), Column("number", style="bold", right=True), Column("", text=True)], rows
    )
    console.print()
    print_not_searched(console, missed, matter, wave)


def print_links(console: Console, links: int) -> None:
    """How many links were not followed, and what follows them."""
    if links:
        said = "1 link was" if links == 1 else f"{links:,} links were"
        all_but = "all but those that lead to what is read already"
        print_note(console, f"{said} not followed; --follow-links follows {all_but}.")
        console.print()


def not_searched_said(copies: int) -> str:
    """Explains the number of documents that were not searched, so that nobody can misread it."""
    if not copies:
        return FIGURES["not-searched"]
    more = "1 more is a copy and" if copies == 1 else f"{copies:,} more are copies and"
    return f"{FIGURES['not-searched']}; {more} counted as such"


def print_not_searched(
    console: Console, missed: Unsearched, matter: str | Path = DEFAULT_MATTER, wave: str | None = None
) -> None:
    """The documents that were not searched, with their reasons, copies too; and how to list or export them all."""
    if not missed.total:
        return
    print_documents(console, missed.first, "why it was not searched")
    more = missed.total - len(missed.first)
    if more:
        print_note(console, f"… and {count_said(more, 'more document')} that could not be searched.")
    listing = ("documents", "--status", "not-searched", *(("--wave", wave) if wave is not None else ()))
    print_command(console, "List them with", pasted(*listing, matter=matter))
    print_command(console, "Export them with", pasted(*listing, "--csv", "not-searched.csv", matter=matter))
    console.print()


def print_doubted(console: Console, count: int, matter: str | Path = DEFAULT_MATTER, wave: str | None = None) -> None:
    """How many texts were read with doubt about their encoding, and how to list them; nothing where there are none."""
    if not count:
        return
    print_note(console, f"{count_said(count, 'text was', 'texts were')} read with doubt about the encoding.")
    listing = ("documents", "--doubted", *(("--wave", wave) if wave is not None else ()))
    print_command(console, "List them with", pasted(*listing, matter=matter))
    print_note(console, "If you know the encoding, give it with --encoding.")
    console.print()


def print_documents(console: Console, documents: Sequence[Document], title: str) -> None:
    """Documents, one per row; the column `title` says something about each."""
    from truecopy.matter.ask.naming import told_apart

    columns = [Column("id", style="bold"), Column("status"), Column("document", path=True), Column(title, text=True)]
    rows = zip(documents, told_apart(documents), strict=True)
    print_table(console, columns, [(one.id, one.status, name, remark(one)) for one, name in rows])


def remark(document: Document) -> str:
    """Why a document has its status, and what it is a copy of."""
    said = document.copy_of in document.reason.split()
    copy = f"copy of {document.copy_of}" if document.copy_of and not said else ""
    return "; ".join(part for part in (document.reason, copy) if part)


def one_decimal(similarity: float | None) -> str:
    """A measure with one decimal; only 100 is shown as 100.0.

    >>> one_decimal(99.97), one_decimal(100.0), one_decimal(None)
    ('99.9', '100.0', '–')
    """
    if similarity is None:
        return "–"
    text = f"{similarity:.1f}"
    return "99.9" if text == "100.0" and similarity < 100 else text


def print_statuses(console: Console, statuses: dict[str, int], copied: Mapping[str, int]) -> None:
    """Every status with its number, and the total that they add up to; and how many of a status are copies, so that the
    copies of the headline can be counted here.
    """

    def means(status: str) -> str:
        copies = 0 if status in COPIES else copied.get(status, 0)
        more = f"; {copies:,} of them {'a copy' if copies == 1 else 'copies'}" if copies else ""
        return MEANS.get(status, "") + more

    rows = [(status, f"{count:,}", means(status)) for status, count in statuses.items() if count]
    rows.append(("documents", f"{sum(statuses.values()):,}", ""))
    columns = [Column("status"), Column("number", style="bold", right=True), Column("", style="dim", text=True)]
    print_table(console, columns, rows)


def pairs_said(stored: int, left_out: int, threshold: float) -> str:
    """How many pairs there are, and that very large families have more.

    >>> pairs_said(5, 2000, 80)
    '5 stored at 80 % or more; up to 2,000 more, of very large families, are computed when asked for'
    """
    if not left_out:
        return f"{stored:,} at {threshold:g} % or more"
    return f"{stored:,} stored at {threshold:g} % or more{more_said(left_out)}"


def more_said(left_out: int) -> str:
    """That very large families have more pairs than are stored; nothing where they have none.

    >>> more_said(2000)
    '; up to 2,000 more, of very large families, are computed when asked for'
    """
    return f"; up to {left_out:,} more, of very large families, are computed when asked for" if left_out else ""


def groups_said(groups: int, statuses: dict[str, int]) -> str:
    """How many groups there are, and why there may be more groups than principals.

    >>> groups_said(5, {"principal": 5}), groups_said(6, {"principal": 5})
    ('5', '6: 5 with a principal, 1 of copies of a text without letters or of a few words')
    """
    led = statuses.get("principal", 0)
    if groups <= led:
        return f"{groups:,}"
    return (
        f"{groups:,}: {led:,} with a principal, {groups - led:,} of copies of a text without letters or of a few words"
    )


def print_missing_principals(console: Console, names: Sequence[str]) -> None:
    """Principals that were asked for but are not in the matter."""
    if names:
        listed = ", ".join(names[:LISTED]) + (", …" if len(names) > LISTED else "")
        said = f"{count_said(len(names), 'listed principal')} not in the matter, or named like several documents"
        print_note(console, f"{said}: {listed}")
        console.print()


def print_not_read(console: Console, members: int) -> None:
    """That archives or mailboxes hold more than was read."""
    if members:
        said = f"{count_said(members, 'file or message', 'files or messages')} of archives and mailboxes not read"
        print_note(console, f"{said}: they hold more than --max-members allows. Raise it to read them.")
        console.print()


def print_access(console: Console, access: str | None) -> None:
    """Who else can read a matter; nothing where nobody can."""
    others = {"group": "you and the group of its files", "all": "everyone on this machine"}
    if access in others:
        print_line(console, "can be read by", others[access])


def print_line(console: Console, label: str, value: str, path: bool = False) -> None:
    """One fact of a summary. A path or a command is never broken into lines, so that it can be copied."""
    from rich.text import Text

    said = safe(value)
    lines = [said] if path else wrapped(said, max(20, console.width - _LABEL))
    for place, line in enumerate(lines):
        named = f"{label if place == 0 else '':<{_LABEL}}"
        console.print(Text.assemble((named, "dim"), line), soft_wrap=True)


def print_note(console: Console, text: str) -> None:
    """A sentence; where it is indented and wraps, the lines after the first are indented more."""
    from rich.text import Text

    said = safe(text)
    bare = said.lstrip(" ")
    indent = len(said) - len(bare)
    first, *rest = wrapped(bare, max(20, console.width - indent - 4 * bool(indent)))
    for line in (" " * indent + first, *(" " * (indent + 4 * bool(indent)) + line for line in rest)):
        console.print(Text(line), soft_wrap=True)


def print_command(console: Console, text: str, command: str) -> None:
    """A sentence and a command; the command is on a line of its own and never broken, so that it can be pasted."""
    from rich.text import Text

    bare = safe(command.strip("`"))
    whole = f"{text}: {bare}"
    if len(whole) <= console.width:
        console.print(Text(whole), soft_wrap=True)
    else:
        print_note(console, f"{text}:")
        console.print(Text(f"    {bare}"), soft_wrap=True)


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


def count_said(count: int, thing: str, things: str = "") -> str:
    """A number of things in words.

    >>> count_said(1, "group"), count_said(2000, "group")
    ('1 group', '2,000 groups')
    """
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"
