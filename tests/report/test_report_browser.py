"""The report and the redline page in a real Chromium: quick with thousands of groups, by keyboard, on paper, offline.

Times are those that the page's own thread is busy, so that they hold on a busy machine too.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from report_browser import Browser, chromium
from report_fake import FakeMatter, FakePairs, document, pair

from truecopy.match.compare import compare
from truecopy.matter.ask.sides import Side
from truecopy.model import Document, Group, Grouping, Link, Linked, Member
from truecopy.report import RedlineBudget, contained, mark_outdated, redline_page, write_html
from truecopy.report.build import build_page
from truecopy.report.html import render
from truecopy.report.page import Redlines

GROUPS = 3_374
DOCUMENTS = 16_954
CONTAINED = 1_745
NAMES = ("introduced-in-house", "engrossed-in-house", "placed-on-calendar-senate", "enrolled-bill")


def big_matter() -> FakeMatter:
    """As many groups and documents as the bills have: one of 98 documents, some dozens of more than ten, many small;
    and as many contained texts, some of them in hundreds of documents.
    """
    sizes = [98, 76, 71, 63, 50, 43] + [25 - n // 3 for n in range(36)] + [4] * 300 + [3] * 800
    sizes += [2] * (GROUPS - len(sizes))
    documents: list[Document] = []
    groups = []

    def make(status: str, **more: str) -> Document:
        number = len(documents) + 1
        path = f"{'hr' if number % 3 else 's'}/{number % 17:02d}/bill{number}__00_{NAMES[number % 4]}.txt"
        documents.append(document(number, path, status, **more))
        return documents[-1]

    for size in sizes:
        principal = make("principal")
        members = [
            Member(make("member"), 80.0 + (n + size) % 20, "revision")
            if n % 3
            else Member(make("same-file", copy_of=principal.id), 100.0, "same-file")
            for n in range(1, size)
        ]
        groups.append(Group(principal.id, principal, tuple(members)))
    while len(documents) < DOCUMENTS:
        make("unique")
    holders = [296] * 20 + [150] * 100 + [14] * (CONTAINED - 120)
    held = [
        pair(documents[-1 - n], documents[n + at], -1, 900, "contains")
        for n, size in enumerate(holders)
        for at in range(size)
    ]
    return FakeMatter(documents, Grouping(80.0, "longest", tuple(groups), ()), contains=FakePairs(tuple(held)))


def small_matter() -> FakeMatter:
    base = "The supplier shall deliver the goods within 30 days. " * 12
    form, second, copy = (
        document(1, "forms/form <b>.txt", "principal", words=108),
        document(2, "forms/second form.txt", "member", words=108),
        document(3, "archive/copy.txt", "same-text", words=108, copy_of="TC-000002"),
    )
    many = [document(10 + n, f"leases/lease {n}.txt", "principal" if n == 0 else "member") for n in range(14)]
    linked, loose = document(40, "linked.txt", "linked"), document(41, "letters/قرارات 100% #1.txt", "unique")
    lost = document(42, "scans/scan.pdf", "unsearchable", "it is a picture, and OCR is off")
    groups = (
        Group(form.id, form, (Member(second, 98.1481, "revision"), Member(copy, 98.1481, "revision"))),
        Group(many[0].id, many[0], tuple(Member(one, 99.0 - one.number / 2, "insertion") for one in many[1:])),
    )
    return FakeMatter(
        [form, second, copy, *many, linked, loose, lost],
        Grouping(80.0, "longest", groups, (Linked(linked, (Link("TC-000002", 83.25),)),)),
        {"TC-000001": base, "TC-000002": base.replace("30", "45", 2)} | {one.id: base for one in many},
        contains=FakePairs((pair(loose, form, -1, 108, "contains"),)),
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_html(big_matter(), tmp_path_factory.mktemp("big") / "report.html", budget=RedlineBudget(redlines=0))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_html(small_matter(), tmp_path_factory.mktemp("small") / "report.html")


def painted(browser: Browser) -> None:
    browser.run("new Promise(done => requestAnimationFrame(() => setTimeout(() => setTimeout(done))))")


def set_to(name: str, value: str, event: str) -> str:
    """A script that gives a field a value, as a person does."""
    box = f"document.getElementById({name!r})"
    return f"(box => {{ box.value = {value!r}; box.dispatchEvent(new Event({event!r})); }})({box})"


def seek(browser: Browser, text: str) -> str:
    """Put a text into the filter; what the page says of it."""
    browser.run(set_to("filter", text, "input"))
    painted(browser)
    said: str = browser.run("document.getElementById('filter-told').textContent")
    return said


def texts(browser: Browser, selector: str) -> list[str]:
    found: list[str] = browser.run(
        f"[...document.querySelectorAll({selector!r})].filter(one => one.checkVisibility()).map(one => one.textContent)"
    )
    return found


def busy(browser: Browser, script: str) -> tuple[float, float]:
    """Seconds that the page's thread is busy, and seconds on the wall, until what a script did is painted."""

    def metrics() -> float:
        listed = browser.call("Performance.getMetrics")["metrics"]
        return float({each["name"]: each["value"] for each in listed}["TaskDuration"])

    before = metrics()
    wall: float = browser.run(
        f"(async () => {{ const start = performance.now(); {script};"
        "await new Promise(done => requestAnimationFrame(() => setTimeout(done)));"
        "return performance.now() - start; })()"
    )
    return metrics() - before, wall / 1000


