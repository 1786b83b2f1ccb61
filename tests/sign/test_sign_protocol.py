"""What every family keeps to: the same functions, specs that refuse each other, files that are checked when read."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import naive_signatures as naive
from truecopy.errors import BadSetting, DamagedSegment, DiskFull, SpecMismatch
from truecopy.segments import write_segment
from truecopy.sign import METHODS, family, make_spec
from truecopy.sign.signatures import Signatures
from truecopy.sign.statistics import Statistics, build, shipped
from truecopy.spec import Spec

TEXTS = ["The Lessee shall pay the rent. " * 30, "The Lessor may enter the premises. " * 30, "", "Miete"]


def made(method: str, **parameters: Any) -> Signatures:
    spec = make_spec(method, **parameters)
    return family(method).sign(TEXTS, spec, shipped() if spec.parameter("statistics") else None)


@pytest.mark.parametrize("method", METHODS)
def test_every_family_has_the_same_functions(method: str):
    module = family(method)
    by = ("distance", "distances") if hasattr(module, "distance") else ("similarity", "similarities")
    for name in ("describe", "spec", "sign", "value", "containment", *by):
        assert callable(getattr(module, name)), name
    assert module.describe().name == method


@pytest.mark.parametrize("method", METHODS)
def test_the_matrix_holds_what_comparing_two_gives(method: str):
    module, signatures = family(method), made(method)
    pair, matrix = (
        (module.distance, module.distances) if hasattr(module, "distance") else (module.similarity, module.similarities)
    )
    found = matrix(signatures, signatures)
    assert found.shape == (4, 4)
    for i in range(4):
        for j in range(4):
            assert found[i, j] == pytest.approx(pair(signatures, i, signatures, j))


@pytest.mark.parametrize("method", METHODS)
def test_containment_is_told_or_refused_with_a_reason(method: str):
    module, signatures = family(method), made(method)
    if module.describe().containment:
        assert module.containment(signatures, 0, signatures, 0) == 100
    else:
        with pytest.raises(BadSetting, match=f"{method} signatures cannot tell containment: "):
            module.containment(signatures, 0, signatures, 1)


OTHER = {
    "words": {"slots": 128}, "simhash": {"bits": 128}, "topsig": {"seed": 2}, "minhash4": {"bits": 128},
    "mod": {"n": 99}, "min": {"n": 99}, "sketch": {"n": 99}, "bsw": {"n": 99}, "terms": {"terms": 59},
    "fingerprint": {"bin": 10}, "letters": {"alphabet": "extended"},
}  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_unlike_specs_refuse_each_other_by_name(method: str):
    module, a, b = family(method), made(method), made(method, **OTHER[method])
    for name in ("distance", "similarity"):
        if hasattr(module, name):
            with pytest.raises(SpecMismatch) as refused:
                getattr(module, name)(a, 0, b, 0)
            assert str(a.spec) in refused.value.message
            assert str(b.spec) in refused.value.message
            matrix = {"distance": "distances", "similarity": "similarities"}[name]
            with pytest.raises(SpecMismatch):
                getattr(module, matrix)(a, b)


@pytest.mark.parametrize("method", METHODS)
def test_a_spec_of_another_version_or_with_wrong_parameters_is_not_signed_with(method: str):
    """A spec may come from a file: what this truecopy does not make, it does not pretend to make."""
    module, spec = family(method), make_spec(method)
    statistics = shipped() if spec.parameter("statistics") else None
    with pytest.raises((BadSetting, SpecMismatch)):
        module.sign(TEXTS, Spec(method, 99, spec.parameters), statistics)
    name, value = next(iter(OTHER[method].items()))
    wrong = {**dict(spec.parameters), name: -1 if isinstance(value, int) else "?"}
    with pytest.raises(BadSetting):
        module.sign(TEXTS, Spec.make(method, spec.version, **wrong), statistics)
    with pytest.raises(BadSetting):
        module.sign(TEXTS, make_spec("letters" if method == "words" else "words"), statistics)


@pytest.mark.parametrize("method", METHODS)
def test_statistics_that_the_spec_does_not_name_are_refused(method: str):
    other = build(["quite another collection"])
    with pytest.raises((BadSetting, SpecMismatch)):
        family(method).sign(TEXTS, make_spec(method), other)


@pytest.mark.parametrize("method", METHODS)
def test_one_text_in_the_place_of_many_is_refused(method: str):
    with pytest.raises(BadSetting, match="One text was given"):
        family(method).sign("one text", make_spec(method))
    with pytest.raises(BadSetting, match="not UTF-8"):
        family(method).sign([b"\xff\xfe"], make_spec(method))
    with pytest.raises(BadSetting, match="given as int"):
        family(method).sign([b"", 7], make_spec(method))  # type: ignore[list-item]


@pytest.mark.parametrize("bad", [64.0, "64", True, None, np.int64(64)])
def test_bits_are_a_whole_number(bad: Any):
    with pytest.raises(BadSetting, match="bits was given as"):
        family("simhash").spec(bits=bad)


def test_n_grams_are_those_of_the_statistics_if_left_out():
    thirds = build(TEXTS, ngram=3, profile="plain")
    spec = family("topsig").spec(statistics=thirds)
    assert (spec.parameter("ngram"), spec.parameter("profile")) == (3, "plain")
    with pytest.raises(BadSetting, match="count n-grams of 3"):
        family("topsig").spec(statistics=thirds, ngram=4)


@pytest.mark.parametrize("text", ["\x01", "\x04\0\0\0", "\x01\x02\x03"])
def test_an_n_gram_whose_hash_is_zero_is_an_n_gram_like_any_other(text: str):
    texts = ["\x04\0\0\0 and some others", "lessee"]
    statistics, of = build(texts), naive.naive_frequencies(texts)
    for method in ("simhash", "topsig"):
        module = family(method)
        spec = module.spec(statistics=statistics)
        weighted = module.sign([text], spec, statistics)
        oracle = naive.naive_simhash if method == "simhash" else naive.naive_topsig
        assert weighted.values[0].tobytes() == oracle(text, 64, statistics=of)


def test_many_distinct_n_grams_and_many_of_one_are_counted_right():
    """Tables grow while they are counted into, and counts leave the range of prepared logarithms."""
    rng = np.random.default_rng(5)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz äöü中文"))
    text = "a" * 9000 + "".join(letters[rng.integers(0, len(letters), 60_000)])
    texts = [text[:20_000], "lessee " * 50]
    statistics, of = build(texts), naive.naive_frequencies(texts)
    assert len({text[i : i + 4] for i in range(len(text) - 3)}) > 40_000
    simhash, topsig = family("simhash"), family("topsig")
    weighted = simhash.spec(bits=32, statistics=statistics)
    assert simhash.sign([text], weighted, statistics).values[0].tobytes() == naive.naive_simhash(
        text, 32, statistics=of
    )
    shake = simhash.spec(bits=32, hash="shake256")
    assert simhash.sign([text], shake).values[0].tobytes() == naive.naive_simhash(text, 32, hash="shake256")
    weighted = topsig.spec(bits=32, statistics=statistics)
    assert topsig.sign([text], weighted, statistics).values[0].tobytes() == naive.naive_topsig(text, 32, statistics=of)


# Files


@pytest.mark.parametrize("method", METHODS)
def test_saved_signatures_come_back(method: str, tmp_path: Path):
    before = made(method)
    before.save(tmp_path / "a.signatures")
    before.save(tmp_path / "a.signatures")  # of its own kind, a file is replaced
    after = Signatures.load(tmp_path / "a.signatures")
    assert after.spec == before.spec
    assert list(after.ids) == list(before.ids)
    assert [family(method).value(after, i) for i in range(4)] == [family(method).value(before, i) for i in range(4)]
    assert after.reliable.tolist() == before.reliable.tolist()


def test_the_names_of_a_large_collection_fit_into_a_file(tmp_path: Path):
    """They are not in the header, which is short; and a file name need not be UTF-8."""
    one = made("simhash")
    ids = ("", "Übersicht.txt", "\udcff.txt", *(f"{'folder/' * 10}{number}.txt" for number in range(50_000)))
    values, reliable = np.repeat(one.values[:1], len(ids), axis=0), np.ones(len(ids), np.bool_)
    Signatures(one.spec, values, reliable, ids).save(tmp_path / "a.signatures")
    assert tuple(Signatures.load(tmp_path / "a.signatures").ids) == ids


def damaged(signatures: Signatures, **changed: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    ids = np.frombuffer("".join(signatures.ids).encode(), np.uint8)
    named = {"ids": ids, "id_ends": np.cumsum([len(each) for each in signatures.ids])}
    arrays = {**signatures.arrays(), **named, **changed}
    return {"signatures": signatures.spec.as_json()}, {key: value for key, value in arrays.items() if value is not None}


@pytest.mark.parametrize(
    "changed",
    [
        {"offsets": np.array([0, 10**9, 2 * 10**9, 2 * 10**9, 2 * 10**9])},
        {"offsets": np.array([-50, 0, 0, 0, 0])},
        {"offsets": np.array([0, 5, 2, 2, 2])},
        {"offsets": None},
        {"values": np.zeros((4, 3), np.uint64)},
        {"values": np.zeros(7, np.float64)},
        {"reliable": np.zeros(1, np.bool_)},
        {"ids": np.frombuffer(b"one", np.uint8)},
        {"ids": np.frombuffer(b"\xff\xff\xff\xff", np.uint8)},
        {"ids": None},
        {"id_ends": np.array([4])},
        {"id_ends": np.array([3, 2, 1, 4])},
        {"id_ends": np.array([-1, 2, 3, 4])},
        {"id_ends": np.array([(1 << 63) - 1, -(1 << 63), 1, 4])},
        {"id_ends": np.array([1.0, 2.0, 3.0, 4.0])},
        {"id_ends": np.array([[1, 2], [3, 4]])},
    ],
)
def test_a_forged_file_of_signatures_never_reaches_a_kernel(changed: dict[str, Any], tmp_path: Path):
    """Its checksum is right: a checksum does not tell who wrote a file."""
    write_segment(tmp_path / "forged", *damaged(made("mod", n=5), **changed))
    with pytest.raises(DamagedSegment):
        Signatures.load(tmp_path / "forged")


def test_rows_that_are_too_narrow_are_refused(tmp_path: Path):
    write_segment(tmp_path / "forged", *damaged(made("letters"), values=np.zeros((4, 3), np.uint32)))
    with pytest.raises(DamagedSegment):
        Signatures.load(tmp_path / "forged")


def forged_statistics(path: Path, **changed: Any) -> None:
    """Statistics with columns that cannot be, under an id that agrees with them."""
    statistics = build(["lessee pays rent", "lessor pays nothing"])
    header, arrays = statistics.stored()
    header["statistics"]["totals"] = {**header["statistics"]["totals"], **changed.pop("totals", {})}
    write_segment(path, header, {**arrays, **changed})


@pytest.mark.parametrize(
    "changed",
    [
        {"words.lengths": np.array([10**12, 2**64 - 10**12 + 26, 1, 1, 1], np.uint64)},
        {"words.lengths": np.array([0, 10, 6, 4, 9], np.uint8)},
        {"words.documents": np.array([0, 1, 1, 1, 1], np.uint8)},
        {"words.documents": np.array([9, 1, 1, 1, 1], np.uint8)},
        {"words.occurrences": np.array([0, 1, 1, 1, 1], np.uint8)},
        {"words.letters": np.full(28, 0x80, np.uint8)},
        {"totals": {"words": -5}},
    ],
)
def test_forged_statistics_never_reach_a_kernel(
    changed: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The columns are checked by themselves: here the id is made to agree with whatever they hold."""
    forged_statistics(tmp_path / "whole")
    assert Statistics.load(tmp_path / "whole").documents == 2
    forged_statistics(tmp_path / "forged", **changed)
    monkeypatch.setattr(Statistics, "id", build(["lessee pays rent", "lessor pays nothing"]).id)
    with pytest.raises(DamagedSegment):
        Statistics.load(tmp_path / "forged")


