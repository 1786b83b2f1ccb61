"""Signatures of a matter: every text signed, wave by wave, and written down what each was made by.

A matter holds one set of signatures for a method. Its spec, with the id of its statistics, is a row of `signings`; the
statistics themselves are kept beside it, so that later waves are signed in the same way. Anything else is refused:
signatures that were made in unlike ways cannot be compared.
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

from truecopy.errors import NotFound, SpecMismatch
from truecopy.matter import rows, tables
from truecopy.matter.audit import now, record
from truecopy.matter.store import Store
from truecopy.progress import Progress
from truecopy.segments import read_segment, write_segment
from truecopy.sign import family, make_spec
from truecopy.sign.signatures import Signatures
from truecopy.sign.statistics import Statistics
from truecopy.spec import Spec

Array = npt.NDArray[Any]

_AT_ONCE = 32 << 20
"""Bytes of texts that are held in memory at a time, compressed."""


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
    statistics: Statistics | None,
    parameters: dict[str, Any],
    replace: bool,
    threads: int,
    progress: Progress,
) -> Signed:
    """Sign every text that has no signature of this method yet; with `replace`, every text anew."""
    family(method)
    with store.writing() as connection:
        store.sweep(connection)
        kept = read_signings(connection).get(method)
        if kept is None or replace:
            spec = make_spec(method, statistics, **parameters)
            used = statistics or _implied(method, spec)
            _forget(connection, method)
            _write_signing(store.folder, connection, method, spec, used)
        else:
            spec, used = kept, _read_statistics(store.folder, connection, kept)
            if parameters or statistics is not None:
                _refuse_other(method, kept, make_spec(method, statistics, **parameters))
        have = set(_segments(connection, method))
        signed = already = 0
        for wave in connection.execute(select(tables.waves.c.number).order_by(tables.waves.c.number)).scalars().all():
            texts = _texts_of(connection, wave)
            if wave in have:
                already += len(texts)
                continue
            _sign_wave(store.folder, connection, wave, texts, spec, used, threads, progress)
            signed += len(texts)
        details = {"method": method, "spec": spec.as_json(), "texts": signed, "replace": replace}
        record(connection, "sign", details)
    return Signed(method, spec, _id(used), signed, already)


def sign_new_wave(store: Store, connection: Connection, wave: int, threads: int, progress: Progress) -> None:
    """Sign a wave that is being added in every way that the matter is signed in."""
    for method, spec in read_signings(connection).items():
        used = _read_statistics(store.folder, connection, spec)
        texts = _texts_of(connection, wave)
        assert spec.method == method
        _sign_wave(store.folder, connection, wave, texts, spec, used, threads, progress)


def read_signings(connection: Connection) -> dict[str, Spec]:
    """The methods that the matter is signed with, and the spec of each."""
    if not inspect(connection).has_table(tables.signings.name):
        return {}  # a matter of format 1 that nobody has written to since
    found = connection.execute(select(tables.signings).order_by(tables.signings.c.method))
    return {row.method: Spec.from_json(json.loads(row.spec)) for row in found}


def load_signatures(folder: Path, connection: Connection, method: str) -> Signatures:
    """The signatures of every document's text; the ids are those of the documents that a text came with first."""
    spec = read_signings(connection).get(method)
    if spec is None:
        raise NotFound(
            f"The matter {folder} has no {method} signatures.",
            f"Make them with `truecopy sign --matter {folder} --method {method}`.",
        )
    parts = []
    for _, row in sorted(_segments(connection, method).items()):
        header, arrays = read_segment(folder / row.name, row.checksum)
        spec.must_equal(Spec.from_json(header))
        ids = [rows.document_id(number) for number in arrays["documents"].tolist()]
        parts.append(Signatures(spec, arrays["values"], arrays["reliable"], ids, arrays.get("offsets")))
    if not parts:
        return family(method).sign([], spec, _read_statistics(folder, connection, spec))  # type: ignore[no-any-return]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.joined(part)
    return whole


def text_owners(connection: Connection) -> dict[str, str]:
    """For each document with a text, in order: the id of the first document with the very same text."""
    table = tables.documents
    query = select(table.c.id, table.c.text).where(table.c.text.is_not(None)).order_by(table.c.number)
    first: dict[int, str] = {}
    return {row.id: first.setdefault(row.text, row.id) for row in connection.execute(query)}


