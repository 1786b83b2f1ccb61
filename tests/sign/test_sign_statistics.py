"""Statistics: what is counted, how it is filtered, merged, saved and weighed."""

from __future__ import annotations

import math
import random
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truecopy.sign
from collections_data import collection
from truecopy.errors import BadSetting, DamagedSegment, MatterError, NotFound, SpecMismatch
from truecopy.segments import read_file, write_segment
from truecopy.sign.counting import Frequencies
from truecopy.sign.statistics import Statistics, WordFilter, build, find, shipped
from truecopy.text import tokenize, word_texts
from truecopy.text.profiles import plain

ODD = [
    "",
    "a",
    "ab",
    "\0\0\0\0\0\0",
    "a\0",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "𝒜𝒷𝒸𝒹𝑒 𐍈𐍈𐍈𐍈𐍈 🙂🙂🙂🙂",
    "e\u0301e\u0301e\u0301 Ça ça CA\u0327 \u0301",
    "合同解除条件和其他规定合同解除条件",
    "ประเทศไทย ປະເທດລາວ",
    "Straße STRASSE ﬁnal ½ № co\u00adoperate",
    "one two one two three\nONE Two",
    "x" * 33 + "a " + "x" * 33 + "b " + "x" * 40 + " " + "x" * 32,
    "long" * 20_000 + " after",
]


def words_of(text: str) -> list[str]:
    """The folded words of a text; those that are too long to be kept as they are come as ""."""
    data = text.encode()
    found = tokenize([data])
    listed = word_texts(data, found.starts, found.ends, found.hashes)
    return ["" if end - start > 1 << 15 else w for w, start, end in zip(listed, found.starts, found.ends, strict=True)]


def grams_of(text: str, n: int) -> list[str]:
    return [text[i : i + n] for i in range(max(len(text) - n + 1, 1))] if text else []


def entries(table: Frequencies) -> dict[str, tuple[int, int]]:
    rows = zip(table.documents.tolist(), table.occurrences.tolist(), strict=True)
    listed = table.texts()
    assert len(set(listed)) == len(listed)
    return dict(zip(listed, rows, strict=True))


def counted(features: Sequence[Sequence[str]]) -> dict[str, tuple[int, int]]:
    """The same by plain counters."""
    occurs = Counter(each for one in features for each in one)
    documents = Counter(each for one in features for each in set(one))
    return {each: (documents[each], occurs[each]) for each in occurs if each}


def check(texts: Sequence[str], n: int = 4, profile: str = "verbatim", threads: int = 1) -> Statistics:
    made = build(texts, ngram=n, profile=profile, threads=threads)
    words = [words_of(text) for text in texts]
    shown = [plain(text).text if profile == "plain" else text for text in texts]
    grams = [grams_of(text, n) for text in shown]
    assert made.documents == len(texts)
    assert entries(made.words) == counted(words)
    assert entries(made.grams) == counted(grams)
    assert made.words.total == sum(map(len, words))
    assert made.grams.total == sum(map(len, grams))
    for table in (made.words, made.grams):
        spelled = [text.encode() for text in table.texts()]
        assert spelled == sorted(spelled)
    return made


@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("profile", ["verbatim", "plain"])
def test_odd_texts_are_counted_as_plain_counters_do(n, profile):
    check(ODD, n, profile)


@given(
    st.lists(st.text(alphabet=st.sampled_from("ab \0é合\U00010348\u0301"), max_size=60), max_size=8), st.integers(1, 8)
)
@settings(max_examples=60, deadline=None)
def test_any_texts_are_counted_as_plain_counters_do(texts, n):
    check(texts, n)


@pytest.mark.parametrize("n", [4, 8])
def test_real_texts_are_counted_as_plain_counters_do(n):
    folder = collection("policies")
    files = sorted(folder.rglob("*.md"))[:40]
    texts = [file.read_text(encoding="utf-8") for file in files]
    assert sum(map(len, texts)) > 500_000
    made = check(texts, n)
    assert len(made.grams) > 10_000


def test_equal_texts_are_equal_documents():
    """A copy counts again."""
    once, thrice = build(["The lessee pays the rent."]), build(["The lessee pays the rent."] * 3)
    assert thrice.documents == 3
    for one, three in ((once.words, thrice.words), (once.grams, thrice.grams)):
        assert one.texts() == three.texts()
        assert three.documents.tolist() == [3] * len(one)
        assert three.occurrences.tolist() == (3 * one.occurrences).tolist()


