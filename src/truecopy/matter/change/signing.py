"""Signatures of a matter: every text is signed, wave by wave, and the matter records how.

A matter holds one set of signatures for a method. Its spec, with the id of its statistics, is a row of `signings`; the
statistics themselves are kept beside it, so that later waves are signed in the same way. Anything else is refused:
signatures that were made in different ways cannot be compared. What is stored is read by `matter/signed.py`.

Texts are signed from a snapshot, into a spool, before the writers' lock is taken. If a wave was committed meanwhile, or
somebody else has signed, it is done once more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from truecopy.array_types import I64
from truecopy.errors import BadSetting, MatterError, SpecMismatch
from truecopy.hints import pasted
from truecopy.index.methods import index_for
from truecopy.index.rows import Rows, joined, rows_of
from truecopy.matter.bodies import stated_size, stored_body
from truecopy.matter.change.ahead import sweep_if_free
from truecopy.matter.change.following import following
from truecopy.matter.change.spool import Spool, Spooled, published, spooling
from truecopy.matter.indexing import block_header, unit_of
from truecopy.matter.signed import (
    Signed,
    bodies_of,
    index_type,
    read_signatures,
    read_statistics,
    sign_texts,
    signature_files,
    signature_type,
    statistics_name,
    texts_of,
)
from truecopy.matter.sql.audit import now
from truecopy.matter.sql.files import File
from truecopy.matter.state import State
from truecopy.matter.store import Store
from truecopy.progress import Progress
from truecopy.sign import family, make_spec
from truecopy.sign.statistics import Statistics
from truecopy.spec import Spec

NO_STATISTICS = "none"


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
    store.must_be_outside_snapshot()
    if not replace:
        with store.reading() as state:
            done = _already(state, method, statistics, parameters)
        if done is not None:
            sweep_if_free(store)
            return done  # nothing to write, and writing may not even be possible
    store.must_be_writable()
    with spooling(store.folder) as spool:
        with following(
            store,
            lambda state: _sign(state, spool, method, statistics, parameters, replace, threads, progress),
        ) as (state, made):
            files = _store(state, spool, made, replace)
        store.arrays.note_written(files)
    return Signed(method, made.spec, _id(made.statistics), made.signed, made.already)


@dataclass(frozen=True, slots=True)
class _MadeSignatures:
    """Signatures and their index as they follow on one state of the matter, in a spool."""

    spec: Spec
    statistics: Statistics | None
    anew: bool
    """Whether the matter was not signed in this way before, or is signed again."""
    spooled: list[Spooled]
    """The signatures of waves, and the index of all."""
    kept: tuple[str, str] | None
    """The segment of the statistics in the spool, and its checksum; None where the matter has it."""
    signed: int
    already: int


def _sign(
    state: State,
    spool: Spool,
    method: str,
    statistics: Statistics | str | None,
    parameters: dict[str, Any],
    replace: bool,
    threads: int,
    progress: Progress,
) -> _MadeSignatures:
    """Sign what is to be signed, and make the index, so that the first question finds it."""
    found = state.signings.every().get(method)
    anew = found is None or replace
    if found is None or replace:
        used = _wanted(state, found, statistics)
        spec = make_spec(method, used, **_with_mean(state, parameters))
        used = used or _implied(spec)
    else:
        spec, used = found, read_statistics(state, found)
        refuse_other(state, found, statistics, parameters)
    have = {} if anew else signature_files(state, method)
    spooled, parts, signed, already = [], [], 0, 0
    for wave in state.waves.numbers():
        if wave in have:
            stored, documents = read_signatures(state, spec, have[wave])
            parts.append((rows_of(stored), documents))
            already += len(documents)
            continue
        texts = texts_of(state, wave)
        made = sign_texts(texts, bodies_of(state), spec, used, threads, progress)
        documents = np.array([text.document for text in texts], np.int64)
        written = spool.write(spec.as_json(), {**made.arrays(), "documents": documents})
        first, last = (texts[0].number, texts[-1].number) if texts else (1, 0)
        spooled.append(Spooled(*written, signature_type(method), first, last, wave=wave))
        parts.append((rows_of(made), documents))
        signed += len(texts)
    if parts:
        spooled.append(_spool_index(spool, method, spec, parts, state.waves.last()))
    kept = None if used is None or _has(state, used) else spool.write(*used.stored())
    return _MadeSignatures(spec, used, anew, spooled, kept, signed, already)


def _spool_index(spool: Spool, method: str, spec: Spec, parts: list[tuple[Rows, I64]], last: int) -> Spooled:
    index = index_for(spec)
    block = index.make_block(joined([rows for rows, _ in parts]), np.concatenate([numbers for _, numbers in parts]))
    written = spool.write(block_header(index), block.stored())
    return Spooled(*written, index_type(method), 1, last, unit_of(method), method)


def _store(state: State, spool: Spool, made: _MadeSignatures, replace: bool) -> list[File]:
    """Write the rows of what was signed, and move its segments to where they say; returns
    these files.
    """
    method = made.spec.method
    if made.anew:
        state.files.forget_types([signature_type(method), index_type(method)])
        state.signings.forget(method)
        state.signings.insert(method, made.spec, _id(made.statistics), now())
    if made.statistics is not None and made.kept is not None:
        # Equal statistics make an equal file: writing it again mends a damaged one.
        name = statistics_name(made.statistics.id)
        spool.publish({made.kept[0]: name})
        state.files.forget([name])
        state.files.insert(File(name, 0, "statistics", 0, 0, made.kept[1]))
    used = {statistics_name(str(each.parameter("statistics"))) for each in state.signings.every().values()}
    state.files.forget(file.name for file in state.files.of("statistics") if file.name not in used)
    files = published(state, spool, made.spooled, state.waves.last())
    details = {"method": method, "spec": made.spec.as_json(), "texts": made.signed, "replace": replace}
    state.audit.record("sign", details)
    return files


def _already(
    state: State, method: str, statistics: Statistics | str | None, parameters: dict[str, Any]
) -> Signed | None:
    """What a matter has that is signed in this way already; None where anything is missing."""
    kept = state.signings.every().get(method)
    if kept is None:
        return None
    refuse_other(state, kept, statistics, parameters)
    waves = state.waves.numbers()
    if set(waves) != set(signature_files(state, method)):
        return None
    texts = sum(len(texts_of(state, wave)) for wave in waves)
    found = kept.parameter("statistics")
    return Signed(method, kept, None if found is None else str(found), 0, texts)


def _wanted(state: State, kept: Spec | None, given: Statistics | str | None) -> Statistics | None:
    """The statistics to sign with: those given, else those that the matter was signed with."""
    if isinstance(given, str):
        if given != NO_STATISTICS:
            raise BadSetting(f"Statistics were given as {given!r}.", "Load them with Statistics.load, or say 'none'.")
        return None
    if given is not None or kept is None:
        return given
    return read_statistics(state, kept)


def _with_mean(state: State, parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters, with the mean length of the matter's texts where n is to follow from it."""
    if parameters.get("n") != "auto":
        return parameters
    sizes = list(_sizes(state))
    return {**parameters, "mean_length": sum(sizes) / max(len(sizes), 1)}


