"""The HTML report: self-contained, safe with foreign text, complete, the same every time."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from report_fake import FakeMatter, FakePairs, document, pair

from truecopy.errors import DiskFull, TruecopyError
from truecopy.model import Document, Group, Grouping, Link, Linked, Member
from truecopy.report import contained, files, html, write_html
from truecopy.report.build import build_page
from truecopy.report.redlines import RedlineBudget, make_redlines

FILE = Path("report.html")

HOSTILE = (
    "<script>alert(1)</script>.txt",
    "\"' onmouseover='alert(2)' x=\".txt",
    "</style></title><img src=x onerror=alert(3)>.pdf",
    "{{ 7 * 7 }}{% for x in y %}.docx",
    "قرارات/اتفاقية الخدمات 2021.docx",
    "caf\udce9\x00.txt",
    "a" * 240 + ".txt",
)
VOID = {"meta", "input", "br", "img", "link", "hr"}


class Seen(HTMLParser):
    """Collects what a browser would: elements, attributes, text, and whether tags close in order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, key, value or "") for key, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, key, value or "") for key, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def seen(content: str) -> Seen:
    parser = Seen()
    parser.feed(content)
    parser.close()
    assert parser.open == []
    return parser


def sample() -> FakeMatter:
    """Two groups, a linked document, and hostile names that could not be read."""
    base = "The supplier shall deliver the goods within 30 days. " * 12
    principal, member, copy, linked, other, twin = (
        document(1, "<b>form</b>.txt", "principal", words=108),
        document(2, "form & co.txt", "member", words=108),
        document(3, "copy.txt", "same-text", words=108, copy_of="TC-000002"),
        document(4, "linked.txt", "linked"),
        document(5, "lease.txt", "principal"),
        document(6, "lease 2.txt", "member"),
    )
    bad = [document(10 + n, name, "unreadable", "It is <i>damaged</i>.") for n, name in enumerate(HOSTILE)]
    groups = (
        Group(principal.id, principal, (Member(member, 98.1481, "revision"), Member(copy, 98.1481, "revision"))),
        Group(other.id, other, (Member(twin, 85.0, "revision"),)),
    )
    return FakeMatter(
        [principal, member, copy, linked, other, twin, *bad],
        Grouping(80.0, "longest", groups, (Linked(linked, (Link("TC-000002", 83.25),)),)),
        {
            "TC-000001": base + "Nothing <script>else</script>.",
            "TC-000002": base.replace("30", "45", 2) + "Nothing <script>else</script> is agreed.",
            "TC-000005": base,
            "TC-000006": "A lease begins here. " + base,
        },
        FakePairs((pair(principal, member, 2, 108), pair(member, linked, 20, 119), pair(other, twin, 150))),
        FakePairs((pair(other, principal, -1, 108, "contains"),)),
    )


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_html(sample(), tmp_path_factory.mktemp("report") / "report.html").read_text("utf-8")


