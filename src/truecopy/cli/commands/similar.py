"""`truecopy similar`: everything like one document, by its words, by a signature, or by what it contains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truecopy.cli import lists, options, shapes, summary
from truecopy.cli.export import INTEGER, NUMBER, TEXT
from truecopy.cli.reply import Reply
from truecopy.cli.table import Column, print_table
from truecopy.errors import UsageError
from truecopy.hints import pasted
from truecopy.model import COPIES, SHORTEST_PAIRED
from truecopy.read.encodings.rules import reading_as

if TYPE_CHECKING:
    from rich.console import Console

    from truecopy import Matter
    from truecopy.matter.ask.near import Answer, NearHit
    from truecopy.model import Hit

SHORT = f"It has fewer than {SHORTEST_PAIRED} words, so only equal texts were looked for."
FIELDS = {
    "id": TEXT, "path": TEXT, "root": TEXT, "wave": TEXT, "status": TEXT, "similarity": NUMBER, "kind": TEXT,
    "copy_of": TEXT, "words": INTEGER, "date": TEXT,
}  # fmt: skip
BY_INDEX = {"distance": NUMBER, "of_asked": NUMBER, "of_hit": NUMBER, "start": INTEGER, "end": INTEGER}
"""What is also known if an index found the hits: how much of the asked document is in the hit, how much of the hit is
in it, and where."""


def similar(
    document: Annotated[
        str,
        typer.Argument(
            metavar="DOC-OR-FILE", help="An id, path or file name of the matter, or any file.", show_default=False
        ),
    ],
    matter: options.Matter = options.DEFAULT_MATTER,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            metavar="T",
            parser=options.percent("threshold"),
            help="Similarity in percent, the matter's own if left out; containment, 80, where that is asked for.",
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
            "--resemblance",
            metavar="R",
            parser=options.percent("resemblance"),
            help="words, mod, min, sketch, bsw: percent; 50.",
        ),
    ] = None,
    terms: Annotated[
        float | None,
        typer.Option(
            "--terms", metavar="P", parser=options.percent("share of terms"), help="terms: percent of them shared; 80."
        ),
    ] = None,
    length: Annotated[
        float | None,
        typer.Option(
            "--length",
            metavar="P",
            parser=options.share,
            help="terms, fingerprint: lengths differ by P; 20, 5.",
        ),
    ] = None,
    weeks: Annotated[
        int | None, typer.Option("--weeks", metavar="N", help="terms: dates differ by N weeks; any if left out.")
    ] = None,
    encoding: options.Encoding = None,
    limit: lists.Limit = None,
    sort: lists.Sort = None,
    reverse: lists.Reverse = False,
    csv: lists.Csv = None,
    parquet: lists.Parquet = None,
    access: options.Access = "private",
    json: options.Json = False,
) -> Reply:
    """List everything that is similar to one document.

    The document may be one of the matter (by id, path, file name or the end of its path), or any file from outside it;
    ./NAME is always the file. Best first, copies included. With --method, documents are found by that signature's
    distance, and the similarity of their words is shown beside it.

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
    by_index = contains or contained_in or method is not None
    fields = FIELDS | (BY_INDEX if by_index else {})
    wanted = lists.Wanted(tuple(fields), limit, sort, reverse, csv, parquet, access)
    opened = wanted.opened(matter)
    with reading_as(tuple(encoding or ())) as doubts:
        if contains or contained_in:
            ask = opened.containing if contains else opened.contained_in
            reply = _near(_asked(opened, document), ask(document, threshold, method), fields, wanted, json)
        elif method is not None:
            answer = opened.near(document, method, threshold, **asked)
            reply = _near(_asked(opened, document), answer, fields, wanted, json)
        else:
            reply = _similar(opened, document, threshold, wanted, json)
    return _with_doubts(reply, doubts)


def _with_doubts(reply: Reply, doubts: Sequence[str]) -> Reply:
    """The same answer, with what may be wrong about the encoding of a file from outside."""
    if not doubts:
        return reply

    def show(console: Console) -> None:
        reply.show(console)
        for doubt in doubts:
            summary.print_note(console, f"The file that was asked for: {doubt}.")

    return replace(reply, data=reply.data | {"doubt": "; ".join(doubts)}, show=show)


def _asked(opened: Matter, name: str) -> dict[str, Any]:
    """Which document a name was taken for; a file from outside has no id."""
    document = opened.find(name)
    return {"id": None, "path": name} if document is None else {"id": document.id, "path": document.path}


def _asked_said(asked: dict[str, Any]) -> str:
    return f"{asked['id']} ({asked['path']})" if asked["id"] else str(asked["path"])