def test_no_text_gives_empty_statistics(tmp_path):
    made = build([])
    assert (made.documents, len(made.words), len(made.grams), made.words.total) == (0, 0, 0, 0)
    assert made.idf().tolist() == []
    assert made.filtered().words.texts() == []
    made.save(tmp_path / "none")
    assert Statistics.load(tmp_path / "none").id == made.id


def many_texts(seed: int) -> list[str]:
    """Texts of over 16 MB, so that several threads have some of them."""
    dice = random.Random(seed)
    words = [f"{dice.choice('abcdefgh')}{number}ö" for number in range(3000)]
    return [" ".join(dice.choices(words, k=dice.randrange(20_000))) for _ in range(260)] + ODD


def test_threads_order_and_parts_change_nothing():
    seed = random.randrange(1 << 32)
    print("seed", seed)
    texts = many_texts(seed)
    made = build(texts)
    assert build(texts, threads=3).id == made.id
    assert build(texts[::-1], threads=2).id == made.id
    parts = [build(texts[first::3]) for first in range(3)]
    assert parts[2].merged(parts[0], parts[1]).id == made.id
    joined = parts[0].merged(parts[1]).merged(parts[2])
    assert entries(joined.grams) == entries(made.grams)
    assert entries(joined.words) == entries(made.words)
    assert joined.documents == made.documents
    assert joined.filtered().id == made.filtered().id


def test_bytes_and_str_give_the_same():
    assert build([text.encode() for text in ODD]).id == build(ODD).id


def test_every_difference_shows_in_the_id():
    texts = ["The lessee pays the rent.", "The lessor"]
    ids = {
        build(texts).id,
        build([*texts, ""]).id,
        build(texts, ngram=3).id,
        build(texts, profile="plain").id,
        build(["The lessee pays the rent. The lessor"]).id,
        build(texts).filtered().id,
        build(texts).filtered(least=1).id,
    }
    assert len(ids) == 7
    assert all(len(each) == 16 and int(each, 16) >= 0 for each in ids)


def test_the_id_is_the_same_on_every_machine_and_in_every_release():
    assert build(["The lessee pays.", "合同解除条件"]).id == "32b5e62f31decdbc"


def test_hashes_are_those_of_the_tokenizer_and_of_the_byte_hash():
    made = build(ODD)
    found = tokenize([b"\n".join(word.encode() for word in made.words.texts())])
    assert made.word_hashes.tolist() == found.hashes.tolist()
    golden, factor, whole = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, (1 << 64) - 1
    for gram, known in zip(made.grams.texts(), made.gram_hashes.tolist(), strict=True):
        data = gram.encode()
        value = len(data)
        for at in range(0, len(data), 8):
            value = ((value ^ int.from_bytes(data[at : at + 8], "little")) * golden) & whole
            value ^= value >> 32
        value = (value * factor) & whole
        assert known == value ^ value >> 32


@pytest.mark.alone
def test_the_table_inside_the_package_loads_within_50_milliseconds():
    seconds = []
    for _ in range(5):
        shipped.cache_clear()
        began = time.process_time()
        found = shipped()
        seconds.append(time.process_time() - began)
    assert min(seconds) < 0.05
    assert shipped() is found


def test_the_table_inside_the_package_is_small_and_filtered():
    """The promises: 4 MB, Conrad's filter, 4-grams of the texts as they are."""
    folder = Path(truecopy.sign.__file__).parent
    assert (folder / "legal-english.statistics").stat().st_size <= 4_000_000
    found = shipped()
    assert (found.ngram, found.profile, found.documents) == (4, "verbatim", 19_473)
    assert found.filter == WordFilter(True, 3, 5, 5)
    rare = dict(zip(found.words.texts(), found.idf().tolist(), strict=True))
    assert rare["the"] < rare["agreement"] < rare["lessee"] < rare["escrow"]
    assert find("legal-english") is found
    for table in (found.words, found.grams):
        spelled = [text.encode() for text in table.texts()]
        assert spelled == sorted(set(spelled))
        assert (table.documents <= table.occurrences).all()
        assert table.occurrences.sum() < table.total


