"""Signatures that were right once stay right: every family gives the stored values, which the oracle made.

A change on purpose raises the family's version and writes `tests/formats/signatures.json` anew.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest
from sign_checks import as_plain, family, polynomial, shortened, sign

FORMATS = Path(__file__).parents[1] / "formats"
KNOWN: dict[str, Any] = json.loads((FORMATS / "signatures.json").read_text(encoding="ascii"))
FAMILIES = sorted(KNOWN["versions"])


@functools.cache
def known_statistics() -> Any:
    from truecopy.sign import statistics

    return statistics.build(KNOWN["collection"])


@pytest.mark.parametrize("name", FAMILIES)
def test_every_signature_is_what_it_was(name):
    """Values and reliability, for every stored choice of parameters."""
    texts = list(KNOWN["texts"].values())
    answers = [answer for answer in KNOWN["answers"] if answer["family"] == name]
    assert answers
    for answer in answers:
        statistics = known_statistics() if answer["statistics"] else None
        signatures = sign(name, texts, statistics, **answer["parameters"])
        values = [shortened(as_plain(name, signatures, i)) for i in range(len(texts))]
        assert values == answer["values"], answer["parameters"]
        assert "".join("ny"[bool(each)] for each in signatures.reliable) == answer["reliable"], answer["parameters"]


@pytest.mark.parametrize("name", FAMILIES)
def test_the_version_is_the_stored_one(name):
    """Whoever raises a version makes known answers for it."""
    needs = {"statistics": known_statistics()} if name in ("terms", "fingerprint") else {}
    assert family(name).spec(**needs).version == KNOWN["versions"][name]


def test_the_polynomial_is_the_stored_one():
    assert f"{polynomial():016x}" == KNOWN["rabin_polynomial"]


def test_projections_are_what_they_were():
    from truecopy.sign.projections import projections

    for distribution, stored in KNOWN["projections"].items():
        assert shortened(projections(distribution=distribution).vectors.ravel().tolist()) == stored


def test_statistics_are_what_they_were():
    made = known_statistics()
    assert [made.documents, made.words.total, made.grams.total] == KNOWN["totals"]
    counts = zip(made.words.documents.tolist(), made.words.occurrences.tolist(), strict=True)
    assert dict(zip(made.words.texts(), map(list, counts), strict=True)) == KNOWN["words"]
    grams = zip(made.grams.documents.tolist(), made.grams.occurrences.tolist(), strict=True)
    assert shortened([number for counts in grams for number in counts]) == KNOWN["grams"]


def test_every_family_that_is_made_for_texts_has_known_answers():
    """A new family, or a new choice of a parameter, comes with its answers."""
    answered = {answer["family"] for answer in KNOWN["answers"]}
    assert answered == set(FAMILIES)
    for name in FAMILIES:
        given = [answer["parameters"] for answer in KNOWN["answers"] if answer["family"] == name]
        for parameter in family(name).describe().parameters:
            for choice in parameter.choices:
                tried = {each.get(parameter.name, parameter.default) for each in given}
                assert choice in tried, f"{name}: {parameter.name}={choice}"
