"""truecopy: copies, near copies, versions, excerpts and re-used clauses in document collections.

    >>> import truecopy as tc
    >>> matter = tc.scan("dataroom", matter="matter")      # doctest: +SKIP
    >>> matter.groups(90)                                  # doctest: +SKIP
    <Grouping: 76 groups, 1 linked at 90 %>
    >>> matter.similar("draft.docx", 85).to_pandas()       # doctest: +SKIP
    >>> tc.compare("a.docx", "b.pdf").similarity           # doctest: +SKIP
    >>> page = tc.redline("a.docx", "b.pdf")               # doctest: +SKIP

Names are loaded when they are first used: importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from truecopy._version import __version__

if TYPE_CHECKING:
    from truecopy.api import Scan, create, redline, scan
    from truecopy.api import compare_files as compare
    from truecopy.api import open_matter as open
    from truecopy.errors import TruecopyError
    from truecopy.matter.ask.near import Answer
    from truecopy.matter.ask.pairs import Pairs
    from truecopy.matter.matter import Matter
    from truecopy.model import (
        Comparison,
        Difference,
        Document,
        Documents,
        Group,
        Grouping,
        Hit,
        Pair,
        SimilarHits,
    )
    from truecopy.settings import MatterSettings

_WHERE = {
    "Answer": ("truecopy.matter.ask.near", "Answer"),
    "Comparison": ("truecopy.model", "Comparison"),
    "Difference": ("truecopy.model", "Difference"),
    "Document": ("truecopy.model", "Document"),
    "Documents": ("truecopy.model", "Documents"),
    "Group": ("truecopy.model", "Group"),
    "Grouping": ("truecopy.model", "Grouping"),
    "Hit": ("truecopy.model", "Hit"),
    "Matter": ("truecopy.matter.matter", "Matter"),
    "MatterSettings": ("truecopy.settings", "MatterSettings"),
    "Pair": ("truecopy.model", "Pair"),
    "Pairs": ("truecopy.matter.ask.pairs", "Pairs"),
    "Scan": ("truecopy.api", "Scan"),
    "SimilarHits": ("truecopy.model", "SimilarHits"),
    "TruecopyError": ("truecopy.errors", "TruecopyError"),
    "compare": ("truecopy.api", "compare_files"),
    "create": ("truecopy.api", "create"),
    "open": ("truecopy.api", "open_matter"),
    "redline": ("truecopy.api", "redline"),
    "scan": ("truecopy.api", "scan"),
}


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        module, attribute = _WHERE[name]
        return getattr(import_module(module), attribute)
    raise AttributeError(f"module 'truecopy' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "Answer", "Comparison", "Difference", "Document", "Documents", "Group", "Grouping", "Hit", "Matter",
    "MatterSettings", "Pair", "Pairs", "Scan", "SimilarHits", "TruecopyError", "__version__", "compare", "create",
    "open", "redline", "scan",
]  # fmt: skip