def test_the_formula_for_idf():
    """Formula (1) of the paper, by hand."""
    made = build(["all one", "all two", "all two", "all"])
    expected = {word: math.log(4.5 / df) / math.log(5) for word, df in (("all", 4), ("one", 1), ("two", 2))}
    assert dict(zip(made.words.texts(), made.idf().tolist(), strict=True)) == pytest.approx(expected)
    assert made.idf().min() > 0
    assert made.idf().max() < 1


def test_the_filter_of_the_paper():
    """Letters only, at least three of them, at least five occurrences; marks belong to their letters."""
    kept = ["lessee", "हिन्दी", "straße", "été"]
    dropped = ["at", "x1y", "2020", "été9", "e\u0301t"]
    texts = [" ".join([*kept, *dropped])] * 5 + ["rare rare rare rare"]
    made = build(texts)
    filtered = made.filtered()
    assert filtered.words.texts() == sorted(["lessee", "हिन्दी", "strasse", "été"], key=str.encode)
    assert filtered.filter == WordFilter(True, 3, 5, 5)
    assert filtered.words.total == made.words.total == 5 * 9 + 4
    assert filtered.grams.total == made.grams.total
    assert filtered.documents == 6
    assert (filtered.grams.occurrences >= 5).all()
    assert len(filtered.grams) == int((made.grams.occurrences >= 5).sum()) < len(made.grams)
    assert "rare" in made.filtered(least=4).words.texts()
    assert "2020" in made.filtered(letters_only=False).words.texts()
    assert "at" in made.filtered(shortest=2).words.texts()
    assert {"x1y", "été9"} <= set(made.filtered(letters_only=False).words.texts())
    assert "e\u0301t" not in made.filtered(letters_only=False).words.texts()
    assert len(made.filtered(letters_only=False, shortest=0, least=1).words) == len(made.words)
    assert len(made.filtered(least_grams=1).grams) == len(made.grams)


def test_a_filter_on_a_filter_keeps_what_both_keep():
    made = build(["one two three four five six seven one two one"] * 3)
    twice = made.filtered(letters_only=False, shortest=4, least=1).filtered(letters_only=True, shortest=1, least=3)
    assert twice.filter == WordFilter(True, 4, 3, 3)
    assert twice.words.texts() == made.filtered(shortest=4, least=3).words.texts()


def test_what_was_filtered_by_frequency_is_not_merged():
    made = build(["one one one"])
    with pytest.raises(BadSetting, match=r"Filtered statistics cannot be merged: .*\."):
        made.filtered().merged(made.filtered())
    with pytest.raises(BadSetting, match="Filtered"):
        made.merged(made.filtered())
    letters = made.filtered(least=1)
    assert letters.merged(letters).words.occurrences.tolist() == [6]
    assert letters.merged(letters).filter == letters.filter


def test_unlike_statistics_are_not_merged():
    made = build(["one"])
    with pytest.raises(SpecMismatch, match=r"4-grams of verbatim texts .* 3-grams of verbatim"):
        made.merged(build(["one"], ngram=3))
    with pytest.raises(SpecMismatch, match="plain"):
        made.merged(build(["one"], profile="plain"))


@pytest.mark.parametrize("filtered", [False, True])
def test_saved_and_loaded_they_are_the_same(tmp_path, filtered):
    made = build([*ODD, *["The lessee pays the rent."] * 300])
    made = made.filtered() if filtered else made
    made.save(tmp_path / "table")
    again = Statistics.load(tmp_path / "table")
    assert again.id == made.id
    assert again.filter == made.filter
    assert (again.documents, again.ngram, again.profile) == (made.documents, made.ngram, made.profile)
    for table, stored in ((made.words, again.words), (made.grams, again.grams)):
        assert entries(table) == entries(stored)
        assert [stored.ends.dtype, stored.documents.dtype, stored.occurrences.dtype] == [np.int64] * 3
        assert stored.total == table.total
    assert [file.name for file in tmp_path.iterdir()] == ["table"]


