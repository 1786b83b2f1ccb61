"""Signatures of a matter: what made each is written down, later waves are signed alike, and nothing else is let in."""

from __future__ import annotations

import datetime
import sqlite3
from pathlib import Path

import pytest

import truecopy as tc
from truecopy.errors import BadSetting, DamagedSegment, MatterError, NotFound, SpecMismatch
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
    with pytest.raises(SpecMismatch, match=r"with statistics") as refused:
        matter.sign("topsig", second)
    assert first.id in refused.value.message
    assert second.id in refused.value.message
    assert "--statistics" in refused.value.hint
    assert "--replace" in refused.value.hint
    assert matter.signatures("topsig").statistics == first.id
    assert len(matter.signatures("topsig")) == 5


def test_other_parameters_are_refused_and_replace_signs_anew(matter: tc.Matter) -> None:
    matter.sign("simhash", bits=64)
    with pytest.raises(SpecMismatch, match="with bits 64 and not 128"):
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
    with pytest.raises(BadSetting, match="no signature method 'simhosh'"):
        matter.sign("simhosh")


@pytest.mark.parametrize("number", ["1", "2", "3"])
def test_a_matter_that_knows_no_figure_marks_is_refused(matter: tc.Matter, number: str) -> None:
    """It took $100 and €100 for copies: its documents are scanned again, and nothing in it is changed."""
    with sqlite3.connect(matter.path / "matter.sqlite") as database:
        database.execute("UPDATE facts SET value = ? WHERE name = 'format'", [number])
    before = (matter.path / "matter.sqlite").read_bytes()
    with pytest.raises(MatterError, match="truecopy scan PATH --matter NEW"):
        tc.open(matter.path)
    assert (matter.path / "matter.sqlite").read_bytes() == before


def test_damaged_statistics_are_found_before_a_wave_is_signed_with_them(matter: tc.Matter, waves: list[Path]) -> None:
    matter.sign("topsig", build([text(1), text(2)]))
    (file,) = matter.path.glob("statistics-*.segment")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    with pytest.raises(DamagedSegment):
        matter.add(waves[1])
    assert len(tc.open(matter.path).waves()) == 1
    matter.sign("topsig", build([text(1), text(2)]), replace=True)
    assert matter.add(waves[1]).documents == 2
    assert matter.verify() == []


class Interrupted(Exception):
    """Stands for a kill or Ctrl-C at the worst moment."""


def test_a_replacement_that_is_interrupted_leaves_the_old_signatures(
    matter: tc.Matter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the last moment before the commit, every new file is written: the old ones must still be whole."""
    matter.sign("simhash", bits=64)
    before = matter.signatures("simhash").values.tolist()

    def fail(*_: object) -> None:
        raise Interrupted

    with monkeypatch.context() as patched:
        patched.setattr("truecopy.matter.sql.audit.Audit.record", fail)
        with pytest.raises(Interrupted):
            matter.sign("simhash", bits=128, replace=True)
    assert matter.verify() == []
    assert matter.signatures("simhash").values.tolist() == before
    matter.sign("simhash", bits=128, replace=True)
    assert matter.verify() == []


def test_a_reader_sees_one_state_while_signatures_are_replaced(matter: tc.Matter) -> None:
    matter.sign("simhash", bits=64)
    reader = tc.open(matter.path)
    with reader.snapshot():
        assert reader.signings()["simhash"].parameter("bits") == 64
        matter.sign("simhash", bits=128, replace=True)
        assert reader.signatures("simhash").values.shape == (3, 8)


def test_what_is_not_given_is_as_it_was(matter: tc.Matter, waves: list[Path]) -> None:
    """Repeating a parameter is no change; leaving out the statistics keeps them, also when all is signed anew."""
    statistics = build([text(1), text(2)])
    matter.sign("topsig", statistics, bits=64)
    matter.add(waves[1])
    assert matter.sign("topsig", bits=64).already == 5
    assert matter.sign("topsig", statistics).already == 5
    assert matter.sign("topsig", bits=128, replace=True).statistics == statistics.id
    assert matter.sign("topsig", "none", replace=True).statistics is None
    assert list(matter.path.glob("statistics-*")) != []
    matter.sign("letters")  # the next writer sweeps
    assert list(matter.path.glob("statistics-*")) == []
    matter.sign("fingerprint", bin=0)
    assert matter.sign("fingerprint", bin=0).already == 5


def test_sampling_follows_the_mean_length_of_the_matter(matter: tc.Matter) -> None:
    lengths = [len(text(number)) for number in (1, 2, 3)]
    assert matter.sign("mod", n="auto").spec.parameter("n") == int(sum(lengths) / 3 / 100 + 0.5)
    assert matter.sign("mod", n="auto").already == 3


def test_signatures_of_another_version_are_not_mixed(
    matter: tc.Matter, waves: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An upgrade that raises a version refuses to go on under the old one, and says what to do."""
    matter.sign("simhash")
    monkeypatch.setattr("truecopy.sign.simhash.VERSION", 2)
    with pytest.raises(MatterError, match="of version 1, and this truecopy makes version 2") as refused:
        matter.add(waves[1])
    assert "--replace" in refused.value.hint
    assert len(matter.waves()) == 1
    assert matter.sign("simhash", replace=True).spec.version == 2


def test_a_signed_matter_that_cannot_be_written_to_still_gives_its_signatures(
    matter: tc.Matter, monkeypatch: pytest.MonkeyPatch
) -> None:
    matter.sign("simhash")
    monkeypatch.setattr("truecopy.matter.store._writable", lambda _: False)
    assert tc.open(matter.path).sign("simhash").already == 3


def test_dates_of_documents_stand_in_their_term_signatures(tmp_path: Path) -> None:
    """So that comparing can leave out what is months apart."""
    mail = tmp_path / "mail"
    mail.mkdir()
    head = "From: a@example.com\nTo: b@example.com\nSubject: rent\nDate: Mon, 05 May 2003 10:00:00 +0000\n\n"
    (mail / "one.eml").write_text(head + text(1))
    (mail / "two.txt").write_text(text(2))
    made = tc.scan(mail, tmp_path / "m", report=False)
    made.sign("terms")
    terms, stored = family("terms"), made.signatures("terms")
    found = {made.document(name).path: terms.date(stored, i) for i, name in enumerate(stored.ids)}
    assert found == {"one.eml": datetime.date(2003, 5, 5), "two.txt": None}
