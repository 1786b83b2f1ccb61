"""Signatures of a matter: every text is signed, wave by wave, and the matter records how.

A matter holds one set of signatures for a method. Its spec, with the id of its statistics, is a row of `signings`; the
statistics themselves are kept beside it, so that later waves are signed in the same way. Anything else is refused:
signatures that were made in different ways cannot be compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, func, inspect, select

from truecopy.errors import BadSetting, DamagedSegment, DiskTrouble, MatterError, NotFound, SpecMismatch
from truecopy.hints import pasted
from truecopy.matter import rows, tables
from truecopy.matter.audit import now, record
from truecopy.matter.bodies import stated_size, stored_text
from truecopy.matter.cells import wrong_cell
from truecopy.matter.checked import check_documents
from truecopy.matter.filenames import segment_path
from truecopy.matter.store import Store
from truecopy.matter.stored_json import is_spec, stored_spec
from truecopy.progress import Progress
from truecopy.segments import read_segment, write_segment
from truecopy.sign import family, make_spec
from truecopy.sign.families import dated, row_form
from truecopy.sign.signatures import Signatures
from truecopy.sign.statistics import Statistics
from truecopy.spec import Spec

Array = npt.NDArray[Any]

NO_STATISTICS = "none"
_REPLACE = "Sign every text again with --replace, or restore the matter from a backup."
_AT_ONCE = 32 << 20
"""Bytes of texts that are held in memory at a time."""


@dataclass(frozen=True, slots=True)
class Signed:
    """What a matter's texts were signed with."""

    method: str
    spec: Spec
    statistics: str | None
    signed: int
    """Texts that were signed now."""
    already: int
    """Texts that had this signature before."""


def sign_matter(
    store: Store,
    method: str,
    statistics: Statistics | str | None,
    parameters: dict[str, Any],
    replace: bool,
    threads: int,
    progress: Progress,
) -> Signed:
    """Sign every text that has no signature of this method yet; with `replace`, every text again.

    What is not given is as the matter recorded it, or else the method's default. Statistics "none" are none.
    """
    family(method)
    if not replace:
        with store.reading() as connection:
            done = _already(store.folder, connection, method, statistics, parameters)
        if done is not None:
            return done  # nothing to write, and writing may not even be possible
    with store.writing() as connection:
        store.sweep(connection)
        kept = read_signings(connection).get(method)
        if kept is None or replace:
            used = _wanted(store.folder, connection, kept, statistics)
            spec = make_spec(method, used, **_with_mean(connection, parameters))
            used = used or _implied(spec)
            _forget(connection, method)
            _write_signing(store.folder, connection, method, spec, used)
        else:
            spec, used = kept, _read_statistics(store.folder, connection, kept)
            _refuse_other(store.folder, connection, kept, statistics, parameters)
        signed, already = _sign_waves(store.folder, connection, spec, used, threads, progress)
        details = {"method": method, "spec": spec.as_json(), "texts": signed, "replace": replace}
        record(connection, "sign", details)
    return Signed(method, spec, _id(used), signed, already)


def _already(
    folder: Path, connection: Connection, method: str, statistics: Statistics | str | None, parameters: dict[str, Any]
) -> Signed | None:
    """What a matter has that is signed in this way already; None where anything is missing."""
    kept = read_signings(connection).get(method)
    if kept is None:
        return None
    _refuse_other(folder, connection, kept, statistics, parameters)
    waves = set(connection.execute(select(tables.waves.c.number)).scalars())
    if waves != set(_segments(connection, method)):
        return None
    texts = sum(len(_texts_of(connection, wave)) for wave in waves)
    found = kept.parameter("statistics")
    return Signed(method, kept, None if found is None else str(found), 0, texts)


def _sign_waves(
    folder: Path, connection: Connection, spec: Spec, used: Statistics | None, threads: int, progress: Progress
) -> tuple[int, int]:
    """Sign the waves that are not; returns how many texts were signed, and how many were before."""
    have = set(_segments(connection, spec.method))
    signed = already = 0
    for wave in connection.execute(select(tables.waves.c.number).order_by(tables.waves.c.number)).scalars().all():
        texts = _texts_of(connection, wave)
        if wave in have:
            already += len(texts)
            continue
        _sign_wave(folder, connection, wave, texts, spec, used, threads, progress)
        signed += len(texts)
    return signed, already


def _wanted(
    folder: Path, connection: Connection, kept: Spec | None, given: Statistics | str | None
) -> Statistics | None:
    """The statistics to sign with: those given, else those that the matter was signed with."""
    if isinstance(given, str):
        if given != NO_STATISTICS:
            raise BadSetting(f"Statistics were given as {given!r}.", "Load them with Statistics.load, or say 'none'.")
        return None
    if given is not None or kept is None:
        return given
    return _read_statistics(folder, connection, kept)