def _refuse_other(method: str, kept: Spec, asked: Spec) -> None:
    if kept == asked:
        return
    changed = sorted(
        name
        for name in {*dict(kept.parameters), *dict(asked.parameters)}
        if kept.parameter(name) != asked.parameter(name)
    )
    raise SpecMismatch(
        f"The matter's {method} signatures were made by {kept}, and {asked} was asked for, which differs in "
        f"{', '.join(changed)}: signatures made in both ways could not be compared.",
        f"Leave {' and '.join(f'--{name}' for name in changed)} out to go on in the same way, "
        "or sign every document anew with --replace.",
    )


def _implied(method: str, spec: Spec) -> Statistics | None:
    """The statistics that a spec names though none were given: those that come with the package."""
    if spec.parameter("statistics") is None:
        return None
    from truecopy.sign.statistics import shipped

    assert shipped().id == spec.parameter("statistics"), method
    return shipped()


def _id(statistics: Statistics | None) -> str | None:
    return None if statistics is None else statistics.id


def _texts_of(connection: Connection, wave: int) -> list[tuple[int, int]]:
    """(text, document that it came with first) of the texts that a wave brought."""
    table = tables.documents
    first = select(table.c.text, func.min(table.c.number).label("document")).where(table.c.text.is_not(None))
    owners = first.group_by(table.c.text).subquery()
    query = select(owners.c.text, owners.c.document).join(table, table.c.number == owners.c.document)
    return [(row.text, row.document) for row in connection.execute(query.where(table.c.wave == wave).order_by("text"))]


def _bodies(connection: Connection, texts: list[tuple[int, int]]) -> Iterator[list[bytes]]:
    """The texts, some at a time."""
    import zstandard

    unpack = zstandard.ZstdDecompressor()
    some: list[bytes] = []
    size = 0
    for text, _ in texts:
        body = connection.execute(select(tables.texts.c.body).where(tables.texts.c.number == text)).scalar_one()
        some.append(unpack.decompress(body))
        size += len(body)
        if size >= _AT_ONCE:
            yield some
            some, size = [], 0
    if some:
        yield some


def _sign_wave(
    folder: Path,
    connection: Connection,
    wave: int,
    texts: list[tuple[int, int]],
    spec: Spec,
    statistics: Statistics | None,
    threads: int,
    progress: Progress,
) -> None:
    """Sign a wave's texts and name the segment that holds the signatures."""
    module = family(spec.method)
    progress.start("sign", len(texts), "texts")
    made: Signatures = module.sign([], spec, statistics)
    for bodies in _bodies(connection, texts):
        made = made.joined(module.sign(bodies, spec, statistics, threads=threads))
        progress.advance(len(bodies))
    progress.finish()
    arrays = {**made.arrays(), "documents": np.array([document for _, document in texts], np.int64)}
    kind = _kind(spec.method)
    name = f"wave-{wave:04d}.{kind}.segment"
    checksum = write_segment(folder / name, spec.as_json(), arrays)
    connection.execute(tables.segments.insert(), {"name": name, "wave": wave, "kind": kind, "checksum": checksum})


def _kind(method: str) -> str:
    return f"signatures-{method}"


def _segments(connection: Connection, method: str) -> dict[int, Any]:
    table = tables.segments
    found = connection.execute(select(table).where(table.c.kind == _kind(method)))
    return {row.wave: row for row in found}


def _write_signing(
    folder: Path, connection: Connection, method: str, spec: Spec, statistics: Statistics | None
) -> None:
    row = {"method": method, "spec": json.dumps(spec.as_json(), sort_keys=True), "statistics": _id(statistics)}
    connection.execute(tables.signings.insert(), {**row, "made": now()})
    if statistics is None:
        return
    name = _statistics_name(statistics.id)
    table = tables.segments
    if connection.execute(select(table.c.name).where(table.c.name == name)).first() is None:
        checksum = statistics.save(folder / name)
        connection.execute(table.insert(), {"name": name, "wave": 0, "kind": "statistics", "checksum": checksum})


def _statistics_name(statistics: str) -> str:
    return f"statistics-{statistics}.segment"


def _read_statistics(folder: Path, connection: Connection, spec: Spec) -> Statistics | None:
    """The statistics that the matter keeps for a spec."""
    wanted = spec.parameter("statistics")
    if wanted is None:
        return None
    table = tables.segments
    row = connection.execute(select(table).where(table.c.name == _statistics_name(str(wanted)))).one()
    read_segment(folder / row.name, row.checksum)
    return Statistics.load(folder / row.name)


def _forget(connection: Connection, method: str) -> None:
    """Take out a method's signatures; the next writer sweeps their files away."""
    connection.execute(tables.segments.delete().where(tables.segments.c.kind == _kind(method)))
    connection.execute(tables.signings.delete().where(tables.signings.c.method == method))
