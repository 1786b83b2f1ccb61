"""Dense families: what is stored of them, and that every answer is the one that all pairs would give."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import event

import naive
import truecopy as tc
from truecopy.matter.ask import groups
from truecopy.matter.matter import Matter
from truecopy.matter.sql.groups import OWN
from truecopy.matter.store import Store
from truecopy.matter.texts import all_texts
from truecopy.settings import MatterSettings
from truecopy.sign.words import sign_streams

DENSE, NEAREST = 5, 2
THRESHOLDS = (70, 75, 80, 88.5, 95)
SHAPES = ("form", "cut", "tail", "order", "figures", "alone")
WORDS = [f"{a}{b}" for a in ("ba", "ke", "li", "mo", "nu", "ra", "si", "to") for b in "bcdfghjklmnpqrst"]


def texts_of(dice: random.Random, count: int) -> list[str]:
    """Texts of a few families: forms, versions around the threshold, tails, other orders, figures; and copies."""
    shapes = [(dice.choice(SHAPES), dice.choices(WORDS, k=dice.randint(56, 80))) for _ in range(dice.randint(1, 4))]
    texts: list[str] = []
    while len(texts) < count:
        shape, base = dice.choice(shapes)
        words = list(base)
        if shape == "form":
            for place in dice.sample(range(len(words)), 3):
                words[place] = f"slot{dice.randrange(90)}"
        elif shape == "cut":
            for place in dice.sample(range(len(words)), dice.randint(4, 11)):
                words[place] = dice.choice(WORDS)
        elif shape == "tail":
            words = (base * 2)[: dice.randint(30, 2 * len(base))]
        elif shape == "order":
            at = dice.randrange(len(words))
            words = words[at:] + words[:at] if dice.random() < 0.5 else dice.sample(words, len(words))
        elif shape == "figures":
            words = [str(int(word, 36)) for word in words]
            words[dice.randrange(len(words))] = str(dice.randrange(99))
        else:
            words = dice.choices(WORDS, k=60)
        texts.append(" ".join(words))
        if dice.random() < 0.1:
            texts.append(texts[-1])
    return texts[:count]


def scanned(folder: Path, name: str, waves: list[list[str]], settings: MatterSettings) -> Matter:
    """A matter that was made of waves of texts."""
    matter = Matter(Store.create(folder / name, settings))
    for number, texts in enumerate(waves):
        room = folder / f"wave-{number}"
        if not room.exists():
            room.mkdir()
            for place, text in enumerate(texts):
                (room / f"{place:03d}.txt").write_text(text)
        matter.add(room, wave=f"wave {number}")
    return matter


def groups_of(matter: Matter, threshold: float | None) -> tuple[object, ...]:
    """Everything that `groups` says."""
    grouping = matter.groups(threshold)
    return (
        [(g.id, [(m.document.id, m.similarity, m.kind) for m in g.members]) for g in grouping.groups],
        [(one.document.id, [(link.id, link.similarity) for link in one.links]) for one in grouping.linked],
    )


def pairs_of(matter: Matter, threshold: float, relation: str) -> list[tuple[object, ...]]:
    """Everything that `pairs --expand` says."""
    found = matter.pairs(threshold, relation, expand=True)
    assert found.complete
    assert found.left_out == 0
    return [(pair.a.number, pair.b.number, pair.scores, pair.kind) for pair in found.pairs]


def hits_of(matter: Matter, document: tc.Document, threshold: float) -> list[tuple[str, float, str]]:
    return [(hit.document.id, hit.similarity, hit.kind) for hit in matter.similar(document, threshold)]


def asked(dice: random.Random) -> tuple[list[list[str]], str]:
    """Waves of texts, and a rule."""
    texts = texts_of(dice, dice.randint(20, 44))
    cuts = sorted(dice.sample(range(1, len(texts)), dice.choice((0, 0, 1, 2))))
    waves = [texts[a:b] for a, b in itertools.pairwise([0, *cuts, len(texts)])]
    return waves, dice.choice(("longest", "earliest"))


@pytest.mark.parametrize("seed", range(12))
def test_answers_are_those_of_all_pairs(seed: int, tmp_path: Path) -> None:
    """Groups, statuses, hits, counts and completed pairs are those of a matter that stores every pair."""
    check_answers(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 160))
def test_answers_are_those_of_all_pairs_more_often(seed: int, tmp_path: Path) -> None:
    """The same, for more collections."""
    check_answers(seed, tmp_path)


def check_answers(seed: int, folder: Path) -> None:
    print("seed", seed)
    dice = random.Random(seed)
    waves, rule = asked(dice)
    recall = dice.choice((None, 1.0))
    settings = MatterSettings(rule=rule, dense=DENSE, nearest=NEAREST, recall=recall)
    thin = scanned(folder, "thin", waves, settings)
    whole = scanned(folder, "whole", waves, MatterSettings(rule=rule))
    assert whole.left_out() == 0
    said, expected = thin.documents(), whole.documents()
    assert [(d.id, d.status, d.copy_of) for d in said] == [(d.id, d.status, d.copy_of) for d in expected]
    assert thin.group_count() == whole.group_count() == len(whole.groups().groups)
    for threshold in (None, *THRESHOLDS):
        assert groups_of(thin, threshold) == groups_of(whole, threshold), threshold
    for relation in ("similar", "contains"):
        for threshold in (80, 90):
            assert pairs_of(thin, threshold, relation) == pairs_of(whole, threshold, relation)
        stored, every = (len(matter.pairs(80, relation)) for matter in (thin, whole))
        assert every <= stored + thin.left_out(relation), "the bound holds"
        complete = thin.pairs(80, relation).complete
        assert complete == (thin.left_out(relation) == 0)
        assert stored == every or not complete
    for document in dice.sample(list(said), 6):
        if document.words:
            assert hits_of(thin, document, 75) == hits_of(whole, document, 75)
    shown = {one.document.id for one in thin.groups(complete=False).linked}
    assert shown == {d.id for d in said if d.status == "linked"}, "a stored pair shows each link"


def test_brute_force_agrees(tmp_path: Path) -> None:
    """Completed pairs and stars of a family in two waves are those of every two texts compared."""
    dice = random.Random(7)
    base = dice.choices(WORDS, k=70)
    texts = []
    for _ in range(40):
        words = list(base)
        for place in dice.sample(range(70), dice.randint(8, 10)):
            words[place] = dice.choice(WORDS)
        texts.append(" ".join(words))
    waves = [texts[:25], texts[25:]]
    matter = scanned(tmp_path, "matter", waves, MatterSettings(dense=DENSE, nearest=NEAREST))
    codes = naive.WordCodes()
    coded = [codes.of(text) for text in texts]
    truth = {pair: Fraction(70 - d, 70) for pair, d in naive.naive_similar(coded, 80).items()}
    said = {(p.a.number - 1, p.b.number - 1): p.scores.distance for p in matter.pairs(80, expand=True)}
    assert {pair: Fraction(70 - d, 70) for pair, d in said.items()} == truth
    principals: list[int] = []
    expected: dict[int, int] = {}
    for wave in (range(25), range(25, 40)):
        new: list[int] = []
        for text in wave:  # all have as many words, and no date: the rule is the order of their ids
            for heads in (principals, new):
                near = [(-truth[head, text], head) for head in heads if (head, text) in truth]
                if near:
                    expected[text] = min(near)[1]
                    break
            else:
                new.append(text)
        principals += new
    groups = matter.groups().groups
    assert {m.document.number - 1: g.principal.number - 1 for g in groups for m in g.members} == expected
    assert len(expected) > 10
    assert len(groups) > 1


@pytest.mark.parametrize("waves", [1, 2])
def test_bands_know_dense_families_too(waves: int, tmp_path: Path) -> None:
    """With a recall, a dense family is found before its bands are read, and its groups are those of all pairs."""
    texts = [*family(24, 2, 3), *family(6, 2, 4), *texts_of(random.Random(1), 10)]
    parts = [texts[::2], texts[1::2]] if waves == 2 else [texts]
    thin = scanned(tmp_path, "thin", parts, MatterSettings(recall=0.99, floor=80, dense=8, nearest=3))
    whole = scanned(tmp_path, "whole", parts, MatterSettings(floor=80))
    assert thin.recall() < 1
    assert thin.left_out() > 100
    assert groups_of(thin, None) == groups_of(whole, None)
    assert pairs_of(thin, 90, "similar") == pairs_of(whole, 90, "similar")


def stored_pairs(matter: Matter, relation: str) -> set[tuple[int, int]]:
    """By passages: where no document is a copy, these are the documents."""
    with matter.asking() as state:
        return {(a, b) for a, b in state.pairs.ends(relation).tolist()}


def family(count: int, slots: int, seed: int) -> list[str]:
    dice = random.Random(seed)
    base = dice.choices(WORDS, k=90)
    texts = []
    for _ in range(count):
        words = list(base)
        for place in dice.sample(range(90), slots):
            words[place] = f"slot{dice.randrange(10_000)}"
        texts.append(" ".join([*words, *base[: dice.randrange(4)]]))
    return texts


@pytest.mark.parametrize("waves", [1, 2])
def test_principals_the_longest_and_the_nearest_are_stored(waves: int, tmp_path: Path) -> None:
    """Of both relations: each text's pair with its principal or the longest text, and with its nearest; and no more."""
    texts = family(30, 2, 3)
    settings = MatterSettings(dense=8, nearest=3)
    matter = scanned(tmp_path, "matter", [texts[:15], texts[15:]] if waves == 2 else [texts], settings)
    with matter.asking() as state:
        loaded = all_texts(state)
    sketches = sign_streams(loaded.streams, 1).values
    longest = int(np.argmax(loaded.streams.lengths))
    every = {(a + 1, b + 1) for a, b in itertools.combinations(range(30), 2)}
    similar, contains = stored_pairs(matter, "similar"), stored_pairs(matter, "contains")
    allowed: set[tuple[int, int]] = set()
    for wave in range(waves):
        known = range(15 * (wave + 1) if waves == 2 else 30)
        for text in known if wave == 0 else range(15, 30):
            equal = [(-int((sketches[text] == sketches[other]).sum()), other) for other in known if other != text]
            near = {(min(text, other) + 1, max(text, other) + 1) for _, other in sorted(equal)[:3]}
            assert near <= similar
            allowed |= near
    head = {m.document.number: g.principal.number for g in matter.groups().groups for m in g.members}
    edges = {(min(pair), max(pair)) for pair in head.items()}
    assert edges <= similar
    of_longest = {pair for pair in every if longest + 1 in pair}
    assert len(contains & of_longest) == 29, "each is contained in the longest, or holds it"
    first_longest = int(np.argmax(loaded.streams.lengths[:15])) + 1
    allowed |= edges | of_longest | {pair for pair in every if first_longest in pair}
    assert similar <= allowed
    assert contains <= allowed
    assert len(similar) < 200 < len(every)
    assert matter.left_out("contains") >= 435 - len(contains)
    assert not matter.pairs(80, "contains").complete
    assert len(matter.pairs(80, "contains", expand=True)) == 435


