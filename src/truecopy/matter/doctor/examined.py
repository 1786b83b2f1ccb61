"""The whole of a matter, examined: every file and every row, also those that no question would touch.

`truecopy doctor --matter` asks this. Questions check the pieces that they read; here everything is read, one table and
one file at a time, and held to what it must be and to what the rest of the matter says. Nothing is changed, and nothing
about the result is kept in the matter: a verdict inside it could be forged with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from truecopy.errors import DiskTrouble, MatterError
from truecopy.matter.doctor.afresh import Afresh
from truecopy.matter.doctor.connected import wrong_families
from truecopy.matter.doctor.contents import wrong_signatures, wrong_text_files, wrong_texts, wrong_words
from truecopy.matter.doctor.described import wrong_facts, wrong_names, wrong_waves
from truecopy.matter.doctor.findings import MOST, WRONG, first_of
from truecopy.matter.doctor.indexed import wrong_indexes
from truecopy.matter.doctor.logged import wrong_log
from truecopy.matter.doctor.retold import differing_shingles, differing_signatures, differing_words
from truecopy.matter.doctor.segments import wrong_segments
from truecopy.matter.sql import rules
from truecopy.matter.state import State
from truecopy.matter.store import Store
from truecopy.stopping import check

Step = Callable[[State], Iterator[str]]

_STEPS: tuple[tuple[str, Step], ...] = (
    ("the database", partial(rules.damage, most=MOST)),
    ("the table audit", wrong_log),
    ("the cells of the database", rules.wrong_cells),
    ("the database", rules.broken),
    ("the table facts", wrong_facts),
    ("the table waves", wrong_waves),
    ("the table documents", wrong_names),
    ("the table families", wrong_families),
    ("the table segments", wrong_segments),
    ("the words", wrong_words),
    ("the stored texts", wrong_text_files),
    ("the signatures", wrong_signatures),
)
"""What is examined, and how."""
_THOROUGH: tuple[tuple[str, Step], ...] = (
    ("the stored texts", wrong_texts),
    ("the words", differing_words),
    ("the shingles", differing_shingles),
    ("the signatures", differing_signatures),
)
"""What takes as long as making the matter did."""


def examine(store: Store, *, thorough: bool = True) -> list[str]:
    """What is wrong with a matter, a sentence each; nothing, if all is whole. Without `thorough`, no text is unpacked,
    and no signature or index is made again.
    """
    indexes: Step = partial(wrong_indexes, thorough=thorough)
    steps = (*_STEPS, *(_THOROUGH if thorough else ()), ("the indexes", indexes))
    wrong: list[str] = []
    afresh = Afresh(store)
    for what, step in steps:
        check()
        try:
            with store.reading() as state:
                wrong += first_of(step(afresh.of(state)))
        except DiskTrouble:
            raise
        except MatterError as error:
            wrong.append(error.message)
        except WRONG as error:
            wrong.append(f"{what} cannot be examined to the end ({type(error).__name__})")
    return list(dict.fromkeys(wrong))
