"""The figures of the report: they add up, and every document is somewhere."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from report_fake import FakeFacts, FakeMatter, FakePairs, as_distances, document, pair

from truecopy.model import STATUSES, Document, Group, Grouping, Link, Linked, Member, Pair, Scores
from truecopy.report import shown, write_html
from truecopy.report.build import build_page, similarity_bars, size_bars
from truecopy.report.contained import most_holders
from truecopy.report.data import page_data
from truecopy.report.meanings import KIND, SETTING, STATUS, generator_sentence
from truecopy.settings import MatterSettings

CONTRACT_KINDS = (
    "same-file same-text same-words execution-copy near-identical same-form insertion excerpt elaboration "
    "revision contained rewrite focus scan unrelated"
)


def group_of(principal: Document, *members: tuple[Document, float, str]) -> Group:
    return Group(principal.id, principal, tuple(Member(*member) for member in members))


def test_every_status_and_kind_has_its_sentence() -> None:
    assert tuple(STATUS) == STATUSES
    assert " ".join(KIND) == CONTRACT_KINDS
    assert all(meaning.endswith(".") for meaning in (*STATUS.values(), *KIND.values()))


def test_every_setting_of_a_matter_is_explained() -> None:
    assert [one.name for one in fields(MatterSettings) if not SETTING.get(one.name)] == []


def test_statuses_and_parts_each_add_up_to_the_documents() -> None:
    documents = [document(n + 1, status=status) for n, status in enumerate(STATUSES * 3)]
    page = build_page(FakeMatter(documents))
    assert [row.status for row in page.statuses] == list(STATUSES)
    assert sum(row.count.documents for row in page.statuses) == len(documents)
    assert sum(count.documents for _, count in page.parts) == len(documents)
    assert sum(count.share for _, count in page.parts) == pytest.approx(100)
    assert len(page.not_searched) == 4 * 3  # unreadable, too-large, excluded and unsearchable, three of each


def test_every_document_is_in_a_group_or_linked_or_listed() -> None:
    documents = [
        document(1, status="principal"),
        document(2, status="member"),
        document(3, status="linked"),
        document(4, status="unique"),
        document(5, status="too-short", words=3),
        document(6, status="same-text", words=3, copy_of="TC-000005"),
        document(7, status="unreadable", reason="It is encrypted."),
    ]
    grouping = Grouping(
        80.0,
        "longest",
        (group_of(documents[0], (documents[1], 91.0, "revision")),),
        (Linked(documents[2], ()),),
    )
    page = build_page(FakeMatter(documents, grouping))
    listed = {one.id for listing in page.listings for one in listing.documents}
    assert listed == {"TC-000004", "TC-000005", "TC-000006"}
    assert [one.id for one in page.not_searched] == ["TC-000007"]
    assert page.group_of == {"TC-000001": "TC-000001", "TC-000002": "TC-000001"}


def test_groups_come_largest_first_and_copies_after_what_they_copy() -> None:
    first, second = document(1), document(5)
    members = (
        (document(4, copy_of="TC-000002", status="same-text"), 81.0, "revision"),
        (document(3), 99.0, "insertion"),
        (document(2), 81.0, "revision"),
    )
    grouping = Grouping(
        80.0, "longest", (group_of(second, (document(6), 90.0, "revision")), group_of(first, *members)), ()
    )
    page = build_page(FakeMatter([], grouping))
    assert [group.id for group in page.groups] == ["TC-000001", "TC-000005"]
    assert [member.document.id for member in page.groups[0].members] == [
        "TC-000003",
        "TC-000002",
        "TC-000004",
    ]


def test_a_pair_at_the_threshold_is_in_the_first_full_bar() -> None:
    a, b = document(1), document(2)
    bars = similarity_bars(
        as_distances([pair(a, b, 200), pair(a, b, 201), pair(a, b, 1, 100_000), pair(a, b, 300)]),
        floor=70.0,
        threshold=80.0,
    )
    counts = {bar.label: (bar.count, bar.marked) for bar in bars}
    assert len(bars) == 30
    assert counts["80 to 81"] == (1, True)
    assert counts["79 to 80"] == (1, False)
    assert counts["99 to 100"] == (1, True)
    assert counts["70 to 71"] == (1, False)


@pytest.mark.parametrize("floor", [0.0, 12.5, 50.0, 70.0, 99.0, 100.0])
def test_the_bars_hold_every_pair_at_any_floor(floor: float) -> None:
    a, b = document(1), document(2)
    pairs = [pair(a, b, distance) for distance in range(0, int(10 * (100 - floor)) + 1, 7)]
    bars = similarity_bars(as_distances(pairs), floor, threshold=floor)
    assert sum(bar.count for bar in bars) == len(pairs)
    assert len(bars) <= 50


def test_group_sizes_count_every_group_once() -> None:
    sizes = [2, 2, 3, 7, 10, 11, 5000]
    groups = [group_of(document(1), *((document(2), 90.0, "revision") for _ in range(size - 1))) for size in sizes]
    bars = size_bars(groups)
    assert sum(bar.count for bar in bars) == len(sizes)
    assert {bar.label: bar.count for bar in bars}["6–10"] == 2
    assert bars[-1].label == "over 1000"
    assert bars[-1].count == 1


def test_a_dense_family_is_told_with_its_number() -> None:
    page = build_page(FakeMatter(similar=FakePairs(complete=False, left_out=1_234_567)))
    assert "1,234,567 further pairs" in page.method.dense
    assert page.left_out == 1_234_567
    assert "every pair" in build_page(FakeMatter()).method.dense


def test_how_candidates_were_found_is_said_for_each_way() -> None:
    exact, estimated = generator_sentence("overlap"), generator_sentence("bands(b=32, r=4)")
    assert "none can be missed" in exact
    assert "bands(b=32, r=4)" in estimated
    assert "none can be missed" not in estimated
    both = generator_sentence("bands(b=32, r=4), overlap")
    assert exact in both
    assert estimated in both


def test_the_curve_of_recall_is_in_the_report_where_bands_found_the_candidates(tmp_path: Path) -> None:
    """At the floor it is what was promised at least; closer pairs are found more often; exact joins have none."""
    matter = FakeMatter(facts_=FakeFacts(generator="bands(bands=108, rows=2), overlap"))
    page = build_page(matter)
    shares = [float(share) for _, share in page.method.curve]
    assert page.method.curve[-1] == ("100", "100")
    assert shares == sorted(shares)
    assert shares[0] < 100
    written = write_html(matter, tmp_path / "report.html").read_text()
    assert "How many pairs of a similarity are found" in written
    assert build_page(FakeMatter()).method.curve == ()


def test_every_setting_is_listed_even_one_the_report_does_not_know() -> None:
    facts = FakeFacts(
        settings={
            "threshold": 82.5,
            "recall": None,
            "rule": "longest",
            "new_thing": "x",
            "given": (),
            "order": ("a", "b"),
            "ocr": True,
        }
    )
    values = {one.name: one.value for one in build_page(FakeMatter(facts_=facts)).method.settings}
    assert values == {
        "threshold": "82.5",
        "recall": "exact where affordable",
        "rule": "longest: most words, then earliest date, then lowest number",
        "new_thing": "x",
        "given": "none",
        "order": "a, b",
        "ocr": "yes",
    }


def test_only_equal_texts_are_shown_as_100() -> None:
    assert shown.similarity(99.9999) == "99.9"
    assert shown.exact(99.99999) == 99.9999
    assert shown.similarity(100.0) == "100.0"
    assert shown.exact(100.0) == 100.0


def test_names_that_turn_text_around_or_are_no_text_are_made_visible() -> None:
    assert shown.name("a\u202egnp.exe") == "a[U+202E]gnp.exe"
    assert shown.name("caf\udce9\n\x00") == "caf�␊␀"
    assert shown.text("one\n\ttwo\x1b[31m") == "one\n\ttwo␛[31m"
    assert shown.name("اتفاقية 合同") == "اتفاقية 合同"


def contained(
    a: Document, b: Document, shared: int, a_shingles: int, b_shingles: int, kind: str, distance: int = -1
) -> Pair:
    return Pair(a, b, "contains", Scores(distance, 1000, shared, a_shingles, b_shingles, 8, 9), kind)


def test_the_contained_text_is_the_one_of_which_more_is_in_the_other() -> None:
    part, whole, other = document(1, words=100), document(2, words=900), document(3, words=500)
    pairs = (
        contained(part, whole, 90, 100, 900, "contained"),
        contained(part, other, 95, 100, 500, "excerpt"),
        contained(whole, other, 450, 900, 500, "contained"),
    )
    page = build_page(FakeMatter([part, whole, other], contains=FakePairs(pairs)))
    found = [
        (one.document.number, [(holder.document.number, holder.containment) for holder in one.holders])
        for one in page.contained
    ]
    assert found == [(1, [(3, 95.0), (2, 90.0)]), (3, [(2, 90.0)])]


AT, BELOW = 200, 201
"""Distances of texts of 1,000 words: similar at 80, and just not."""


@pytest.mark.parametrize(
    ("a", "b", "kind", "distance", "shown_there"),
    [
        (1, 2, "revision", AT, False),  # in one group
        (2, 3, "elaboration", AT, False),  # two members of one group
        (1, 6, "revision", AT, False),  # linked
        (6, 1, "revision", AT, False),
        (1, 2, "excerpt", AT, True),  # a group does not say that one is a part of the other
        (2, 3, "revision", BELOW, True),  # one group, but only by way of the principal
        (2, 5, "revision", AT, True),  # members of two groups
        (1, 7, "elaboration", BELOW, True),
        (1, 7, "elaboration", -1, True),  # below the floor
        (7, 8, "revision", AT, True),  # neither is in any group
    ],
)
def test_a_contained_text_is_left_out_only_where_a_group_or_a_link_shows_the_two(
    a: int, b: int, kind: str, distance: int, shown_there: bool
) -> None:
    documents = {n: document(n) for n in range(1, 9)}
    groups = (
        group_of(documents[1], (documents[2], 90.0, "revision"), (documents[3], 85.0, "revision")),
        group_of(documents[4], (documents[5], 90.0, "revision")),
    )
    grouping = Grouping(80.0, "longest", groups, (Linked(documents[6], (Link("TC-000001", 80.0),)),))
    found = contained(documents[a], documents[b], 98, 100, 120, kind, distance)
    page = build_page(FakeMatter(list(documents.values()), grouping, contains=FakePairs((found,))))
    assert [(one.document.number, one.holders[0].document.number, one.holders[0].kind) for one in page.contained] == (
        [(a, b, kind)] if shown_there else []
    )
    assert page.together == (0 if shown_there else 1)


def test_the_page_names_some_of_very_many_holders_and_says_how_many_more_there_are() -> None:
    """The room is shared evenly, and what a text with few holders does not need goes to the others."""
    parts, wholes = [document(n) for n in range(1, 4)], [document(n) for n in range(10, 60)]
    pairs = [contained(parts[0], whole, 90, 100, 900, "contained") for whole in wholes]
    pairs += [contained(parts[1], whole, 90, 100, 900, "contained") for whole in wholes[:30]]
    pairs += [contained(parts[2], wholes[0], 90, 100, 900, "contained")]
    page = build_page(FakeMatter([*parts, *wholes], contains=FakePairs(tuple(pairs))))
    assert [len(one.holders) for one in page.contained] == [50, 30, 1]
    assert most_holders(page.contained, rows=81) >= 50
    assert most_holders(page.contained, rows=71) == 40
    assert most_holders(page.contained, rows=41) == 20
    assert most_holders(page.contained, rows=2) == 1


def test_of_two_texts_that_contain_each_other_alike_the_shorter_one_is_contained() -> None:
    long, short = document(1, words=120), document(2, words=110)
    page = build_page(
        FakeMatter([long, short], contains=FakePairs((contained(long, short, 90, 100, 100, "contained"),)))
    )
    assert [one.document.number for one in page.contained] == [2]


def test_a_remark_is_told_of_searched_documents_without_the_reason_of_their_status() -> None:
    said = "pages 2 to 9 are pictures and were not searched"
    documents = [
        document(1, status="member", reason=said),
        document(2, status="same-file", reason=f"the same bytes as TC-000001; {said}", copy_of="TC-000001"),
        document(3, status="same-file", reason="the same bytes as TC-000001", copy_of="TC-000001"),
        document(4, status="unsearchable", reason="it is a picture"),
        document(5, status="unique"),
    ]
    page = build_page(FakeMatter(documents))
    assert [(one.number, remark) for one, remark in page.remarked] == [(1, said), (2, said)]
    assert page_data(page, Path("report.html"))["documents"]["reason"] == {0: said, 1: said, 3: "it is a picture"}
