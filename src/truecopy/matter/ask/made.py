"""How a matter was made: versions, settings, recall, times, and the heads of its audit log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from truecopy._version import __version__
from truecopy.match.relations import RELATION_NAMES, relation_named
from truecopy.matter.state import State
from truecopy.model import Wave


@dataclass(frozen=True, slots=True)
class Facts:
    """What a report must say about how it was made."""

    version: str
    unicode: str
    settings: dict[str, Any]
    recall: dict[str, str]
    """For each relation, a sentence on what share of its pairs is found."""
    generator: str
    made: str
    audit_head: str
    seconds: dict[str, float]
    waves: list[Wave]


def facts_of(state: State) -> Facts:
    """How the matter was made."""
    from truecopy.text import UNICODE

    waves, details, made_with = state.waves.every(), state.waves.details(), state.facts.settings()
    seconds: dict[str, float] = {}
    for wave in details:
        for stage, taken in wave["seconds"].items():
            seconds[stage] = seconds.get(stage, 0.0) + taken
    found = {
        name: _recall_sentence(lowest_recall(details) if row.recall is None else row.recall, row.floor_of(made_with))
        for name in RELATION_NAMES
        for row in [relation_named(name)]
    }
    generators = ", ".join(sorted({wave["generator"] for wave in details})) or "none yet"
    made_at = waves[-1].added if waves else ""
    settings = made_with.as_json()
    given = list(dict.fromkeys(rule for wave in details for rule in wave.get("encoding", ())))
    if given:
        settings["encoding"] = given
    return Facts(__version__, UNICODE, settings, found, generators, made_at, state.audit.head(), seconds, waves)


def heads_since_wave(state: State) -> list[str]:
    """The heads of the audit log since the last wave: a report that names one of them knows every wave."""
    return state.audit.hashes_since("add")


def lowest_recall(details: Sequence[dict[str, Any]]) -> float:
    """The lowest share of the pairs at the floor that any wave has found, from the details of all."""
    return float(min([wave["recall"] for wave in details], default=1.0))


def _recall_sentence(recall: float, floor: float) -> str:
    if recall >= 1:
        return f"exact: no pair at {floor:g} or more is missed"
    return f"at least {100 * recall:.2f} % of the pairs at {floor:g} are found, and more of the closer ones"
