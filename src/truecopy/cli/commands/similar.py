"""`truecopy similar`: everything like one document, by its words, by a signature, or by what it contains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truecopy.cli import options, shapes, summary
from truecopy.cli.reply import Reply
from truecopy.cli.table import Column, print_table
from truecopy.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from truecopy.matter.near import Answer, NearHit


def similar(
    document: Annotated[
        str,
        typer.Argument(metavar="DOC-OR-FILE", help="An id or path of the matter, or any file.", show_default=False),
    ],
    matter: options.Matter = options.DEFAULT_MATTER,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            metavar="T",
            parser=options.number,
            help="Similarity in percent (with --contains, --contained-in: containment); the matter's own if left out.",
        ),
    ] = None,
    contains: Annotated[bool, typer.Option("--contains", help="List documents that contain this one.")] = False,
    contained_in: Annotated[
        bool, typer.Option("--contained-in", help="List documents of 50 shingles or more that are in this one.")
    ] = False,
    method: Annotated[
        str | None, typer.Option("--method", metavar="M", help="Find by signatures that the matter is signed with.")
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option("--gamma", metavar="G", parser=options.decimal, help="letters: within G times the norm; 0.025."),
    ] = None,
    distance: Annotated[
        int | None,
        typer.Option("--distance", metavar="N", help="simhash, topsig, minhash4: bits that differ; 3 of 64."),
    ] = None,
    resemblance: Annotated[
        float | None,
        typer.Option(
            "--resemblance", metavar="R", parser=options.number, help="words, mod, min, sketch, bsw: percent; 50."
        ),
    ] = None,
    terms: Annotated[
        float | None,
        typer.Option("--terms", metavar="P", parser=options.number, help="terms: percent of them shared; 80."),
    ] = None,
    length: Annotated[
        float | None,
        typer.Option(
            "--length",
            metavar="P",
            parser=options.number,
            help="terms, fingerprint: lengths differ by P; 20, 5.",
        ),
    ] = None,
    weeks: Annotated[
        int | None, typer.Option("--weeks", metavar="N", help="terms: dates differ by N weeks; any if left out.")
    ] = None,
    json: options.Json = False,
) -> Reply:
    """List everything that is similar to one document.

    The document may be one of the matter, or any file from outside it. Best first, copies included. With --method,
    documents are found by that signature's distance, and the similarity of their words is shown beside it.

    \b
    Example:
      truecopy similar TC-000012 --matter acme
      truecopy similar "new draft.docx" --matter acme --threshold 85
      truecopy similar clause.txt --matter acme --contains
      truecopy similar TC-000012 --matter acme --method letters --gamma 0.05
    """
    asked: dict[str, Any] = {
        "gamma": gamma, "distance": distance, "resemblance": resemblance,
        "terms": terms, "length": length, "weeks": weeks,
    }  # fmt: skip
    given = [f"--{name}" for name, value in asked.items() if value is not None]
    if contains and contained_in:
        raise UsageError("Both --contains and --contained-in were given.", "Give one of them.")
    if given and (method is None or contains or contained_in):
        raise UsageError(f"{given[0]} was given, which belongs to a --method.", "Give --method too, or leave it out.")
    import truecopy as tc

    opened = tc.open(matter)
    if contains or contained_in:
        ask = opened.containing if contains else opened.contained_in
        return _near(ask(document, threshold, method), json)
    if method is not None:
        return _near(opened.near(document, method, threshold, **asked), json)
    return _similar(matter, document, threshold, json)


def _similar(matter: Path, document: str, threshold: float | None, json: bool) -> Reply:
    import truecopy as tc

    opened = tc.open(matter)
    hits = opened.similar(document, threshold)
    rebuilt = opened.rebuilt()

    def show(console: Console) -> None:
        columns = [
            Column("similarity", style="bold", right=True),
            Column("kind"),
            Column("id", style="dim"),
            Column("document", path=True),
        ]
        rows = [(summary.shown(hit.similarity), hit.kind, hit.document.id, hit.document.path) for hit in hits]
        if rows:
            print_table(console, columns, rows)
            console.print()
        _print_rebuilt(console, rebuilt)
        summary.print_note(console, f"{summary.count_said(len(hits), 'similar document')}.")

    data: dict[str, Any] = {"hits": [shapes.hit(hit) for hit in hits]}
    return Reply(data | ({"rebuilt": rebuilt} if rebuilt else {}), show, as_json=json)


def _near(answer: Answer, json: bool) -> Reply:
    """An answer that an index found."""

    def show(console: Console) -> None:
        inside = any(hit.containment for hit in answer.hits)
        columns = [
            Column("similarity", style="bold", right=True),
            Column("containment" if inside else "distance", right=True),
            Column("kind"),
            Column("id", style="dim"),
            Column("document", path=True),
        ]
        rows = [
            (summary.shown(hit.similarity), _found_by(hit), hit.kind, hit.document.id, hit.document.path)
            for hit in answer.hits
        ]
        if rows:
            print_table(console, columns, rows)
            console.print()
        _print_rebuilt(console, answer.rebuilt)
        looked = summary.count_said(answer.examined, "candidate")
        how = f"{looked} looked at, {1000 * answer.seconds:,.1f} ms, by {answer.spec}"
        summary.print_note(console, f"{summary.count_said(len(answer.hits), 'document')}; {how}.")

    return Reply(_data(answer), show, as_json=json)


def _print_rebuilt(console: Console, names: Sequence[str]) -> None:
    for name in names:
        summary.print_note(console, f"The index file {name} was damaged and has been made again.")


def _found_by(hit: NearHit) -> str:
    if hit.containment is None:
        return f"{hit.distance:,.1f}" if isinstance(hit.distance, float) else f"{hit.distance:,}"
    of_asked, of_hit = hit.containment
    return f"{summary.shown(of_asked)} / {summary.shown(of_hit)}"


def _data(answer: Answer) -> dict[str, Any]:
    return {
        "hits": [shapes.near_hit(hit) for hit in answer.hits],
        "method": answer.method,
        "spec": answer.spec.as_json(),
        "measure": answer.measure,
        "recall": answer.recall,
        "examined": answer.examined,
        "seconds": round(answer.seconds, 6),
        "rebuilt": list(answer.rebuilt),
    }