def data_of(content: str) -> dict[str, Any]:
    """What the page holds as data."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', content, re.DOTALL)
    assert found
    loaded: dict[str, Any] = json.loads(found[1])
    return loaded


def redlines_of(content: str) -> dict[int, dict[str, Any]]:
    """The redlines in the page, by the position of the member."""
    found = re.findall(r'<script type="application/json" id="redline-(\d+)">(.*?)</script>', content, re.DOTALL)
    return {int(position): json.loads(body) for position, body in found}


def test_nothing_is_asked_of_the_network(content: str) -> None:
    page = seen(content)
    assert {value[:1] for _, key, value in page.attributes if key in ("href", "src", "action", "data")} == {"#"}
    assert not {"link", "img", "iframe", "object", "base", "video", "audio"} & set(page.tags)
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|WebSocket|sendBeacon", content)
    assert "default-src 'none'" in content


def test_the_policy_admits_this_script_and_no_other(content: str) -> None:
    """Beside the one script there is only data, of a type that no browser runs."""
    script = re.findall(r"<script>(.*?)</script>", content, re.DOTALL)
    assert len(script) == 1
    digest = base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in content
    page = seen(content)
    types = [value for tag, key, value in page.attributes if (tag, key) == ("script", "type")]
    assert types == ["application/json"] * (page.tags.count("script") - 1)
    assert not [key for _, key, _ in page.attributes if key.startswith("on")]


def test_foreign_text_stays_text(content: str) -> None:
    """Names and texts that look like markup end no element: not in the page, and not in its data."""
    page = seen(content)
    text = "".join(page.text)
    for name in ("<script>alert(1)</script>.txt", "{{ 7 * 7 }}{% for x in y %}.docx", "caf�␀.txt"):
        assert name in text
    assert "It is <i>damaged</i>." in text
    assert "a" * 240 in text
    assert "<bdi>اتفاقية الخدمات 2021.docx</bdi>" in content
    data = data_of(content)
    assert "<b>form</b>.txt" in data["documents"]["path"]
    assert "It is <i>damaged</i>." in data["documents"]["reason"].values()
    pieces = "".join(piece[1] for redline in redlines_of(content).values() for piece in redline["pieces"])
    assert "<script>else</script>" in pieces
    assert content.count("<script") == content.count("</script>") == 2 + len(redlines_of(content))


def test_every_document_is_in_the_data_with_its_number_path_and_status(content: str) -> None:
    data = data_of(content)
    assert data["documents"]["id"] == [one.id for one in sample().documents_]
    statuses = [data["statuses"][status][0] for status in data["documents"]["status"]]
    assert statuses == [one.status for one in sample().documents_]


def test_every_document_is_in_exactly_one_list(content: str) -> None:
    data = data_of(content)
    listed = [one for _, principal, members, *_ in data["groups"] for one in (principal, *members)]
    listed += [one for one, *_ in data["linked"]]
    listed += [one for documents in data["lists"].values() for one in documents]
    assert sorted(listed) == list(range(len(sample().documents_)))


def test_a_member_has_the_similarity_and_kind_to_the_principal_and_the_id_of_its_original(content: str) -> None:
    data = data_of(content)
    _, principal, members, tenths, kinds = data["groups"][0]
    assert (principal, members, tenths) == (0, [1, 2], [981, 981])
    assert [data["kinds"][kind][0] for kind in kinds] == ["revision", "revision"]
    assert data["documents"]["copy"][:3] == [-1, -1, 1]


def test_the_figures_are_those_of_the_matter_and_add_up(content: str) -> None:
    figures = content[content.index('class="figures"') : content.index('<section id="documents">')]
    found = [int(number) for number in re.findall(r'class="figure">(\d+)<', figures)]
    assert found == [1, 2, 3, 7]  # copies, near copies, to read, not searched
    assert sum(found) == len(sample().documents_)


def test_what_was_not_searched_is_listed_with_its_reason_even_without_a_script(content: str) -> None:
    table = content[content.index('id="not-searched"') : content.index('<section id="likeness">')]
    text = "".join(seen(table[table.index("<table") : table.index("</table>") + len("</table>")]).text)
    assert [f"TC-{10 + n:06d}" in text for n in range(len(HOSTILE))] == [True] * len(HOSTILE)
    assert text.count("It is <i>damaged</i>.") == len(HOSTILE)


def test_without_a_script_the_page_says_where_the_lists_are(content: str) -> None:
    said = re.findall(r"<noscript>.*?</noscript>", content, re.DOTALL)
    assert "need a browser with JavaScript" in said[-1]
    assert "--xlsx" in said[-1]


def test_the_status_table_adds_up_and_counts_the_copies(content: str) -> None:
    table = re.search(r'<table class="statuses">(.*?)</table>', content, re.DOTALL)
    assert table
    body, _, foot = table[1].partition("<tfoot>")
    rows = re.findall(r'</th><td class="num">([\d,]+)</td><td[^>]*>[^<]*</td><td class="num">([\d,]*)</td>', body)
    assert sum(int(documents) for documents, _ in rows) == len(sample().documents_)
    assert sum(int(copies or 0) for _, copies in rows) == 1
    assert f'<td class="num">{len(sample().documents_)}</td>' in foot


def test_the_kinds_add_up_to_near_copies_and_copies(content: str) -> None:
    assert "3 members: 2 near copies and 1 copy." in content
    table = content[content.index("3 members: 2 near copies") :]
    assert re.search(r'<tfoot><tr><th scope="row">All</th><td class="num">3</td>', table)


def test_pictures_have_title_description_and_table(content: str) -> None:
    pictures = re.findall(r"<svg .*?</svg>", content, re.DOTALL)
    assert len(pictures) == 3
    for picture in pictures:
        name = re.search(r'aria-labelledby="(\w+)-t \1-d"', picture)
        assert name
        assert f'<title id="{name[1]}-t">' in picture
        assert f'<desc id="{name[1]}-d">' in picture
    assert content.count("The same as a table") == 2


def test_redlines_show_what_differs_and_copies_have_none_of_their_own(content: str) -> None:
    made = redlines_of(content)
    assert sorted(made) == [1, 5]  # the copy of the first member has that member's
    assert [2, "30", -1] in made[1]["pieces"]
    assert [1, "45"] in made[1]["pieces"]
    assert made[1]["changes"][0] == ["30", "45", 2]  # twice, listed once


def test_contained_texts_are_a_list_of_their_own(content: str) -> None:
    """The contained text first, then the document that holds it and how much of it."""
    data = data_of(content)
    assert [(one, holders, tenths) for one, holders, tenths, *_ in data["contained"]] == [(4, [0], [947])]
    assert [data["kinds"][kind][0] for kind in data["contained"][0][3]] == ["contained"]


def test_a_text_that_more_documents_hold_than_the_page_has_room_for_says_how_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contained, "MOST_CONTAINED", 3)
    documents = [document(n) for n in range(1, 7)]
    held = FakePairs(tuple(pair(documents[0], one, -1, 900, "contains") for one in documents[1:]))
    page = write_html(FakeMatter(documents, contains=held), tmp_path / "report.html").read_text("utf-8")
    found = data_of(page)
    assert [(one, len(holders), left) for one, holders, _, _, left in found["contained"]] == [(0, 3, 2)]
    assert "pairs --relation contains --threshold 80 --matter" in found["every"]


def test_the_picture_of_similarities_says_how_many_pairs_are_not_stored(tmp_path: Path) -> None:
    a, b = document(1), document(2)
    for left, said in ((4_321, "4,321 more such pairs of dense families are not stored"), (0, None)):
        stored = FakePairs((pair(a, b, 100),), left_out=left)
        page = write_html(FakeMatter([a, b], similar=stored), tmp_path / "report.html").read_text("utf-8")
        caption = page[page.index("1 stored pair of distinct texts") :].partition("</figcaption>")[0]
        assert said in caption if said else "not stored" not in caption


def test_the_method_states_what_a_lawyer_is_asked(content: str) -> None:
    text = "".join(seen(re.findall(r'<section id="method">.*?</section>', content, re.DOTALL)[0]).text)
    for said in (
        "exact: no pair is missed",
        "0.999",
        "Unicode 16.0.0",
        "0.1.0",
        "c0ffee",
        "100 · (1 − d / longer)",
    ):
        assert said in text


def test_the_same_matter_gives_the_same_bytes(tmp_path: Path) -> None:
    first = write_html(sample(), tmp_path / "a.html").read_bytes()
    assert write_html(sample(), tmp_path / "b.html").read_bytes() == first


def test_a_matter_without_documents_says_what_to_do(tmp_path: Path) -> None:
    content = write_html(FakeMatter(), tmp_path / "report.html").read_text("utf-8")
    seen(content)
    assert "holds no document yet" in content
    assert "truecopy add FOLDER --matter" in content


def test_thousands_that_were_not_searched_are_all_in_the_data_and_without_a_script_counted(tmp_path: Path) -> None:
    documents = [document(n, status="unreadable", reason="It is damaged.") for n in range(1, 1_006)]
    content = write_html(FakeMatter(documents), tmp_path / "report.html").read_text("utf-8")
    table = content[: content.index('id="data"')]
    assert "TC-001000" in table
    assert "TC-001001" not in table
    assert "And 5 more documents" in table
    assert data_of(content)["lists"][""] == list(range(1_005))


def families(count: int, size: int) -> tuple[FakeMatter, tuple[Group, ...]]:
    documents: list[Document] = []
    groups = []
    for at in range(count):
        several = [document(100 * at + n, words=10) for n in range(size)]
        documents += several
        members = tuple(Member(one, 99.0 - n, "revision") for n, one in enumerate(several[1:]))
        groups.append(Group(several[0].id, several[0], members))
    texts = {one.id: f"one two three {one.number} five six seven eight nine ten" for one in documents}
    return FakeMatter(documents, texts=texts), tuple(groups)


def test_redlines_go_round_the_groups_the_least_similar_member_first() -> None:
    matter, groups = families(3, 4)
    made = make_redlines(matter, groups, RedlineBudget(redlines=4))
    assert list(made.made) == [
        "TC-000003",
        "TC-000103",
        "TC-000203",
        "TC-000002",
    ]
    assert len(made.left) == 5


def test_the_budget_holds_in_words_and_in_characters() -> None:
    matter, groups = families(3, 4)
    assert len(make_redlines(matter, groups, RedlineBudget(words=79)).made) == 3
    assert len(make_redlines(matter, groups, RedlineBudget(characters=1)).made) == 1
    cut = next(iter(make_redlines(matter, groups, RedlineBudget(one=8)).made.values()))
    assert cut.shortened
    assert sum(len(piece.text) for piece in cut.pieces) == 8


def test_half_of_the_words_go_to_the_largest_groups_and_half_to_the_shortest_texts() -> None:
    def group(number: int, words: int) -> Group:
        principal, member = document(number, words=words), document(number + 1, words=words)
        return Group(principal.id, principal, (Member(member, 90.0, "revision"),))

    groups = (group(10, 40), group(20, 40), group(30, 30), group(40, 900), group(50, 5), group(60, 5))
    texts = {f"TC-{number:06d}": "some text" for number in range(70)}
    made = make_redlines(FakeMatter(texts=texts), groups, RedlineBudget(words=180, longest=100))
    assert list(made.made) == ["TC-000011", "TC-000051", "TC-000061", "TC-000031"]
    assert len(made.left) == 2


def test_what_the_budget_left_out_is_told() -> None:
    matter, groups = families(2, 3)
    matter.grouping = Grouping(80.0, "longest", groups, ())
    page = build_page(matter)
    content = html.render(page, make_redlines(matter, page.groups, RedlineBudget(redlines=1)), FILE)
    assert "1 redline is in this file. To keep the page quick, there was no room for 3 more members" in content
    more = "This command writes a page with more of them:"
    assert more in content
    assert more not in html.render(
        page, make_redlines(matter, page.groups, RedlineBudget(redlines=1)), FILE, thorough=True
    )


def test_a_report_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = write_html(FakeMatter(), tmp_path / "report.html")
    before = target.read_bytes()
    whole = Path.write_bytes

    def full(part: Path, content: bytes) -> int:
        whole(part, content[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.Path, "write_bytes", full)
    with pytest.raises(DiskFull, match="could not be written"):
        write_html(sample(), target)
    monkeypatch.undo()
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_in_place_of_the_folder_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TruecopyError, match="could not be written"):
        write_html(FakeMatter(), tmp_path / "file" / "report.html")


def test_importing_the_report_imports_nothing_heavy() -> None:
    code = (
        "import sys, truecopy.report; "
        "print(sorted({'jinja2', 'xlsxwriter', 'numba', 'numpy', 'sqlalchemy'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
