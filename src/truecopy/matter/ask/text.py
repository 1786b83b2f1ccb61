"""The text of a document, as it was extracted."""

from __future__ import annotations

from truecopy.matter.bodies import decoded, stored_text
from truecopy.matter.sql.cells import wrong_cell
from truecopy.matter.sql.documents import Kept
from truecopy.matter.state import State


def text_of(state: State, kept: Kept) -> str:
    """Its text; empty where it has none."""
    text = None if kept.text is None else stored_text(state, kept.text)
    if text is None and kept.document.words:
        raise wrong_cell("documents.text")
    return "" if text is None else decoded(text)
