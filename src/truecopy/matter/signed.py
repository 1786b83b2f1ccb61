"""The signatures that a matter holds: read and checked before a kernel sees them, and made for texts from outside.

A signature is of a stored text. Texts of copies that are laid out in another way have signatures of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from truecopy.array_types import I64
from truecopy.errors import DamagedSegment, NotFound
from truecopy.hints import pasted
from truecopy.matter.bodies import stored_text
from truecopy.matter.checked import check_documents
from truecopy.matter.sql.cells import wrong_cell
from truecopy.matter.sql.documents import Kept
from truecopy.matter.sql.files import File
from truecopy.matter.state import State
from truecopy.matter.stored_json import is_spec
from truecopy.progress import Progress
from truecopy.sign import family
from truecopy.sign.families import dated
from truecopy.sign.signatures import Signatures
from truecopy.sign.statistics import Statistics
from truecopy.spec import Spec

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


@dataclass(frozen=True, slots=True)
class SignedText:
    """A stored text and its first document."""

    number: int
    document: int
    date: str


def signature_type(method: str) -> str:
    """The type of the segments that hold a method's signatures."""
    return f"signatures-{method}"


def index_type(name: str) -> str:
    """The type of the segments of an index."""
    return f"index-{name}"


def statistics_name(statistics: str) -> str:
    """The name of the segment of statistics with an id."""
    return f"statistics-{statistics}.segment"


def signature_files(state: State, method: str) -> dict[int, File]:
    """The segments of a method's signatures, by wave."""
    return {file.wave: file for file in state.files.of(signature_type(method))}


def texts_of(state: State, wave: int) -> list[SignedText]:
    """The texts that a wave brought, each with its first document."""
    file = next((file for file in state.files.of("texts") if file.wave == wave), None)
    if file is None:
        return []
    found: dict[int, Kept] = {}
    for kept in state.documents.of_texts(range(file.first, file.last + 1)):
        assert kept.text is not None
        found.setdefault(kept.text, kept)
    return [SignedText(text, kept.document.number, kept.document.date) for text, kept in sorted(found.items())]


def bodies_of(state: State) -> Callable[[int], bytes]:
    """What gives a stored text by its number."""

    def read(number: int) -> bytes:
        found = stored_text(state, number)
        if found is None:
            raise wrong_cell("documents.text")
        return found

    return read


def sign_texts(
    texts: list[SignedText],
    read: Callable[[int], bytes],
    spec: Spec,
    statistics: Statistics | None,
    threads: int,
    progress: Progress,
) -> Signatures:
    """The signatures of some texts."""
    module = family(spec.method)
    progress.start("sign", len(texts), "texts")
    made: Signatures = module.sign([], spec, statistics)
    for bodies in _some(texts, read):
        here = texts[len(made) : len(made) + len(bodies)]
        more = dated(spec.method, [text.date for text in here])
        made = made.joined(module.sign(bodies, spec, statistics, threads=threads, **more))
        progress.advance(len(bodies))
    progress.finish()
    return made


def _some(texts: list[SignedText], read: Callable[[int], bytes]) -> Iterator[list[bytes]]:
    """The texts, some at a time."""
    some: list[bytes] = []
    size = 0
    for text in texts:
        some.append(read(text.number))
        size += len(some[-1])
        if size >= _AT_ONCE:
            yield some
            some, size = [], 0
    if some:
        yield some


def load_signatures(state: State, method: str) -> Signatures:
    """The signatures of every document's text; each has the id of the text's first document."""
    spec = known_spec(state, method)
    parts = [read_signatures(state, spec, file)[0] for _, file in sorted(signature_files(state, method).items())]
    if not parts:
        return family(method).sign([], spec, read_statistics(state, spec))  # type: ignore[no-any-return]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.joined(part)
    if set(whole.ids) != set(text_owners(state).values()) or len(set(whole.ids)) != len(whole.ids):
        raise DamagedSegment(
            f"The matter's {method} signatures are not those of the texts in the documents table.", _REPLACE
        )
    return whole


