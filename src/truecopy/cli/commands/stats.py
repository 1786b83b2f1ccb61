"""`truecopy stats`: collection statistics, which tell signatures what is rare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truecopy.cli import options, summary
from truecopy.cli.progress import progress_for
from truecopy.cli.reply import Reply
from truecopy.cli.table import Column, print_table

if TYPE_CHECKING:
    from rich.console import Console

    from truecopy.read import ReadSettings
    from truecopy.sign.collect import Unread
    from truecopy.sign.stability import ChangedSignatures
    from truecopy.sign.statistics import Frequencies, Statistics

ABOUT = "Count words and n-grams: what is rare in a collection."
WHAT = "A file of statistics, or legal-english, which comes with truecopy."
_SHOWN = (1, 2, 3, 4, 5, 6, 10, 15, 20, 25, 30)
"""Lengths of signatures that are listed on a terminal; `--json` has all."""

Out = Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the statistics are saved.", show_default=False)]


def build(
    paths: options.Paths,
    out: Out,
    ngram: Annotated[int, typer.Option("--ngram", metavar="N", help="Characters in an n-gram, 1 to 8.")] = 4,
    profile: Annotated[
        str,
        typer.Option(
            "--profile",
            metavar="verbatim|plain",
            help="The text that n-grams are taken from: as it is, or folded words joined by spaces.",
        ),
    ] = "verbatim",
    keep_all: Annotated[
        bool,
        typer.Option("--keep-all", help="Keep rare, short and mixed words and rare n-grams too, as merging needs."),
    ] = False,
    access: options.Access = "private",
    follow_links: options.FollowLinks = False,
    threads: options.Threads = None,
    json: options.Json = False,
) -> Reply:
    """Count the words and n-grams of documents.

    It keeps words of three or more letters, and words and n-grams that occur five times or more. Copies count as
    documents too.

    \b
    Example:
      truecopy stats build dataroom/ --out dataroom.statistics
      truecopy stats build wave-1/ --out wave-1.statistics --keep-all
    """
    from truecopy.sign.collect import collect
    from truecopy.sign.statistics import check_target

    check_target(out)
    settings = _reading(threads, follow_links)
    with progress_for(json) as progress:
        found, unread = collect(paths, ngram=ngram, profile=profile, settings=settings, progress=progress)
    made = found if keep_all else found.filtered()
    made.save(out, access)
    data = {**_table(made), "file": str(out), "unreadable": [asdict(one) for one in unread]}

    def show(console: Console) -> None:
        _show_table(console, made)
        summary.print_line(console, "file", str(out))
        _show_unread(console, unread)

    return Reply(data, show, as_json=json)


def merge(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Files of statistics, built with --keep-all.", show_default=False),
    ],
    out: Out,
    filtered: Annotated[
        bool, typer.Option("--filter", help="Then leave out rare, short and mixed words and rare n-grams.")
    ] = False,
    access: options.Access = "private",
    json: options.Json = False,
) -> Reply:
    """Join statistics of several collections into one.

    The result is what building from all documents at once would have given. Statistics that were filtered are refused:
    what is rare in each part may not be rare in all.

    \b
    Example:
      truecopy stats merge wave-1.statistics wave-2.statistics --out both.statistics --filter
    """
    from truecopy.sign.statistics import check_target, find

    check_target(out)
    first, *others = (find(str(file)) for file in files)
    made = first.merged(*others)
    made = made.filtered() if filtered else made
    made.save(out, access)
    data = {**_table(made), "file": str(out), "merged": len(files)}

    def show(console: Console) -> None:
        _show_table(console, made)
        summary.print_line(console, "file", str(out))

    return Reply(data, show, as_json=json)


def show(
    table: Annotated[str, typer.Argument(metavar="FILE", help=WHAT, show_default=False)],
    top: Annotated[
        int, typer.Option("--top", metavar="N", min=0, help="How many of the most frequent words and n-grams to list.")
    ] = 10,
    json: options.Json = False,
) -> Reply:
    """Say what statistics hold, with the most frequent entries.

    \b
    Example:
      truecopy stats show dataroom.statistics
      truecopy stats show legal-english --top 100 --json
    """
    from truecopy.sign.statistics import find

    found = find(table)
    most = {"words": _most(found.words, found.documents, top), "grams": _most(found.grams, found.documents, top)}

    def shown(console: Console) -> None:
        _show_table(console, found)
        for name, rows in most.items():
            if rows:
                console.print()
                columns = [Column("word" if name == "words" else f"{found.ngram}-gram", style="bold")]
                columns += [Column(title, right=True) for title in ("documents", "occurrences", "idf")]
                cells = [(_quoted(row, name), f"{row['df']:,}", f"{row['cf']:,}", f"{row['idf']:.4f}") for row in rows]
                print_table(console, columns, cells)

    return Reply({**_table(found), "top": most}, shown, as_json=json)


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help=WHAT, show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help=WHAT, show_default=False)],
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="Documents whose signatures are made with both.", show_default=False),
    ] = None,
    follow_links: options.FollowLinks = False,
    threads: options.Threads = None,
    json: options.Json = False,
) -> Reply:
    """Say how far two tables agree on what is rare.

    Given documents too, it counts how many of their signatures (the 1 to 30 rarest words of each) would change.

    \b
    Example:
      truecopy stats compare march.statistics april.statistics
      truecopy stats compare march.statistics april.statistics dataroom/ --json
    """
    from truecopy.sign.stability import Changes, agreement
    from truecopy.sign.statistics import find

    first, second = find(a), find(b)
    found = agreement(first, second)
    rounded = None if found.spearman is None else round(found.spearman, 6)
    data: dict[str, Any] = {"a": first.id, "b": second.id, **asdict(found), "spearman": rounded}
    changes: list[ChangedSignatures] = []
    unread: list[Unread] = []
    if paths:
        counting = Changes(first, second)
        unread = _look_at(paths, counting, _reading(threads, follow_links), json)
        changes = counting.result()
        data["documents"] = counting.documents
        data["changed"] = [{**asdict(change), "share": round(change.share, 6)} for change in changes]
        data["unreadable"] = [asdict(one) for one in unread]

    def show(console: Console) -> None:
        said = "cannot be told" if rounded is None else f"{rounded:.4f}"
        summary.print_line(console, "Spearman's coefficient", said)
        summary.print_line(console, "words in both", f"{found.terms:,}")
        summary.print_line(console, "only in a", f"{found.only_a:,}")
        summary.print_line(console, "only in b", f"{found.only_b:,}")
        if changes:
            summary.print_line(console, "documents", f"{data['documents']:,}")
            _show_unread(console, unread)
            console.print()
            columns = [
                Column("words in the signature", right=True),
                Column("changed", right=True),
                Column("%", right=True),
            ]
            rows = [(str(one.length), f"{one.changed:,}", f"{100 * one.share:.1f}") for one in changes]
            print_table(console, columns, [rows[length - 1] for length in _SHOWN])

    return Reply(data, show, as_json=json)


COMMANDS = (build, merge, show, compare)


def _reading(threads: int | None, follow_links: bool) -> ReadSettings:
    from truecopy.read import ReadSettings
    from truecopy.settings import thread_count

    return ReadSettings(threads=thread_count(threads), follow_links=follow_links)


def _look_at(paths: Sequence[str], changes: Any, settings: ReadSettings, json: bool) -> list[Unread]:
    from truecopy.sign.collect import each_text

    with progress_for(json) as progress:
        return each_text(paths, changes.add, settings=settings, progress=progress)


def _table(made: Statistics) -> dict[str, Any]:
    """What a table is, as JSON."""
    return {
        "id": made.id,
        "documents": made.documents,
        "ngram": made.ngram,
        "profile": made.profile,
        "unicode": made.unicode,
        "words": len(made.words),
        "grams": len(made.grams),
        "total_words": made.words.total,
        "total_grams": made.grams.total,
        "filter": None if made.filter is None else asdict(made.filter),
    }


def _most(table: Frequencies, documents: int, most: int) -> list[dict[str, Any]]:
    """The entries that occur most often, the first by code points where several occur as often."""
    import numpy as np

    from truecopy.sign.statistics import idf

    chosen = table.taken(np.argsort(-table.occurrences, kind="stable")[:most])
    columns = chosen.texts(), chosen.documents.tolist(), chosen.occurrences.tolist(), idf(chosen.documents, documents)
    return [
        {"text": text, "df": df, "cf": cf, "idf": round(float(rare), 6)}
        for text, df, cf, rare in zip(*columns, strict=True)
    ]


def _quoted(row: dict[str, Any], name: str) -> str:
    """N-grams begin and end in spaces."""
    return str(row["text"]) if name == "words" else f"“{row['text']}”"


def _show_table(console: Console, made: Statistics) -> None:
    used = made.filter
    kept = "everything"
    if used is not None:
        letters = " of letters only" if used.letters_only else ""
        kept = f"words{letters}, {used.shortest} or longer, from {used.least:,} occurrences on"
        kept += f"; n-grams from {used.least_grams:,} on"
    summary.print_line(console, "statistics", made.id)
    summary.print_line(console, "documents", f"{made.documents:,}")
    summary.print_line(console, "words", f"{len(made.words):,} ({made.words.total:,} occurrences counted)")
    grams = f"{len(made.grams):,} ({made.grams.total:,} occurrences counted)"
    summary.print_line(console, f"{made.ngram}-grams, {made.profile}", grams)
    summary.print_line(console, "kept", kept)


def _show_unread(console: Console, unread: Sequence[Unread]) -> None:
    if not unread:
        return
    summary.print_line(console, "not counted", summary.count_said(len(unread), "document"))
    rows = [(one.path, one.reason) for one in unread[: summary.LISTED]]
    console.print()
    print_table(console, [Column("not counted", path=True), Column("reason", text=True)], rows)
    if len(unread) > summary.LISTED:
        more = summary.count_said(len(unread) - summary.LISTED, "more document")
        summary.print_note(console, f"… and {more}; --json lists all.")