# Thousands of groups


def test_thousands_of_groups_open_in_two_seconds_and_ask_for_nothing(browser: Browser, big: Path) -> None:
    browser.call("Performance.enable", timeDomain="threadTicks")
    assert min(browser.open(big) for _ in range(3)) <= 2.0
    assert browser.asked() == [big.as_uri()]
    assert browser.complaints() == []
    assert texts(browser, "[data-total=groups]") == ["3,374"]


def test_the_filter_answers_in_a_tenth_of_a_second(browser: Browser, big: Path) -> None:
    """Whatever is sought: what nearly every document has, some have, one has, none has."""
    browser.call("Performance.enable", timeDomain="threadTicks")
    browser.open(big)
    browser.run("document.getElementById('lists').scrollIntoView()")
    painted(browser)
    for sought in ("b", "hr", "senate", "hr senate 11", "TC-000123", "nowhere"):
        tries = []
        for _ in range(4):
            seek(browser, "")
            tries.append(busy(browser, set_to("filter", sought, "input")))
        assert min(thread for thread, _ in tries) <= 0.1, (sought, tries)


@pytest.mark.parametrize("order", ["lowest", "path", "size"])
def test_sorting_takes_a_tenth_of_a_second(browser: Browser, big: Path, order: str) -> None:
    browser.call("Performance.enable", timeDomain="threadTicks")
    browser.open(big)
    script = (
        f"const box = document.getElementById('sort'); box.value = {order!r}; box.dispatchEvent(new Event('change'))"
    )
    tries = [busy(browser, script) for _ in range(4)]
    assert min(thread for thread, _ in tries) <= 0.1, tries


def test_only_what_is_near_the_screen_is_rendered_and_the_rest_when_it_comes_near(browser: Browser, big: Path) -> None:
    browser.open(big)
    count = "document.querySelectorAll('details.group').length"
    assert browser.run(count) < 200
    browser.run("document.querySelector('#group-list').lastElementChild.scrollIntoView()")
    painted(browser)
    browser.run("new Promise(done => setTimeout(done, 300))")
    last = big_matter().grouping.groups[-1].principal.id
    assert last in "".join(texts(browser, "details.group .name"))
    assert browser.run(count) < 400


def test_the_answer_of_the_filter_is_on_the_screen_wherever_one_was_before(browser: Browser, big: Path) -> None:
    browser.open(big)
    browser.run("document.querySelector('#group-list').lastElementChild.scrollIntoView()")
    painted(browser)
    seek(browser, "TC-000002")
    place = browser.run("document.querySelector('#group-list tr.hit').getBoundingClientRect().top")
    assert 0 < place < 900