def wave_signatures(state: State, method: str, wave: int) -> tuple[Signatures, I64]:
    """The signatures of the texts that a wave brought, and each text's first document."""
    spec = state.signings.every()[method]
    file = signature_files(state, method).get(wave)
    if file is None:
        return family(method).sign([], spec, read_statistics(state, spec)), np.empty(0, np.int64)
    return read_signatures(state, spec, file)


def sign_one(state: State, method: str, text: bytes, date: str, threads: int = 1) -> Signatures:
    """Sign a text from outside in the way that the matter is signed."""
    spec = known_spec(state, method)
    used = read_statistics(state, spec)
    made: Signatures = family(method).sign([text], spec, used, threads=threads, **dated(method, [date]))
    return made


def read_signatures(state: State, spec: Spec, file: File) -> tuple[Signatures, I64]:
    """The signatures of a segment, checked before a kernel sees them, and each one's document."""
    header, arrays = state.arrays.read(file)
    documents = arrays.get("documents")
    if not is_spec(header) or documents is None or set(arrays) - {"offsets"} != {"values", "reliable", "documents"}:
        raise _not_signatures(spec, file)
    spec.must_equal(Spec.from_json(header))
    check_documents(file.name, documents, len(arrays["reliable"]), state.documents.last())
    ids = state.documents.ids(documents)
    made = Signatures(spec, arrays["values"], arrays["reliable"], ids, arrays.get("offsets"))
    if not made.whole():
        raise _not_signatures(spec, file)
    return made, documents


def check_signatures(state: State, method: str, file: File) -> None:
    """Refuse a segment of signatures that is not whole, or not of the texts that its wave brought."""
    _, documents = read_signatures(state, known_spec(state, method), file)
    if documents.tolist() != [text.document for text in texts_of(state, file.wave)]:
        raise DamagedSegment(
            f"The matter's file {file.name} does not hold the signatures of the texts in the documents table.", _REPLACE
        )


def made_again(state: State, method: str, file: File) -> Iterator[tuple[Signatures, Signatures]]:
    """The stored signatures of a wave, some at a time, and those that its texts have."""
    spec = known_spec(state, method)
    stored, _ = read_signatures(state, spec, file)
    module, statistics = family(method), read_statistics(state, spec)
    texts, first = texts_of(state, file.wave), 0
    for bodies in _some(texts, bodies_of(state)):
        here = slice(first, first + len(bodies))
        more = dated(method, [text.date for text in texts[here]])
        yield stored.slice(here.start, here.stop), module.sign(bodies, spec, statistics, **more)
        first = here.stop


def _not_signatures(spec: Spec, file: File) -> DamagedSegment:
    return DamagedSegment(
        f"The matter's file {file.name} does not hold {spec.method} signatures as its spec makes them.", _REPLACE
    )


def known_spec(state: State, method: str) -> Spec:
    """The spec that the matter is signed by with a method."""
    family(method)
    spec = state.signings.every().get(method)
    if spec is None:
        raise NotFound(
            f"The matter {state.place} has no {method} signatures.",
            f"Make them with {pasted('sign', '--method', method, '--matter', state.place)}.",
        )
    return spec


def read_statistics(state: State, spec: Spec) -> Statistics | None:
    """The statistics that the matter keeps for a spec."""
    wanted = spec.parameter("statistics")
    if wanted is None:
        return None
    file = state.files.named(statistics_name(str(wanted)))
    if file is None or not state.arrays.is_whole(file):
        raise DamagedSegment(
            f"The statistics {wanted} that the matter was signed with are missing or damaged.",
            "Sign with the same statistics again: "
            f"{pasted('sign', '--method', spec.method, '--statistics', 'FILE', '--replace', '--matter', state.place)}.",
        )
    return state.arrays.statistics(file)


def text_owners(state: State) -> dict[str, str]:
    """For each document with a text, in order: the id of the first document with the very same text."""
    first: dict[int, str] = {}
    owners: dict[str, str] = {}
    for some in state.documents.walk():
        for kept in some:
            if kept.text is not None:
                owners[kept.document.id] = first.setdefault(kept.text, kept.document.id)
    return owners