def test_a_header_that_is_no_json_is_damage(tmp_path: Path):
    made("letters").save(tmp_path / "a")
    data = bytearray((tmp_path / "a").read_bytes())
    data[16:20] = b"\xff{[("
    data[-32:] = hashlib.sha256(data[:-32]).digest()
    (tmp_path / "a").write_bytes(data)
    for load in (Signatures.load, Statistics.load):
        with pytest.raises(DamagedSegment):
            load(tmp_path / "a")


def test_nothing_but_a_file_of_the_same_kind_is_replaced(tmp_path: Path):
    """Not a folder, a pipe, another file, or a matter's own; a link is followed."""
    signatures, statistics = made("letters"), build(["lessee"])
    (tmp_path / "text").write_text("a contract")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "matter.sqlite").touch()
    for target in ("text", "pipe", "m", "m/new"):
        for save in (signatures.save, statistics.save):
            with pytest.raises(BadSetting):
                save(tmp_path / target)
    assert (tmp_path / "text").read_text() == "a contract"
    assert (tmp_path / "pipe").is_fifo()
    statistics.save(tmp_path / "kept")
    with pytest.raises(BadSetting, match="does not hold signatures"):
        signatures.save(tmp_path / "kept")
    signatures.save(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    made("simhash").save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert Signatures.load(tmp_path / "real").spec.method == "simhash"


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(DiskFull, match="The disk is full"):
        made("letters").save(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []
