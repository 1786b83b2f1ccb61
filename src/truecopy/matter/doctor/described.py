"""What a matter says of itself: its facts, its groupings, how the pairs of each wave were found, documents' names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from truecopy.errors import BadSetting, MatterError
from truecopy.matter.sql import tables
from truecopy.matter.sql.groups import OWN
from truecopy.matter.state import State
from truecopy.matter.stored_json import stored_details
from truecopy.model import DOCUMENT, file_name


def wrong_facts(state: State) -> Iterator[str]:
    """Facts and settings that cannot be, and groupings that were made with others."""
    facts = state.facts.every()
    if facts.get("format") != str(tables.FORMAT) or set(facts) != {"format", "settings"}:
        yield "the table facts does not say what it should"
    settings = state.facts.settings()
    if state.groups.recorded() not in ([], [(OWN, DOCUMENT, settings.threshold, settings.rule)]):
        yield "the table groupings does not agree with the settings"
    try:
        replace(settings)  # as if it was made now
    except BadSetting as error:
        yield f"the matter has settings that nobody can give: {error.message}"


def wrong_waves(state: State) -> Iterator[str]:
    """Waves whose numbers do not follow one another, or whose details are of another form."""
    for place, (number, details) in enumerate(state.waves.stored(), 1):
        if number != place:
            yield f"the table waves has no wave {place}"
            return
        try:
            stored_details(details)
        except MatterError:
            yield f"the table waves does not say how the pairs of wave {place} were found"


def wrong_names(state: State) -> Iterator[str]:
    """Documents that are looked up by another name than that of their file."""
    for number, path, name in state.documents.names():
        if name != file_name(path):
            yield f"the table documents has another name for document {number} than its path"