def _sizes(state: State) -> Iterator[int]:
    for number in range(1, state.documents.last_text() + 1):
        body = stored_body(state, number)
        if body is not None:
            yield stated_size(body)


def refuse_other(state: State, kept: Spec, statistics: Statistics | str | None, parameters: dict[str, Any]) -> None:
    """Refuse to sign in another way than the matter is signed; what is not given is as it was."""
    module = family(kept.method)
    if kept.version != module.VERSION:
        raise MatterError(
            f"The matter's {kept.method} signatures are of version {kept.version}, and this truecopy makes version "
            f"{module.VERSION}: they could not be compared.",
            "Sign every document again with "
            f"{pasted('sign', '--method', kept.method, '--replace', '--matter', state.place)}.",
        )
    given = {name: value for name, value in parameters.items() if (name, value) != ("n", "auto")}
    if given:  # in the form of a spec; an unknown parameter or a bad value is reported first
        asked = make_spec(kept.method, None, **given)
        given = {name: asked.parameter(name) for name in given}
    if statistics is not None:
        wanted = _wanted(state, kept, statistics)
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


def _has(state: State, statistics: Statistics) -> bool:
    """Whether a matter keeps statistics, whole."""
    found = state.files.named(statistics_name(statistics.id))
    return found is not None and state.arrays.is_whole(found)
