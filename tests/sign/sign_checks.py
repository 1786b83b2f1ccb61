"""Signs texts with a family and compares every signature with the oracle's."""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
from collections.abc import Sequence
from typing import Any

import naive_signatures as naive
from truecopy.sign.signatures import Signatures

WINDOWS = ("mod", "min", "sketch", "bsw")
BITS = ("simhash", "topsig", "minhash4")

_ORACLES: dict[str, Any] = {
    "simhash": naive.naive_simhash,
    "topsig": naive.naive_topsig,
    "minhash4": naive.naive_minhash4,
    "mod": naive.naive_mod,
    "min": naive.naive_min,
    "sketch": naive.naive_sketch,
    "bsw": naive.naive_bsw,
    "terms": naive.naive_terms_signature,
    "fingerprint": naive.naive_fingerprint,
    "letters": naive.naive_letters,
    "words": naive.naive_words_sketch,
}


def family(name: str) -> Any:
    """The module of a signature family."""
    return importlib.import_module(f"truecopy.sign.{name}")


@functools.cache
def polynomial() -> int:
    """The lower coefficients of the irreducible polynomial that Rabin fingerprints are taken by."""
    return int(importlib.import_module("truecopy.sign.windows").POLYNOMIAL)


def expected(name: str, text: str, statistics: naive.NaiveStatistics | None = None, **parameters: Any) -> Any:
    """The oracle's signature: hex for bytes, else a list of numbers."""
    given = dict(parameters)
    if statistics is not None:
        given["statistics"] = statistics
    if given.get("hash") == "rabin":
        given["polynomial"] = polynomial()
    made = _ORACLES[name](text, **given)
    if name in ("terms", "fingerprint", "letters"):
        made = made[0]
    return made.hex() if isinstance(made, bytes) else made


def expected_reliable(name: str, text: str, statistics: naive.NaiveStatistics | None, **parameters: Any) -> bool:
    """Whether the oracle relies on the signature of a text."""
    if name in ("terms", "fingerprint"):
        return bool(_ORACLES[name](text, statistics, **parameters)[1])
    if name == "letters":
        return naive.naive_letters(text, **parameters)[1]
    if name == "mod":
        return expected(name, text, **parameters) != []
    profile = "plain" if name == "words" else parameters.get("profile", "verbatim")
    if statistics is not None:
        profile = statistics.profile
    return naive.naive_profile(text, profile) != ""


def shortened(value: Any) -> Any:
    """As known answers keep it: of a list of more than eight numbers, its length and a digest."""
    if isinstance(value, str) or len(value) <= 8:
        return value
    lines = "\n".join(map(str, value))
    return f"{len(value)}:{hashlib.sha256(lines.encode()).hexdigest()[:32]}"


def sign(name: str, texts: Sequence[str], statistics: Any = None, **parameters: Any) -> Signatures:
    """The signatures of texts by a family."""
    module = family(name)
    if statistics is not None:
        parameters["statistics"] = statistics
    made: Signatures = module.sign(texts, module.spec(**parameters), statistics)
    return made


def as_plain(name: str, signatures: Signatures, text: int) -> Any:
    """One signature of a family as the oracle writes it."""
    row = signatures[text]
    return row.tobytes().hex() if name in (*BITS, "terms", "fingerprint") else row.tolist()


def assert_same(
    name: str,
    texts: Sequence[str],
    statistics: Any = None,
    naive_statistics: naive.NaiveStatistics | None = None,
    **parameters: Any,
) -> None:
    """The signature of every text, and whether to rely on it, equal the oracle's."""
    signatures = sign(name, texts, statistics, **parameters)
    assert len(signatures) == len(texts)
    for i, text in enumerate(texts):
        wanted = expected(name, text, naive_statistics, **parameters)
        assert as_plain(name, signatures, i) == wanted, f"{name} {parameters} of {text[:200]!a}"
        said = expected_reliable(name, text, naive_statistics, **parameters)
        assert bool(signatures.reliable[i]) == said, f"reliable: {name} {parameters} of {text[:200]!a}"
        if name in (*BITS, *WINDOWS):
            assert json.loads(json.dumps(family(name).value(signatures, i))) == wanted