@pytest.mark.parametrize("place", [3, 100, -200, -1])
def test_a_damaged_file_is_refused(tmp_path, place):
    path = tmp_path / "table"
    build(ODD).save(path)
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    with pytest.raises(DamagedSegment, match="table"):
        Statistics.load(path)
    path.write_bytes(bytes(data[: len(data) // 2]))
    with pytest.raises(DamagedSegment):
        Statistics.load(path)


def test_other_files_are_refused_in_one_sentence(tmp_path):
    write_segment(tmp_path / "other", {"signatures": {}}, {"values": np.zeros(3)})
    (tmp_path / "text").write_text("The lessee pays.")
    (tmp_path / "empty").touch()
    with pytest.raises(MatterError, match="not of statistics"):
        Statistics.load(tmp_path / "other")
    with pytest.raises(DamagedSegment, match="not written by truecopy"):
        Statistics.load(tmp_path / "text")
    with pytest.raises(DamagedSegment, match="empty"):
        Statistics.load(tmp_path / "empty")
    with pytest.raises(BadSetting, match="is a folder"):
        Statistics.load(tmp_path)
    with pytest.raises(NotFound, match="There are no statistics"):
        Statistics.load(tmp_path / "absent")
    with pytest.raises(BadSetting, match="is a folder"):
        build(["one"]).save(tmp_path)
    with pytest.raises(NotFound, match="does not exist"):
        build(["one"]).save(tmp_path / "absent" / "table")


def test_only_statistics_are_replaced(tmp_path):
    """A document that was named by mistake is not overwritten."""
    (tmp_path / "contract.txt").write_text("The lessee pays.")
    with pytest.raises(BadSetting, match="does not hold statistics"):
        build(["one"]).save(tmp_path / "contract.txt")
    assert (tmp_path / "contract.txt").read_text() == "The lessee pays."
    build(["one"]).save(tmp_path / "table")
    build(["two"]).save(tmp_path / "table")
    assert Statistics.load(tmp_path / "table").words.texts() == ["two"]


def stored(path: Path, **changed: Any) -> dict[str, Any]:
    """Arrays and header of statistics that were saved, some of the arrays changed; the checksum agrees."""
    header, arrays = read_file(path)
    write_segment(path, header, {**arrays, **changed})
    return header


@pytest.mark.parametrize(
    "changed",
    [
        {"grams.lengths": np.full(13, 255, np.uint8)},
        {"words.lengths": np.zeros(0, np.uint8)},
        {"words.documents": np.ones(40, np.uint8)},
        {"words.occurrences": np.full(3, 7, np.uint8)},
        {"words.occurrences": np.ones((3, 1), np.uint8)},
        {"words.documents": np.ones((3, 1), np.uint8)},
        {"grams.lengths": np.full((13, 1), 4, np.uint8)},
        {"words.letters": np.frombuffer(b"lesseepaysthe", np.uint8).reshape(13, 1)},
        {"words.documents": np.ones(3, np.float64)},
        {"words.more": np.ones(3, np.uint8)},
    ],
)
def test_a_file_that_contradicts_itself_is_refused(tmp_path, changed):
    """A checksum does not tell who made a file: lengths beyond the letters must not reach a kernel."""
    path = tmp_path / "table"
    build(["The lessee pays."]).save(path)
    stored(path)
    assert len(Statistics.load(path).grams) == 13
    stored(path, **changed)
    with pytest.raises(DamagedSegment, match="does not hold what it says"):
        Statistics.load(path)


def test_lone_surrogates_are_counted_like_any_code_point(tmp_path):
    """They come from damaged text; as bytes they would not be UTF-8."""
    made = build(["a\ud800bcd", "a\ud800bcd\udfff"])
    assert made.grams.texts() == ["a\ud800bc", "bcd\udfff", "\ud800bcd"]
    made.save(tmp_path / "table")
    assert Statistics.load(tmp_path / "table").id == made.id
    assert made.filtered(least=1).words.texts() == ["bcd"]


def test_a_later_version_is_refused(tmp_path):
    write_segment(tmp_path / "later", {"statistics": {"version": 2}}, {})
    with pytest.raises(MatterError, match=r"version 2 .* knows 1"):
        Statistics.load(tmp_path / "later")


@pytest.mark.parametrize("ngram", [0, 9, -1, 4.5, True])
def test_n_is_one_to_eight(ngram):
    with pytest.raises(BadSetting, match="ngram"):
        build(["one"], ngram=ngram)


def test_other_bad_settings_are_refused():
    with pytest.raises(BadSetting, match="profile"):
        build(["one"], profile="fancy")
    with pytest.raises(BadSetting, match="not UTF-8"):
        build([b"\xff"])
    with pytest.raises(BadSetting, match="shortest"):
        build(["one"]).filtered(shortest=-1)
    with pytest.raises(BadSetting, match="least"):
        build(["one"]).filtered(least=-1)