# What the lists show


def test_groups_over_ten_documents_are_closed_and_the_others_open(browser: Browser, small: Path) -> None:
    browser.open(small)
    browser.run("document.getElementById('lists').scrollIntoView()")
    painted(browser)
    sizes = browser.run(
        "[...document.querySelectorAll('#group-list details')].map(one => [one.item.rows.length + 1, one.open])"
    )
    assert sizes == [[14, False], [3, True]]


def test_a_row_has_similarity_and_kind_to_the_principal_the_original_and_the_status(
    browser: Browser, small: Path
) -> None:
    browser.open(small)
    rows = texts(browser, "#group-TC-000001 tbody tr")
    assert [re.sub(r"\s+", " ", row) for row in rows] == [
        "TC-000001forms/form <b>.txt108principal",
        "TC-000002forms/second form.txt10898.1revisionmember redline",
        "TC-000003archive/copy.txt10898.1revisionsame-text copy of TC-000002redline",
    ]


def test_the_filter_opens_and_marks_its_hits_in_every_list(browser: Browser, small: Path) -> None:
    browser.open(small)
    said = seek(browser, "LEASE 13.txt")
    assert said == "1 document found: 1 group"
    assert browser.run("document.querySelector('#group-TC-000010').open")
    assert texts(browser, "#group-list tr.hit .path") == ["leases/lease 13.txt"]
    assert texts(browser, "#group-list tr.hit mark") == ["lease", "lease", "13.txt"]
    assert texts(browser, "#group-TC-000001") == []
    assert "Show the other 12" in texts(browser, "#group-TC-000010 .rest button")
    browser.run("document.querySelector('#group-TC-000010 .rest button').click()")
    assert len(texts(browser, "#group-TC-000010 tbody tr")) == 14
    assert seek(browser, "scan.pdf") == "1 document found: 1 not searched"
    assert texts(browser, "#not-searched tbody .reason") == ["it is a picture, and OCR is off"]
    assert texts(browser, "#not-searched tr.hit mark") == ["scan.pdf"]
    assert seek(browser, "letters") == "1 document found: 1 contained text, 1 document in no group"
    assert texts(browser, "#rest tr.hit .path") == ["letters/قرارات 100% #1.txt"]
    assert texts(browser, "[data-total=rest]") == ["1 of 1"]
    assert "No document here" in seek(browser, "nowhere")
    assert seek(browser, "") == ""
    assert len(texts(browser, "#group-list details.group")) == 2


def test_a_contained_text_shows_its_kinds_and_how_many_more_hold_it(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contained, "MOST_CONTAINED", 2)
    documents = [document(n) for n in range(1, 6)]
    held = [pair(documents[0], one, -1, 900, "contains") for one in documents[1:]]
    held[0] = replace(held[0], kind="elaboration")
    browser.open(write_html(FakeMatter(documents, contains=FakePairs(tuple(held))), tmp_path / "report.html"))
    assert texts(browser, "#contained-list summary .size") == ["in 4 documents"]
    assert texts(browser, "#contained-list tbody .id .id") == ["TC-000002", "TC-000003"]
    assert texts(browser, "#contained-list .kind") == ["elaboration", "contained"]
    [said] = texts(browser, "#contained-list p.more")
    assert said.startswith("2 more documents hold this text, no more of it than those above.")
    assert "truecopy pairs --relation contains --threshold 80" in said
    assert browser.complaints() == []


def test_a_kind_shows_the_groups_and_rows_of_that_kind(browser: Browser, small: Path) -> None:
    browser.open(small)
    at = browser.run("[...document.getElementById('filter-kind').options].find(one => one.text === 'insertion').value")
    browser.run(set_to("filter-kind", at, "change"))
    painted(browser)
    assert texts(browser, "#group-list .name .id") == ["TC-000010"]
    assert len(texts(browser, "#group-list tr.hit")) == 8  # and a button for the others
    assert texts(browser, "#group-list .more-rows button") == ["Show 5 more", "Show all 13"]


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        ("size", ["TC-000010", "TC-000001"]),
        ("lowest", ["TC-000010", "TC-000001"]),
        ("path", ["TC-000001", "TC-000010"]),
    ],
)
def test_groups_are_sorted_as_asked(browser: Browser, small: Path, order: str, ids: list[str]) -> None:
    browser.open(small)
    browser.run(set_to("sort", order, "change"))
    painted(browser)
    assert texts(browser, "#group-list summary .name .id") == ids


