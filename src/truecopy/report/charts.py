"""The pictures, as inline SVG: no viewBox, all horizontal lengths in percent, so that labels keep their size
on a telephone and on a wide screen. Each has a title and a description for people who cannot see it;
the page has a table with the same numbers beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from truecopy.report.page import Bar

_HEIGHT = 168
_BASE = 140
"""Where the bars begin; the labels are below."""
_TOP = 26
"""Where the highest bar ends; its count is above."""


def columns(name: str, title: str, bars: Sequence[Bar], labels: Sequence[str], counts: bool) -> str:
    """A bar for each count, upright; `labels` go under the bars, "" for none."""
    most = max((bar.count for bar in bars), default=0) or 1
    step = 100 / max(len(bars), 1)
    parts = []
    for index, (bar, label) in enumerate(zip(bars, labels, strict=True)):
        left = step * index
        height = max(round((_BASE - _TOP) * bar.count / most, 1), 1.5) if bar.count else 0
        top = _BASE - height
        look = "bar" if bar.marked else "bar low"
        parts.append(
            f'<rect class="{look}" x="{left + step * 0.08:.3f}%" y="{top:g}" width="{step * 0.84:.3f}%" '
            f'height="{height:g}"><title>{escape(bar.label)}: {bar.count:,}</title></rect>'
        )
        middle = f"{left + step / 2:.3f}%"
        if bar.count and (counts or bar.count == most):
            parts.append(f'<text class="n" x="{middle}" y="{top - 5:g}">{bar.count:,}</text>')
        if label:
            parts.append(f'<text x="{middle}" y="{_BASE + 17}">{escape(label)}</text>')
    parts.append(f'<line class="base" x1="0" x2="100%" y1="{_BASE}" y2="{_BASE}"/>')
    return _svg(name, title, _told(bars), "".join(parts), _HEIGHT)


def histogram(name: str, title: str, bars: Sequence[Bar], threshold: float) -> str:
    """Columns from the floor to 100 with a line at the threshold and a label at every fifth point."""
    start = int(bars[0].label.split(" ", 1)[0])
    picture = columns(name, title, bars, ["" for _ in bars], counts=False)
    span = 100 - start
    marks = []
    for point in range(-(-start // 5) * 5, 101, 5 if span <= 40 else 10):
        # The outermost labels would be cut in half by the edge of the picture.
        anchor = "start" if point == start else "end" if point == 100 else "middle"
        at = 100 * (point - start) / span
        marks.append(f'<text x="{at:.3f}%" y="{_BASE + 17}" style="text-anchor:{anchor}">{point}</text>')
    if start < threshold < 100:
        at = 100 * (threshold - start) / span
        marks.append(
            f'<line class="rule" x1="{at:.3f}%" x2="{at:.3f}%" y1="4" y2="{_BASE}"/>'
            f'<text class="rule" x="{at:.3f}%" y="12" dx="{-6 if at > 50 else 6}" '
            f'style="text-anchor:{"end" if at > 50 else "start"}">threshold {threshold:g}</text>'
        )
    return picture.replace("</svg>", "".join(marks) + "</svg>")


def parts_bar(name: str, title: str, parts: Sequence[tuple[str, str, float]]) -> str:
    """One bar across the page; for each part its class, its label and its share in percent."""
    left = 0.0
    drawn = []
    for look, label, share in parts:
        if share:
            drawn.append(
                f'<rect class="part {look}" x="{left:.3f}%" y="0" width="{share:.3f}%" height="20">'
                f"<title>{escape(label)}</title></rect>"
            )
            if left:
                drawn.append(f'<line class="gap" x1="{left:.3f}%" x2="{left:.3f}%" y1="0" y2="20"/>')
            left += share
    told = "; ".join(label for _, label, share in parts if share)
    return _svg(name, title, told, "".join(drawn), 20)


def _told(bars: Sequence[Bar]) -> str:
    return "; ".join(f"{bar.label}: {bar.count:,}" for bar in bars if bar.count)


def _svg(name: str, title: str, description: str, body: str, height: int) -> str:
    return (
        f'<svg class="chart" role="img" aria-labelledby="{name}-t {name}-d" width="100%" height="{height}">'
        f'<title id="{name}-t">{escape(title)}</title><desc id="{name}-d">{escape(description)}</desc>'
        f"{body}</svg>"
    )
