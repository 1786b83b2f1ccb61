"""`truecopy sign`: signatures of files, or of every document of a matter."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truecopy.cli import options, summary
from truecopy.cli.progress import progress_for
from truecopy.cli.reply import Reply
from truecopy.cli.table import Column, print_table
from truecopy.errors import BadSetting, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from truecopy.read import ReadSettings
    from truecopy.sign.collect import Unread
    from truecopy.sign.signatures import Signatures
    from truecopy.sign.statistics import Statistics

_SHOWN = 40
"""Characters of a signature that a terminal shows; `--json` has all."""


def _n(given: str | int) -> int | str:
    if given == "auto":
        return "auto"
    try:
        return int(given)
    except ValueError:
        raise BadSetting(f"{given!r} is not a whole number.", "Give a number such as 100, or auto.") from None


def sign(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH]…",
            help="Folders, files, glob patterns; left out where --matter is given.",
            show_default=False,
        ),
    ] = None,
    *,
    method: Annotated[str, typer.Option("--method", metavar="M", help="One of `truecopy methods`.")],
    bits: Annotated[int | None, typer.Option("--bits", metavar="N", help="simhash, topsig, minhash4.")] = None,
    hash_: Annotated[
        str | None,
        typer.Option("--hash", metavar="H", help="simhash: fast, shake256, sha512; byte windows: fast, rabin."),
    ] = None,
    ngram: Annotated[int | None, typer.Option("--ngram", metavar="N", help="Characters in an n-gram.")] = None,
    profile: Annotated[
        str | None, typer.Option("--profile", metavar="verbatim|plain", help="The text that n-grams are taken from.")
    ] = None,
    density: Annotated[float | None, typer.Option("--density", metavar="D", help="topsig: share of entries.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="S", help="topsig: which random vectors.")] = None,
    negative: Annotated[
        str | None, typer.Option("--negative", metavar="keep|drop", help="topsig: weights below 0.")
    ] = None,
    window: Annotated[int | None, typer.Option("--window", metavar="W", help="mod, min, sketch, bsw: bytes.")] = None,
    n: Annotated[
        str | None,
        typer.Option("--n", metavar="N", parser=_n, help="mod, bsw: one in N, or auto; min, sketch: entries."),
    ] = None,
    form: Annotated[str | None, typer.Option("--form", metavar="F", help="sketch: one-permutation or n-hash.")] = None,
    chunks: Annotated[str | None, typer.Option("--chunks", metavar="C", help="bsw: smallest or whole.")] = None,
    terms: Annotated[int | None, typer.Option("--terms", metavar="N", help="terms, fingerprint: how many.")] = None,
    unit: Annotated[
        str | None, typer.Option("--unit", metavar="document|clause", help="terms: what is signed.")
    ] = None,
    bin_: Annotated[int | None, typer.Option("--bin", metavar="N", help="fingerprint: size of offset bins.")] = None,
    rarest: Annotated[
        float | None, typer.Option("--rarest", metavar="IDF", help="fingerprint: rarer terms are skipped.")
    ] = None,
    alphabet: Annotated[
        str | None, typer.Option("--alphabet", metavar="latin|extended", help="letters: what is counted.")
    ] = None,
    slots: Annotated[int | None, typer.Option("--slots", metavar="N", help="words: places of the sketch.")] = None,
    statistics: Annotated[
        str | None,
        typer.Option("--statistics", metavar="FILE", help="Statistics to weigh by: a file, or legal-english; none."),
    ] = None,
    matter: Annotated[
        Path | None,
        typer.Option(
            "--matter",
            metavar="DIR",
            parser=options.matter_folder,
            help="Sign every document of this matter, and of its later waves.",
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="With --matter: sign all documents again, in another way.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Save the signatures here too.")] = None,
    access: options.Access = "private",
    follow_links: options.FollowLinks = False,
    threads: options.Threads = None,
    json: options.Json = False,
) -> Reply:
    """Make signatures, small stand-ins for texts.

    They can be compared instead of the texts. A parameter that is left out has the value of the method's paper;
    `truecopy methods` lists methods and parameters.

    \b
    Example:
      truecopy sign contracts/ --method simhash --bits 64 --json
      truecopy sign contracts/ --method topsig --statistics legal-english
      truecopy sign --matter acme --method letters
    """
    asked = {
        "bits": bits, "hash": hash_, "ngram": ngram, "profile": profile, "density": density, "seed": seed,
        "negative": negative, "window": window, "n": n, "form": form, "chunks": chunks, "terms": terms, "unit": unit,
        "bin": bin_, "rarest": rarest, "alphabet": alphabet, "slots": slots,
    }  # fmt: skip
    parameters = {name: value for name, value in asked.items() if value is not None}
    if bool(paths) == (matter is not None):
        given = "both paths and a matter were given" if paths else "neither a path nor a matter was given"
        raise UsageError(f"What to sign is not clear: {given}.", "Give paths, or --matter DIR.")
    if replace and matter is None:
        raise UsageError("--replace was given without --matter.", "Leave it out: files are signed every time.")
    if out is not None:
        from truecopy.sign.signatures import check_target

        check_target(out)  # before the work, not after it

    def save(made: Signatures) -> None:
        if out is not None:
            made.save(out, access)

    table = _statistics(statistics, matter is not None)
    if matter is not None:
        return _sign_matter(matter, method, table, parameters, replace, save, threads, json)
    assert not isinstance(table, str)
    from truecopy.read import ReadSettings
    from truecopy.settings import thread_count

    settings = ReadSettings(threads=thread_count(threads), follow_links=follow_links)
    return _sign_files(paths or [], method, table, parameters, save, settings, json)


def _statistics(name: str | None, of_matter: bool) -> Statistics | str | None:
    if name is None or (name == "none" and of_matter):
        return name
    from truecopy.sign.statistics import find

    return find(name)


def _sign_files(
    paths: list[str],
    method: str,
    table: Statistics | None,
    parameters: dict[str, Any],
    save: Callable[[Signatures], None],
    settings: ReadSettings,
    json: bool,
) -> Reply:
    from truecopy.sign.files import sign_files

    with progress_for(json) as progress:
        made, unsigned = sign_files(paths, method, table, settings=settings, progress=progress, **parameters)
    save(made)
    return _reply(made, [(path, row) for row, path in enumerate(made.ids)], unsigned, {}, json)


def _sign_matter(
    matter: Path,
    method: str,
    table: Statistics | str | None,
    parameters: dict[str, Any],
    replace: bool,
    save: Callable[[Signatures], None],
    threads: int | None,
    json: bool,
) -> Reply:
    import truecopy as tc
    from truecopy.sign.collect import Unread

    opened = tc.open(matter)
    with progress_for(json) as progress:
        signed = opened.sign(method, table, replace=replace, threads=threads, progress=progress, **parameters)
    with opened.snapshot():
        made, owners = opened.signatures(method), opened.text_owners()
        documents = {document.id: document for document in opened.documents()}
    save(made)
    rows = {name: row for row, name in enumerate(made.ids)}
    signed_documents = [(documents[name].path, rows[owner]) for name, owner in owners.items()]
    unsigned = [Unread(one.path, one.reason) for one in documents.values() if one.id not in owners]
    more = {"matter": str(opened.path), "signed": signed.signed, "already": signed.already}
    return _reply(made, signed_documents, unsigned, more, json)


def _reply(
    made: Signatures, documents: list[tuple[str, int]], unsigned: list[Unread], more: dict[str, Any], json: bool
) -> Reply:
    from truecopy.sign import family

    value = family(made.spec.method).value
    signatures = [
        {"path": path, "value": value(made, text), "reliable": bool(made.reliable[text])} for path, text in documents
    ]
    data = {
        "spec": made.spec.as_json(),
        "statistics": made.statistics,
        **more,
        "signatures": signatures,
        "unsigned": [{"path": one.path, "reason": one.reason} for one in unsigned],
    }

    def show(console: Console) -> None:
        columns = [Column("signature"), Column("reliable"), Column("document", path=True)]
        rows = [(_short(one["value"]), "yes" if one["reliable"] else "no", str(one["path"])) for one in signatures]
        if rows:
            print_table(console, columns, rows)
            console.print()
        for one in unsigned:
            summary.print_note(console, f"not signed: {one.path}: {one.reason}")
        summary.print_note(console, f"{summary.count_said(len(signatures), 'signature')} by {made.spec}.")

    return Reply(data, show, as_json=json)


def _short(value: Any) -> str:
    said = value if isinstance(value, str) else " ".join(map(str, value[:_SHOWN]))
    return said if len(said) <= _SHOWN else f"{said[: _SHOWN - 1]}…"