def test_groups_look_up_the_pairs_of_members_and_do_not_walk_over_all(tmp_path: Path) -> None:
    """SQLite finds each member's pair with its principal by its key; a walk over all pairs takes hours."""
    matter = scanned(tmp_path, "plan", [family(12, 3, 5)], MatterSettings(dense=DENSE, nearest=NEAREST))
    store = Store.open(matter.path)
    statements: list[tuple[str, object]] = []
    with store.reading() as state:
        connection = state.connection

        @event.listens_for(connection, "before_cursor_execute")
        def heard(_connection: object, _cursor: object, statement: str, given: object, *_rest: object) -> None:
            statements.append((statement, given))

        state.pairs.of_groups(OWN, 80)
        event.remove(connection, "before_cursor_execute", heard)
        statement, given = next(one for one in statements if "JOIN pairs" in one[0])
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", given).all()
    steps = [row[-1] for row in plan if "pairs" in row[-1]]  # of the table itself: its view takes no step of its own
    assert len(steps) == 1, plan
    assert steps[0].startswith("SEARCH main.pairs USING"), plan
    assert all(f"{key}=?" in steps[0] for key in ("unit", "relation", "a", "b")), plan


def test_a_page_of_linked_documents_completes_each_family_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty linked documents of one family read and compared it fifty times."""
    dice = random.Random(1)
    base = dice.choices(WORDS, k=60)
    texts = []
    for _ in range(40):
        words = list(base)
        for place in dice.sample(range(60), dice.randint(4, 12)):
            words[place] = dice.choice(WORDS)
        texts.append(" ".join(words))
    matter = scanned(tmp_path, "linked", [texts], MatterSettings(dense=DENSE, nearest=NEAREST))
    whole = {one.document.id: one.links for one in matter.groups().linked}
    assert len(whole) > 3
    completed, documents = [], []
    made, read = groups.completing, groups.first_documents
    monkeypatch.setattr(groups, "completing", lambda state, some: completed.append(some) or made(state, some))
    monkeypatch.setattr(groups, "first_documents", lambda state, some: documents.append(some) or read(state, some))
    assert {one.document.id: one.links for one in matter.linked_page()} == whole
    assert len(completed) == len(documents) == 1
    alone = {one.document.id: one.links for name in whole for one in matter.linked_page(name, 1)}
    assert alone.items() <= whole.items()