def test_a_redline_opens_in_its_row_and_a_copy_has_that_of_its_original(browser: Browser, small: Path) -> None:
    browser.open(small)
    browser.run("document.querySelectorAll('#group-TC-000001 .show').forEach(one => one.click())")
    assert texts(browser, "#group-TC-000001 .changes li") == ["30 → 45 ×2"] * 2
    assert texts(browser, "#group-TC-000001 .text del") == ["30", "30"] * 2
    assert "as in TC-000002, of which it is a copy" in texts(browser, "#group-TC-000001 .about")[1]


def test_a_redline_that_is_not_in_the_page_comes_with_the_command_that_makes_it(browser: Browser, big: Path) -> None:
    """The command can be pasted: the matter's folder has a blank in its name."""
    browser.open(big)
    browser.run("(() => { const one = document.querySelector('#group-TC-000001'); one.open = true; })()")
    painted(browser)
    browser.run("document.querySelector('#group-TC-000001 .show').click()")
    matter = Path("sample matter").absolute()
    said = texts(browser, "#group-TC-000001 .under code")
    assert re.fullmatch(
        rf"truecopy compare TC-000001 (TC-\d+) --matter '{re.escape(str(matter))}' --html TC-000001-\1\.html", said[0]
    )


def test_a_redline_that_is_beside_the_page_is_linked_from_its_row(browser: Browser, tmp_path: Path) -> None:
    matter = small_matter()
    page = build_page(matter)
    report = tmp_path / "report.html"
    redlines = Redlines({}, ((page.groups[1], page.groups[1].members[0]),), {"TC-000002": "./report-files/one.html"})
    report.write_text(render(page, redlines, report), "utf-8")
    (tmp_path / "report-files").mkdir()
    (tmp_path / "report-files" / "one.html").write_text("<!doctype html><title>x</title>the redline")
    browser.open(report)
    browser.run("document.querySelectorAll('#group-TC-000001 .show').forEach(one => one.click())")
    addresses = browser.run("[...document.querySelectorAll('#group-TC-000001 .under a')].map(one => one.href)")
    assert len(addresses) == 2  # the member's, and that of its copy
    browser.open(addresses[0])
    assert browser.run("document.body.innerText") == "the redline"
    assert addresses[0] == addresses[1]


def test_links_lead_to_the_files_whatever_their_names(browser: Browser, tmp_path: Path) -> None:
    room = tmp_path / "the room"
    names = ["a b/100% #1?.txt", "قرارات/合同 & ü.txt", "it's (a) [b]!*~;,=+.txt"]
    for name in names:
        (room / name).parent.mkdir(parents=True, exist_ok=True)
        (room / name).write_text("here")
    documents = [document(n + 1, name, root=str(room)) for n, name in enumerate(names)]
    documents[0] = document(1, names[0], "unreadable", "It is damaged.", root=str(room))
    page = write_html(FakeMatter(documents), tmp_path / "matter" / "report.html")
    browser.open(page)
    browser.run("document.querySelector('#list-unique').open = true")
    painted(browser)
    addresses = browser.run("[...document.querySelectorAll('a.path')].map(one => one.href)")
    assert len(addresses) == len(names)
    for address in addresses:
        browser.open(address)
        assert browser.run("document.body.innerText") == "here"


