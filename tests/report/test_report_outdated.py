"""A page that is out of date says so in the file itself, until it is written anew."""

from __future__ import annotations

from pathlib import Path

from report_fake import FakeMatter, document

from truecopy.report import mark_outdated, write_html


def test_the_banner_is_put_on_once_and_gone_with_a_new_report(tmp_path: Path) -> None:
    matter = FakeMatter([document(1)])
    page = write_html(matter, tmp_path / "report.html")
    fresh = page.read_bytes()
    assert mark_outdated(page, tmp_path / "my matter", "<wave> 2", 3)
    assert mark_outdated(page, tmp_path / "my matter", "wave 3", 1)
    content = page.read_text("utf-8")
    assert content.count('class="outdated" role="alert"') == 1
    assert "the wave “wave 3” (1 document) was added" in content
    assert "truecopy report --matter" in content
    assert content.index('class="outdated"') < content.index("<header>")
    write_html(matter, page)
    assert page.read_bytes() == fresh


def test_a_wave_that_is_named_like_markup_stays_text(tmp_path: Path) -> None:
    page = write_html(FakeMatter([document(1)]), tmp_path / "report.html")
    mark_outdated(page, tmp_path, "<script>alert(1)</script>", 3)
    assert "“&lt;script&gt;alert(1)&lt;/script&gt;”" in page.read_text("utf-8")


def test_a_page_of_an_earlier_version_gets_its_banner_too_and_another_file_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text('<!doctype html><html><body class="x"><h1>Report</h1></body></html>')
    assert mark_outdated(page, tmp_path, "wave 2", 3)
    assert "out of date" in page.read_text("utf-8")
    other = tmp_path / "notes.html"
    other.write_text("no page at all")
    assert not mark_outdated(other, tmp_path, "wave 2", 3)
    assert other.read_text() == "no page at all"
