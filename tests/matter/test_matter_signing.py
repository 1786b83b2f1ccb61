"""Signatures of a matter: what made each is written down, later waves are signed alike, and nothing else is let in."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import truecopy as tc
from truecopy.errors import DamagedSegment, NotFound, SpecMismatch
from truecopy.sign import METHODS, family
from truecopy.sign.statistics import build

WORDS = ["lessee", "lessor", "premises", "rent", "deposit", "insurance", "assignment", "governing", "law", "notice"]


def text(number: int) -> str:
    """A text of its own for each number."""
    return " ".join(f"{WORDS[(number * k) % 10]} shall {WORDS[(number + k) % 10]} clause{k}" for k in range(1, 80))


@pytest.fixture
def waves(tmp_path: Path) -> list[Path]:
    """Two waves; the first has a copy of a file, and a file without words."""
    made = []
    for wave, numbers in enumerate(([1, 2, 3], [4, 5])):
        folder = tmp_path / f"wave-{wave + 1}"
        folder.mkdir()
        for number in numbers:
            (folder / f"{number}.txt").write_text(text(number))
        made.append(folder)
    (made[0] / "copy.txt").write_text(text(1))
    (made[0] / "empty.txt").write_text("")
    return made


@pytest.fixture
def matter(waves: list[Path], tmp_path: Path) -> tc.Matter:
    return tc.scan(waves[0], tmp_path / "m", report=False)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_signs_a_matter_and_its_later_waves(method: str, matter: tc.Matter, waves: list[Path]) -> None:
    """What is stored equals what signing the texts themselves gives, and a new wave is signed as it is added."""
    signed = matter.sign(method)
    assert (signed.signed, signed.already) == (3, 0)
    matter.add(waves[1])
    opened = tc.open(matter.path)
    stored = opened.signatures(method)
    module = family(method)
    texts = [opened.text(opened.document(name)) for name in stored.ids]
    assert sorted(texts) == sorted(text(number) for number in (1, 2, 3, 4, 5))
    again = module.sign(texts, stored.spec, _statistics(stored.statistics))
    assert [module.value(stored, i) for i in range(5)] == [module.value(again, i) for i in range(5)]
    assert opened.sign(method).already == 5
    assert opened.verify() == []
    assert opened.signings() == {method: signed.spec}


def _statistics(wanted: str | None):
    from truecopy.sign.statistics import shipped

    assert wanted in (None, shipped().id)
    return shipped() if wanted else None


def test_other_statistics_for_wave_two_are_refused(matter: tc.Matter, waves: list[Path]) -> None:
    """The sentence names both specs, and says how to go on; afterwards nothing has changed."""
    first, second = build([text(1), text(2)]), build([text(8), text(9)])
    made = matter.sign("topsig", first)
    assert made.statistics == first.id
    matter.add(waves[1])
    with pytest.raises(SpecMismatch, match=r"differs in statistics") as refused:
        matter.sign("topsig", second)
    assert first.id in refused.value.message
    assert second.id in refused.value.message
    assert "--statistics" in refused.value.hint
    assert "--replace" in refused.value.hint
    assert matter.signatures("topsig").statistics == first.id
    assert len(matter.signatures("topsig")) == 5


def test_other_parameters_are_refused_and_replace_signs_anew(matter: tc.Matter) -> None:
    matter.sign("simhash", bits=64)
    with pytest.raises(SpecMismatch, match="differs in bits"):
        matter.sign("simhash", bits=128)
    replaced = matter.sign("simhash", bits=128, replace=True)
    assert (replaced.signed, replaced.already) == (3, 0)
    assert matter.signatures("simhash").values.shape == (3, 16)
    assert matter.sign("simhash").already == 3
    assert matter.sign("simhash", bits=128).already == 3


def test_copies_share_a_signature_and_documents_without_text_have_none(matter: tc.Matter) -> None:
    matter.sign("letters")
    owners = {matter.document(name).path: matter.document(owner).path for name, owner in matter.text_owners().items()}
    assert owners == {"1.txt": "1.txt", "2.txt": "2.txt", "3.txt": "3.txt", "copy.txt": "1.txt"}


def test_signatures_that_were_never_made_are_named(matter: tc.Matter) -> None:
    with pytest.raises(NotFound, match="no letters signatures"):
        matter.signatures("letters")
    with pytest.raises(NotFound, match="no signature method 'simhosh'"):
        matter.sign("simhosh")


def test_a_matter_of_the_first_format_is_read_and_brought_forward(matter: tc.Matter, waves: list[Path]) -> None:
    """Reading changes nothing; the next writer adds the table, whole or not at all."""
    with sqlite3.connect(matter.path / "matter.sqlite") as database:
        database.execute("DROP TABLE signings")
        database.execute("UPDATE facts SET value = '1' WHERE name = 'format'")
    old = tc.open(matter.path)
    assert old.signings() == {}
    old.add(waves[1])
    assert tc.open(matter.path).sign("simhash").signed == 5
    with sqlite3.connect(matter.path / "matter.sqlite") as database:
        assert database.execute("SELECT value FROM facts WHERE name = 'format'").fetchone() == ("2",)


def test_damaged_statistics_are_found_before_a_wave_is_signed_with_them(matter: tc.Matter, waves: list[Path]) -> None:
    matter.sign("topsig", build([text(1), text(2)]))
    (file,) = matter.path.glob("statistics-*.segment")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    with pytest.raises(DamagedSegment):
        matter.add(waves[1])
    assert len(tc.open(matter.path).waves()) == 1