def test_names_and_texts_that_look_like_code_run_nowhere(browser: Browser, tmp_path: Path) -> None:
    """In lists, links, redlines and the filter; the page's policy has nothing to refuse."""
    names = [
        "</script><script>window.hacked=1</script>.txt", "<!--<script>window.hacked=1</script>.txt",
        "<img src=x onerror=window.hacked=1>.txt", "javascript:window.hacked=1",
        "\u2028\u2029'\"`${window.hacked=1}.txt",
    ]  # fmt: skip
    documents = [
        document(n + 1, name, "principal" if n == 0 else "member", root="/room") for n, name in enumerate(names)
    ]
    documents += [document(10, names[0], "unique"), document(11, names[1], "unsearchable", names[2])]
    text = "One <script>window.hacked=1</script> two <img src=x onerror=window.hacked=1> three. "
    group = Group("TC-000001", documents[0], tuple(Member(one, 90.0, "revision") for one in documents[1:5]))
    matter = FakeMatter(
        documents,
        Grouping(80.0, "longest", (group,), ()),
        {one.id: text * 9 + f"Number {one.number} ends <b>here</b>." for one in documents},
    )
    browser.open(write_html(matter, tmp_path / "report.html"))
    browser.run("document.getElementById('lists').scrollIntoView()")
    seek(browser, "<script>window")
    seek(browser, "")
    browser.run("document.querySelectorAll('.show').forEach(one => one.click())")
    browser.run("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    painted(browser)
    assert len(texts(browser, ".redline .text")) == 4
    assert browser.run("window.hacked") is None
    assert browser.complaints() == []
    assert browser.run("document.querySelectorAll('script:not([type])').length") == 1
    assert browser.run("document.querySelectorAll('img, iframe, .text b, .path b, .reason img').length") == 0
    links = browser.run("[...document.querySelectorAll('a.path')].map(one => new URL(one.href).protocol)")
    assert set(links) == {"file:"}


# Keyboard, no script, paper


def test_everything_is_reached_by_the_keyboard(browser: Browser, small: Path) -> None:
    browser.open(small)
    browser.press("/")
    assert browser.run("document.activeElement.id") == "filter"
    for letter in "second":
        browser.press(letter)
    painted(browser)
    assert browser.run("document.getElementById('filter-told').textContent") == (
        "1 document found: 1 group, 1 linked document"
    )
    browser.press("Escape")
    assert browser.run("document.getElementById('filter').value") == ""
    browser.run("document.activeElement.blur()")
    browser.press("j")
    browser.press("j")
    focused = "document.activeElement.closest('details').id"
    assert browser.run(focused) == "group-TC-000001"
    browser.press("k")
    assert browser.run(focused) == "group-TC-000010"
    browser.press("Enter")
    painted(browser)
    assert browser.run("document.querySelector('#group-TC-000010').open")
    for _ in range(30):
        browser.press("Tab")
        if browser.run("document.activeElement.className") == "show":
            break
    browser.press("Enter")
    assert browser.run("document.activeElement.getAttribute('aria-expanded')") == "true"
    assert texts(browser, "#group-TC-000010 .under") != []


def test_the_address_of_a_group_opens_it(browser: Browser, small: Path) -> None:
    browser.open(f"{small.as_uri()}#group-TC-000010")
    painted(browser)
    assert browser.run("document.querySelector('#group-TC-000010').open")
    assert len(texts(browser, "#group-TC-000010 tbody tr")) == 14


def test_without_a_script_the_page_is_a_summary_that_says_where_the_lists_are(browser: Browser, small: Path) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    laid_out = ""
    try:
        browser.call("Page.navigate", url=small.as_uri())
        for _ in range(100):
            tree = browser.call("DOMSnapshot.captureSnapshot", computedStyles=[])
            laid_out = " ".join(tree["strings"][at] for at in tree["documents"][0]["layout"]["text"] if at >= 0)
            if "Audit log head" in laid_out:
                break
            time.sleep(0.1)
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
    assert "not searched" in laid_out
    assert "it is a picture, and OCR is off" in laid_out
    assert "need a browser with JavaScript" in laid_out
    assert "Filter by name" not in laid_out


def test_on_paper_every_group_is_unfolded_and_the_screen_is_as_before(
    browser: Browser, small: Path, tmp_path: Path
) -> None:
    browser.open(small)
    browser.run(
        "addEventListener('beforeprint', () => { window.printed = [...document.querySelectorAll('#group-list details')]"
        ".map(one => [one.open, one.querySelectorAll('tbody tr').length]); })"
    )
    paper = browser.paper(tmp_path / "report.pdf")
    assert paper.read_bytes().startswith(b"%PDF")
    assert browser.run("window.printed") == [[True, 14], [True, 3]]
    painted(browser)
    open_again = "[...document.querySelectorAll('#group-list details')].map(one => one.open)"
    assert browser.run(open_again) == [False, True]


@pytest.mark.parametrize("width", [1400, 390])
def test_nothing_is_wider_than_the_screen(browser: Browser, small: Path, width: int) -> None:
    browser.open(small, width, 844)
    browser.run("document.querySelectorAll('.show').forEach(one => one.click())")
    assert browser.run("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("width", "least"), [(1400, 380), (1000, 320), (390, 340)])
@pytest.mark.parametrize("section", ["not-searched", "doubted"])
def test_reasons_and_doubts_have_the_room_of_a_sentence(
    browser: Browser, tmp_path: Path, section: str, width: int, least: int
) -> None:
    """Beside long paths and copies, and on a narrow screen below them."""
    path = "A folder with a long name, as data rooms have them/Master services agreement, final version {}.pdf"
    why = "read as mac-roman with doubt: its bytes fit iso8859-15 as well"
    documents = [
        replace(document(1, path.format(1), status="unreadable"), reason="not a valid PDF: it is damaged or cut off"),
        replace(document(2, path.format(2), status="unreadable"), reason="password-protected", copy_of="TC-000001"),
        replace(document(3, path.format(3)), reason=why, doubt=why),
    ]
    page = write_html(FakeMatter(documents), tmp_path / "page.html")
    browser.open(page, width, 900)
    cells = f"[...document.querySelectorAll('#{section} tbody td:last-child')]"
    widths = browser.run(f"{cells}.map(one => one.getBoundingClientRect().width)")
    assert widths
    assert min(widths) >= least
    assert browser.run("document.documentElement.scrollWidth") <= width


def test_the_banner_of_a_page_that_is_out_of_date_is_the_first_thing_seen(browser: Browser, tmp_path: Path) -> None:
    page = write_html(small_matter(), tmp_path / "report.html")
    mark_outdated(page, tmp_path, "wave 2", 5)
    browser.open(page)
    top: dict[str, Any] = browser.run("document.querySelector('.outdated').getBoundingClientRect().toJSON()")
    assert 0 <= top["top"] < 100
    assert top["height"] > 20
    assert browser.complaints() == []


# The redline page


def test_the_redline_page_leads_from_change_to_change_and_to_the_other_place_of_a_move(
    browser: Browser, tmp_path: Path
) -> None:
    moved = "Title passes on payment of the price and on nothing else that the parties have agreed. "
    middle = " ".join(f"Clause {n} binds party {7 * n} for {n + 3} months." for n in range(1, 80)) + " "
    a, b = moved + middle, middle.replace("party 7 ", "party 70 ") + moved
    found = compare(a, b)
    page = tmp_path / "redline.html"
    page.write_text(redline_page(Side("a.txt", a, "1", ""), Side("b.txt", b, "2", ""), found), "utf-8")
    browser.open(page)
    assert browser.complaints() == []
    now = "document.querySelector('.now')?.textContent"
    stops = []
    for _ in range(3):
        browser.press("n")
        stops.append(browser.run(now))
    assert stops[0].startswith("Title passes")
    assert stops[1] == "7"
    browser.press("p")
    assert browser.run(now) == stops[1]
    browser.run("document.querySelector('a.gone').click()")
    painted(browser)
    place = browser.run("document.querySelector('a.come').getBoundingClientRect().top")
    assert 0 <= place < 900
    assert browser.run("getComputedStyle(document.querySelector('ins')).textDecorationLine") == "underline"
    assert browser.run("getComputedStyle(document.querySelector('del')).textDecorationLine") == "line-through"