def _with_mean(connection: Connection, parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters, with the mean length of the matter's texts where n is to follow from it."""
    if parameters.get("n") != "auto":
        return parameters
    sizes = [stated_size(body) for body in connection.execute(select(tables.texts.c.body)).scalars()]
    return {**parameters, "mean_length": sum(sizes) / max(len(sizes), 1)}


def sign_new_wave(store: Store, connection: Connection, wave: int, threads: int, progress: Progress) -> None:
    """Sign a wave that is being added in every way that the matter is signed in."""
    for method, spec in read_signings(connection).items():
        _refuse_other(store.folder, connection, spec, None, {})
        used = _read_statistics(store.folder, connection, spec)
        texts = _texts_of(connection, wave)
        assert spec.method == method
        _sign_wave(store.folder, connection, wave, texts, spec, used, threads, progress)


def read_signings(connection: Connection) -> dict[str, Spec]:
    """The methods that the matter is signed with, and the spec of each."""
    if not inspect(connection).has_table(tables.signings.name):
        return {}  # a matter of format 1 that nobody has written to since
    found = connection.execute(select(tables.signings).order_by(tables.signings.c.method))
    return {row.method: _spec_of(row) for row in found}


def _spec_of(row: Any) -> Spec:
    """The spec of a row: of its own method, and one that can be."""
    spec = stored_spec("signings.spec", row.spec)
    try:
        row_form(spec)
    except (BadSetting, LookupError, TypeError, ValueError) as error:
        raise wrong_cell("signings.spec") from error
    if spec.method != row.method:
        raise wrong_cell("signings.method")
    return spec


def load_signatures(folder: Path, connection: Connection, method: str) -> Signatures:
    """The signatures of every document's text; each has the id of the text's first document."""
    spec = known_spec(folder, connection, method)
    parts = [_read(folder, connection, spec, row)[0] for _, row in sorted(_segments(connection, method).items())]
    if not parts:
        return family(method).sign([], spec, _read_statistics(folder, connection, spec))  # type: ignore[no-any-return]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.joined(part)
    if set(whole.ids) != set(text_owners(connection).values()) or len(set(whole.ids)) != len(whole.ids):
        raise DamagedSegment(
            f"The matter's {method} signatures are not those of the texts in the documents table.", _REPLACE
        )
    return whole


def wave_signatures(folder: Path, connection: Connection, method: str, wave: int) -> tuple[Signatures, Array]:
    """The signatures of the texts that a wave brought, and each text's first document."""
    spec = read_signings(connection)[method]
    row = _segments(connection, method).get(wave)
    if row is None:
        return family(method).sign([], spec, _read_statistics(folder, connection, spec)), np.empty(0, np.int64)
    return _read(folder, connection, spec, row)


def sign_one(folder: Path, connection: Connection, method: str, text: bytes, date: str, threads: int = 1) -> Signatures:
    """Sign a text from outside in the way that the matter is signed."""
    spec = known_spec(folder, connection, method)
    used = _read_statistics(folder, connection, spec)
    made: Signatures = family(method).sign([text], spec, used, threads=threads, **dated(method, [date]))
    return made


def _read(folder: Path, connection: Connection, spec: Spec, row: Any) -> tuple[Signatures, Array]:
    """The signatures of a segment, checked before a kernel sees them, and each one's document."""
    header, arrays = read_segment(segment_path(folder, row), row.checksum)
    documents = arrays.get("documents")
    if not is_spec(header) or documents is None or set(arrays) - {"offsets"} != {"values", "reliable", "documents"}:
        raise _not_signatures(spec, row)
    spec.must_equal(Spec.from_json(header))
    last = connection.execute(select(func.max(tables.documents.c.number))).scalar() or 0
    check_documents(row.name, documents, len(arrays["reliable"]), last)
    ids = [rows.document_id(number) for number in documents.tolist()]
    made = Signatures(spec, arrays["values"], arrays["reliable"], ids, arrays.get("offsets"))
    if not made.whole():
        raise _not_signatures(spec, row)
    return made, documents


def check_signatures(folder: Path, connection: Connection, method: str, row: Any) -> None:
    """Refuse a segment of signatures that is not whole, or not of the texts that its wave brought."""
    _, documents = _read(folder, connection, known_spec(folder, connection, method), row)
    if documents.tolist() != [text.document for text in _texts_of(connection, row.wave)]:
        raise DamagedSegment(
            f"The matter's file {row.name} does not hold the signatures of the texts in the documents table.", _REPLACE
        )


def made_again(folder: Path, connection: Connection, method: str, row: Any) -> Iterator[tuple[Signatures, Signatures]]:
    """The stored signatures of a wave, some at a time, and those that its texts have."""
    spec = known_spec(folder, connection, method)
    stored, _ = _read(folder, connection, spec, row)
    module, statistics = family(method), _read_statistics(folder, connection, spec)
    texts, first = _texts_of(connection, row.wave), 0
    for bodies in _bodies(folder, connection, texts):
        here = slice(first, first + len(bodies))
        more = dated(method, [text.date for text in texts[here]])
        yield stored.slice(here.start, here.stop), module.sign(bodies, spec, statistics, **more)
        first = here.stop


def _not_signatures(spec: Spec, row: Any) -> DamagedSegment:
    return DamagedSegment(
        f"The matter's file {row.name} does not hold {spec.method} signatures as its spec makes them.", _REPLACE
    )


def known_spec(folder: Path, connection: Connection, method: str) -> Spec:
    """The spec that the matter is signed by with a method."""
    family(method)
    spec = read_signings(connection).get(method)
    if spec is None:
        raise NotFound(
            f"The matter {folder} has no {method} signatures.",
            f"Make them with {pasted('sign', '--method', method, '--matter', folder)}.",
        )
    return spec


def text_owners(connection: Connection) -> dict[str, str]:
    """For each document with a text, in order: the id of the first document with the very same text."""
    table = tables.documents
    query = select(table.c.number, table.c.id, table.c.text).where(table.c.text.is_not(None)).order_by(table.c.number)
    first: dict[int, str] = {}
    owners: dict[str, str] = {}
    for row in connection.execute(query):
        if row.id != rows.document_id(row.number):  # signatures name documents by their numbers
            raise wrong_cell("documents.id")
        owners[row.id] = first.setdefault(row.text, row.id)
    return owners


def _refuse_other(
    folder: Path, connection: Connection, kept: Spec, statistics: Statistics | str | None, parameters: dict[str, Any]
) -> None:
    """Refuse to sign in another way than the matter is signed; what is not given is as it was."""
    module = family(kept.method)
    if kept.version != module.VERSION:
        raise MatterError(
            f"The matter's {kept.method} signatures are of version {kept.version}, and this truecopy makes version "
            f"{module.VERSION}: they could not be compared.",
            "Sign every document again with "
            f"{pasted('sign', '--method', kept.method, '--replace', '--matter', folder)}.",
        )
    given = {name: value for name, value in parameters.items() if (name, value) != ("n", "auto")}
    if given:  # in the form of a spec; an unknown parameter or a bad value is reported first
        asked = make_spec(kept.method, None, **given)
        given = {name: asked.parameter(name) for name in given}
    if statistics is not None:
        wanted = _wanted(folder, connection, kept, statistics)
        given["statistics"] = NO_STATISTICS if wanted is None else wanted.id
    recorded = {name: NO_STATISTICS if kept.parameter(name) is None else kept.parameter(name) for name in given}
    changed = sorted(name for name, value in given.items() if value != recorded[name])
    if not changed:
        return
    differing = " and ".join(f"{name} {recorded[name]} and not {given[name]}" for name in changed)
    raise SpecMismatch(
        f"The matter's {kept.method} signatures were made by {kept}, with {differing}: signatures made in both ways "
        "could not be compared.",
        f"Leave {' and '.join(f'--{name}' for name in changed)} out to go on in the same way, "
        "or sign every document again with --replace.",
    )


def _implied(spec: Spec) -> Statistics | None:
    """The statistics that a spec names though none were given: those that come with the package."""
    if spec.parameter("statistics") is None:
        return None
    from truecopy.sign.statistics import shipped

    return shipped()


def _id(statistics: Statistics | None) -> str | None:
    return None if statistics is None else statistics.id


@dataclass(frozen=True, slots=True)
class _Text:
    """A stored text and its first document."""

    number: int
    document: int
    date: str


def _texts_of(connection: Connection, wave: int) -> list[_Text]:
    """The texts that a wave brought."""
    table = tables.documents
    first = select(table.c.text, func.min(table.c.number).label("document")).where(table.c.text.is_not(None))
    owners = first.group_by(table.c.text).subquery()
    query = select(owners.c.text, owners.c.document, table.c.date).join(table, table.c.number == owners.c.document)
    found = connection.execute(query.where(table.c.wave == wave).order_by(owners.c.text))
    return [_Text(row.text, row.document, row.date) for row in found]


def _bodies(folder: Path, connection: Connection, texts: list[_Text]) -> Iterator[list[bytes]]:
    """The texts, some at a time."""
    some: list[bytes] = []
    size = 0
    for text in texts:
        found = stored_text(folder, connection, text.number)
        if found is None:
            raise wrong_cell("documents.text")
        some.append(found)
        size += len(some[-1])
        if size >= _AT_ONCE:
            yield some
            some, size = [], 0
    if some:
        yield some


def _sign_wave(
    folder: Path,
    connection: Connection,
    wave: int,
    texts: list[_Text],
    spec: Spec,
    statistics: Statistics | None,
    threads: int,
    progress: Progress,
) -> None:
    """Sign a wave's texts and name the segment that holds the signatures."""
    module = family(spec.method)
    progress.start("sign", len(texts), "texts")
    made: Signatures = module.sign([], spec, statistics)
    for bodies in _bodies(folder, connection, texts):
        here = texts[len(made) : len(made) + len(bodies)]
        more = dated(spec.method, [text.date for text in here])
        made = made.joined(module.sign(bodies, spec, statistics, threads=threads, **more))
        progress.advance(len(bodies))
    progress.finish()
    arrays = {**made.arrays(), "documents": np.array([text.document for text in texts], np.int64)}
    kind = _kind(spec.method)
    # A name of its own: the signatures that are replaced stay whole until the transaction ends.
    serial = 1 + (connection.execute(select(func.max(tables.audit.c.number))).scalar() or 0)
    name = f"wave-{wave:04d}.{kind}.{serial:06d}.segment"
    checksum = write_segment(folder / name, spec.as_json(), arrays)
    connection.execute(tables.segments.insert(), {"name": name, "wave": wave, "kind": kind, "checksum": checksum})


def _kind(method: str) -> str:
    return f"signatures-{method}"


def index_kind(kind: str) -> str:
    """The name that the database gives the segments of an index."""
    return f"index-{kind}"


def _segments(connection: Connection, method: str) -> dict[int, Any]:
    table = tables.segments
    found = connection.execute(select(table).where(table.c.kind == _kind(method)))
    return {row.wave: row for row in found}


def _write_signing(
    folder: Path, connection: Connection, method: str, spec: Spec, statistics: Statistics | None
) -> None:
    row = {"method": method, "spec": json.dumps(spec.as_json(), sort_keys=True), "statistics": _id(statistics)}
    connection.execute(tables.signings.insert(), {**row, "made": now()})
    table = tables.segments
    if statistics is not None:
        _keep_statistics(folder, connection, statistics)
    used = {_statistics_name(str(each.parameter("statistics"))) for each in read_signings(connection).values()}
    connection.execute(table.delete().where(table.c.kind == "statistics", table.c.name.not_in(used)))


def _keep_statistics(folder: Path, connection: Connection, statistics: Statistics) -> None:
    name = _statistics_name(statistics.id)
    table = tables.segments
    found = connection.execute(select(table).where(table.c.name == name)).first()
    if found is None or not _is_whole(folder, found):
        # Equal statistics make an equal file: writing it again mends a damaged one.
        checksum = write_segment(folder / name, *statistics.stored())
        connection.execute(table.delete().where(table.c.name == name))
        connection.execute(table.insert(), {"name": name, "wave": 0, "kind": "statistics", "checksum": checksum})


def _statistics_name(statistics: str) -> str:
    return f"statistics-{statistics}.segment"


def _read_statistics(folder: Path, connection: Connection, spec: Spec) -> Statistics | None:
    """The statistics that the matter keeps for a spec."""
    wanted = spec.parameter("statistics")
    if wanted is None:
        return None
    table = tables.segments
    row = connection.execute(select(table).where(table.c.name == _statistics_name(str(wanted)))).first()
    if row is None or not _is_whole(folder, row):
        raise DamagedSegment(
            f"The statistics {wanted} that the matter was signed with are missing or damaged.",
            "Sign with the same statistics again: "
            f"{pasted('sign', '--method', spec.method, '--statistics', 'FILE', '--replace', '--matter', folder)}.",
        )
    return Statistics.load(segment_path(folder, row))


def _is_whole(folder: Path, row: Any) -> bool:
    try:
        read_segment(segment_path(folder, row), row.checksum)
    except DiskTrouble:
        raise
    except MatterError:
        return False
    return True


def _forget(connection: Connection, method: str) -> None:
    """Take out a method's signatures; the next writer sweeps their files away."""
    table = tables.segments
    connection.execute(table.delete().where(table.c.kind.in_([_kind(method), index_kind(method)])))
    connection.execute(tables.signings.delete().where(tables.signings.c.method == method))
