"""Which index serves which signatures, and how near a hit must be unless you ask for another limit."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from truecopy.errors import BadSetting
from truecopy.index.found import Hits
from truecopy.index.index import Index
from truecopy.index.limits import Distance, Equal, Gamma, Limit, Share
from truecopy.index.rows import BAGS, SHINGLES
from truecopy.spec import Spec
from truecopy.threshold import percentage

INDEXES = ("linear", "equality", "hamming", "projections", "bands", "overlap", "postings")
_BITS = ("simhash", "topsig", "minhash4")
_SETS = ("mod", "bsw")
_SLOTS = ("words", "sketch")
_GAMMA, _BITS_OF_64, _RESEMBLANCE, _TERMS, _CONTAINMENT, _LENGTH = 0.025, 3, 50, 80, 80, 20
_LISTED = 70
"""Lists of words are made for this similarity and above: a matter's usual floor. Below it, all texts are looked at."""
_SAME_LENGTH = 5
"""Per cent by which the lengths of texts with one fingerprint may differ."""


def index_class(name: str) -> type[Index]:
    """The class of an index by its name."""
    if name not in INDEXES:
        raise BadSetting(f"There is no index {name!r}.", f"Choose one of: {', '.join(INDEXES)}.")
    made: type[Index] = getattr(import_module(f"truecopy.index.{name}"), name.capitalize())
    return made


def index_for(spec: Spec, **options: int | float | str) -> Index:
    """An empty index for what a spec makes."""
    if spec == BAGS:
        name, options = "overlap", {"floor": _LISTED, **options}
    elif spec == SHINGLES or spec.method in (*_SETS, "terms"):
        name = "postings"
    elif spec.method in _BITS:
        name = "hamming"
    elif spec.method in _SLOTS:
        name = "bands"
    else:
        name = {"letters": "projections", "fingerprint": "equality"}.get(spec.method, "linear")
    return index_class(name)(spec, **options)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a user asks of a method; the method's own values where nothing is given."""

    gamma: float | None = None
    distance: int | None = None
    resemblance: float | None = None
    terms: float | None = None
    length: float | None = None
    weeks: int | None = None

    def given(self) -> list[str]:
        """The names of what was given."""
        return [name for name in self.__slots__ if getattr(self, name) is not None]


OPTIONS = {
    **dict.fromkeys(_BITS, ("distance",)),
    **dict.fromkeys((*_SETS, *_SLOTS, "min"), ("resemblance",)),
    "letters": ("gamma",),
    "terms": ("terms", "length", "weeks"),
    "fingerprint": ("length",),
}
"""What each method can be asked with."""


def limit_for(spec: Spec, asked: Asked) -> Limit:
    """How near hits must be; an option that a method does not have is refused."""
    for name in asked.given():
        if name not in OPTIONS[spec.method]:
            known = " and ".join(f"--{option}" for option in OPTIONS[spec.method])
            raise BadSetting(f"--{name} was given, which {spec.method} signatures do not have.", f"They have {known}.")
    if spec.method == "letters":
        return Gamma(_GAMMA if asked.gamma is None else asked.gamma)
    if spec.method in _BITS:
        bits = int(spec.parameter("bits") or 64)
        if asked.distance is not None and asked.distance > bits:
            said = f"The distance was given as {asked.distance}, but the signatures have {bits} bits."
            raise BadSetting(said, "Give for example 3.")
        usual = _BITS_OF_64 * bits // 64
        return Distance(usual if asked.distance is None else asked.distance)
    if spec.method == "terms":
        share = _TERMS if asked.terms is None else percentage(asked.terms, "share of terms")
        return Share(share, "longer", _LENGTH if asked.length is None else asked.length, asked.weeks)
    if spec.method == "fingerprint":
        return Equal(_SAME_LENGTH if asked.length is None else asked.length)
    share = _RESEMBLANCE if asked.resemblance is None else percentage(asked.resemblance, "resemblance")
    of = "slots" if spec.method in _SLOTS else "smallest" if spec.method == "min" else "either"
    return Share(share, of)


def containment_limit(spec: Spec, contains: bool, threshold: float | None) -> Share:
    """The limit for rows that contain the query, or that are contained in it."""
    if spec != SHINGLES and spec.method not in _SETS:
        raise BadSetting(
            f"{spec.method} signatures cannot tell containment.", "Leave --method out, or use mod or bsw for it."
        )
    share = _CONTAINMENT if threshold is None else percentage(threshold)
    return Share(share, "query" if contains else "row")


def measured(spec: Spec, limit: Limit, hits: Hits) -> tuple[str, list[Any]]:
    """What the distance of each hit is, in words; and the distances: whole where they count, else with decimals."""
    if isinstance(limit, Distance):
        return "bits that differ", [int(value) for value in hits.value.tolist()]
    if isinstance(limit, Gamma):
        return "Euclidean distance of the letter counts", [int(value) ** 0.5 for value in hits.value.tolist()]
    if isinstance(limit, Equal):
        return "0: the signatures are equal", [0 for _ in range(len(hits))]
    share = (100.0 * hits.value / hits.whole.clip(1)).tolist()
    names = {"query": "containment of the document", "row": "containment in the document", "longer": "shared terms"}
    by = "shingles" if spec == SHINGLES else f"{spec.method} signatures"
    return f"100 − {names.get(limit.of, 'resemblance')}, by {by}", [100.0 - each for each in share]
