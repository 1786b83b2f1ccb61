"""Signatures of a matter: every text is signed, wave by wave, and the matter records how.

A matter holds one set of signatures for a method. Its spec, with the id of its statistics, is a row of `signings`; the
statistics themselves are kept beside it, so that later waves are signed in the same way. Anything else is refused:
signatures that were made in different ways cannot be compared. What is stored is read by `matter/signed.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from truecopy.errors import BadSetting, MatterError, SpecMismatch
from truecopy.hints import pasted
from truecopy.matter.bodies import stated_size, stored_body
from truecopy.matter.change.indexes import store_block
from truecopy.matter.signed import (
    Signed,
    bodies_of,
    index_kind,
    read_statistics,
    sign_texts,
    signature_files,
    signature_kind,
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
    if not replace:
        with store.reading() as state:
            done = _already(state, method, statistics, parameters)
        if done is not None:
            return done  # nothing to write, and writing may not even be possible
    with store.writing() as state:
        store.sweep(state)
        kept = state.signings.every().get(method)
        if kept is None or replace:
            used = _wanted(state, kept, statistics)
            spec = make_spec(method, used, **_with_mean(state, parameters))
            used = used or _implied(spec)
            state.files.forget_kinds([signature_kind(method), index_kind(method)])
            state.signings.forget(method)
            _record(state, method, spec, used)
        else:
            spec, used = kept, read_statistics(state, kept)
            refuse_other(state, kept, statistics, parameters)
        signed, already = _sign_waves(state, spec, used, threads, progress)
        if state.waves.any():
            store_block(state, method, 1, state.waves.last())  # so that the first question finds it
        details = {"method": method, "spec": spec.as_json(), "texts": signed, "replace": replace}
        state.audit.record("sign", details)
    return Signed(method, spec, _id(used), signed, already)


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


def _sign_waves(state: State, spec: Spec, used: Statistics | None, threads: int, progress: Progress) -> tuple[int, int]:
    """Sign the waves that are not; returns how many texts were signed, and how many were before."""
    have = set(signature_files(state, spec.method))
    signed = already = 0
    for wave in state.waves.numbers():
        texts = texts_of(state, wave)
        if wave in have:
            already += len(texts)
            continue
        made = sign_texts(texts, bodies_of(state), spec, used, threads, progress)
        documents = np.array([text.document for text in texts], np.int64)
        # A name of its own: the signatures that are replaced stay whole until the transaction ends.
        name = f"wave-{wave:04d}.{signature_kind(spec.method)}.{state.audit.next_number():06d}.segment"
        checksum = state.arrays.write(name, spec.as_json(), {**made.arrays(), "documents": documents})
        first, last = (texts[0].number, texts[-1].number) if texts else (1, 0)
        state.files.insert(File(name, wave, signature_kind(spec.method), first, last, checksum))
        signed += len(texts)
    return signed, already


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


def _record(state: State, method: str, spec: Spec, statistics: Statistics | None) -> None:
    """Record how texts are signed, and keep the statistics; those that nothing uses any longer go."""
    state.signings.insert(method, spec, _id(statistics), now())
    if statistics is not None:
        _keep_statistics(state, statistics)
    used = {statistics_name(str(each.parameter("statistics"))) for each in state.signings.every().values()}
    state.files.forget(file.name for file in state.files.of("statistics") if file.name not in used)


def _keep_statistics(state: State, statistics: Statistics) -> None:
    name = statistics_name(statistics.id)
    found = state.files.named(name)
    if found is None or not state.arrays.is_whole(found):
        # Equal statistics make an equal file: writing it again mends a damaged one.
        checksum = state.arrays.write(name, *statistics.stored())
        state.files.forget([name])
        state.files.insert(File(name, 0, "statistics", 0, 0, checksum))