def _similar(opened: Matter, document: str, threshold: float | None, wanted: lists.Wanted, json: bool) -> Reply:
    with opened.snapshot():
        found = opened.similar(document, threshold)
        least = opened.threshold_for("similar", threshold)
        hint = _contains_hint(opened, document, found)
        short = not hint and all(hit.kind in COPIES for hit in found) and _is_short(opened, document)
        asked = _asked(opened, document)
    rebuilt = opened.rebuilt()
    hits = wanted.arranged(found, _value)
    data: dict[str, Any] = {"asked": asked, "hits": [shapes.hit(hit) for hit in hits], "total": len(found)}
    if rebuilt:
        data["rebuilt"] = rebuilt
    if hint:
        data["hint"] = f"{hint[0]}: {hint[1]}"
    elif short:
        data["hint"] = SHORT
    files = _written(data, hits, FIELDS, wanted)

    def show(console: Console) -> None:
        if files:
            lists.print_written(console, files, len(hits))
        elif hits:
            columns = [Column("similarity", style="bold", right=True), Column("kind"), *_DOCUMENT]
            names = lists.names([hit.document for hit in hits])
            rows = [
                (summary.one_decimal(hit.similarity), hit.kind, hit.document.id, names[hit.document.number])
                for hit in hits
            ]
            print_table(console, columns, rows)
            console.print()
        _print_rebuilt(console, rebuilt)
        said = lists.shown_of(len(hits), len(found), "document") if found else "no document"
        summary.print_note(console, f"Similar to {_asked_said(asked)} at {least:g} %: {said}.")
        if short:
            summary.print_note(console, SHORT)
        if hint:
            summary.print_command(console, *hint)

    return Reply(data, show, as_json=json)


def _is_short(opened: Matter, document: str) -> bool:
    """Whether a document is compared for equality only."""
    from truecopy.text import words

    return len(words(opened.sides(document, document)[0].text)) < SHORTEST_PAIRED


def _contains_hint(opened: Matter, document: str, found: Sequence[Hit]) -> tuple[str, str] | None:
    """If only copies are similar, but some document is known to contain this one: a sentence and the command."""
    if any(hit.kind not in COPIES for hit in found):
        return None
    count = opened.count_containing(document)
    if not count:
        return None
    verb = "document contains" if count == 1 else "documents contain"
    # A name that begins with - would be taken for an option.
    name = _asked(opened, document)["id"] or f"./{document}" if document.startswith("-") else document
    command = pasted("similar", name, "--contains", matter=opened.path)
    return f"{'Besides its copies, ' if found else ''}{count:,} {verb} most of it", command


_DOCUMENT = (Column("id", style="dim", label=True), Column("document", path=True))


def _value(hit: Hit | NearHit, field: str) -> Any:
    """One field of a hit; None where there is nothing to say."""
    if field in ("similarity", "kind", "distance"):
        return getattr(hit, field)
    if field in BY_INDEX:
        pair = getattr(hit, "part" if field in ("start", "end") else "containment")
        return None if pair is None else pair[field in ("end", "of_hit")]
    value = getattr(hit.document, field)
    return None if value == "" else value


def _written(
    data: dict[str, Any], hits: Sequence[Hit | NearHit], fields: dict[str, str], wanted: lists.Wanted
) -> list[str]:
    if not wanted.to_files:
        return []
    files = wanted.write(fields, [{field: _value(hit, field) for field in fields} for hit in hits])
    data["written"] = files
    return files


def _near(asked: dict[str, Any], answer: Answer, fields: dict[str, str], wanted: lists.Wanted, json: bool) -> Reply:
    """An answer that an index found."""
    hits = wanted.arranged(answer.hits, _value)
    data = {"asked": asked, **_data(answer, hits)}
    files = _written(data, hits, fields, wanted)

    def show(console: Console) -> None:
        inside = any(hit.containment for hit in hits)
        columns = [
            Column("similarity", style="bold", right=True),
            Column("containment" if inside else "distance", right=True),
            Column("kind"),
            *_DOCUMENT,
        ]
        names = lists.names([hit.document for hit in hits])
        rows = [
            (
                summary.one_decimal(hit.similarity),
                _found_by(hit),
                _kind_shown(hit),
                hit.document.id,
                names[hit.document.number],
            )
            for hit in hits
        ]
        if files:
            lists.print_written(console, files, len(hits))
        elif rows:
            print_table(console, columns, rows)
            console.print()
        _print_rebuilt(console, answer.rebuilt)
        looked = summary.count_said(answer.examined, "candidate")
        how = f"{looked} looked at, {1000 * answer.seconds:,.1f} ms, by {answer.spec}"
        said = lists.shown_of(len(hits), len(answer.hits), "document")
        summary.print_note(console, f"Found for {_asked_said(asked)}: {said}; {how}.")

    return Reply(data, show, as_json=json)


def _print_rebuilt(console: Console, names: Sequence[str]) -> None:
    for name in names:
        summary.print_note(console, f"The index file {name} was damaged and has been made again.")


def _kind_shown(hit: NearHit) -> str:
    """A clause that is in a contract has no kind if it is short; nobody should read there that they are unrelated."""
    return "–" if hit.containment and hit.kind == "unrelated" else hit.kind


def _found_by(hit: NearHit) -> str:
    if hit.containment is None:
        return f"{hit.distance:,.1f}" if isinstance(hit.distance, float) else f"{hit.distance:,}"
    of_asked, of_hit = hit.containment
    return f"{summary.one_decimal(of_asked)} / {summary.one_decimal(of_hit)}"


def _data(answer: Answer, hits: Sequence[NearHit]) -> dict[str, Any]:
    return {
        "hits": [shapes.near_hit(hit) for hit in hits],
        "total": len(answer.hits),
        "method": answer.method,
        "spec": answer.spec.as_json(),
        "measure": answer.measure,
        "recall": answer.recall,
        "examined": answer.examined,
        "seconds": round(answer.seconds, 6),
        "rebuilt": list(answer.rebuilt),
    }
