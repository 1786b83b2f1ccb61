"""What the audit log must say, because the rest of the matter says it too.

The chain shows that nothing was changed or taken out between the first entry and the last. It cannot show what is
missing after its last entry: an emptied log is whole in itself. So waves, signatures, floors and the names of files,
each of which came with an entry, are held against the entries that are there. What left no such trace, an index that
was made again and has been replaced since, can be cut off unnoticed; only a hash that was kept elsewhere shows that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from truecopy.errors import MatterError
from truecopy.match.relations import RELATION_NAMES, relation_named
from truecopy.matter.state import State
from truecopy.matter.stored_json import parsed

_SERIAL = re.compile(r"(?:index|wave)-.*\.([0-9]{6,15})\.segment")
"""A file's name ends with the number of the entry that it was written with."""
_LONGEST = 1 << 20
"""Code points of an entry's details: a name and some numbers, or the names of damaged files."""


def wrong_log(state: State) -> Iterator[str]:
    """What is wrong with the chain and, if it is whole, what the log does not say though it happened."""
    wrong = state.audit.wrong()
    yield from wrong or _untold(state)


def _untold(state: State) -> Iterator[str]:
    added: list[tuple[Any, Any]] = []
    signed: dict[str, Any] = {}
    floors: dict[str, Any] = {}
    last = 0
    for entry in state.audit.entries():
        last = entry.number
        details = _details(entry.details)
        if details is None:
            yield f"audit entry {entry.number} does not say what was done"
        elif entry.action == "add":
            added.append((details.get("wave"), details.get("documents")))
        elif entry.action == "sign":
            signed[str(details.get("method"))] = details.get("spec")
        elif entry.action == "floor":
            floors[str(details.get("relation"))] = details.get("to")
    yield from _unlike_waves(state, added)
    for method, spec in state.signings.every().items():
        if json.dumps(signed.get(method), sort_keys=True) != json.dumps(spec.as_json(), sort_keys=True):
            yield f"the audit log does not say that the matter was signed with {method} as it is"
    yield from _unlike_floors(state, floors)
    serials = [int(found[1]) for name in state.files.names() if (found := _SERIAL.fullmatch(name))]
    if max(serials, default=0) > last:
        yield f"the audit log ends with entry {last}, but the matter has a file of entry {max(serials)}"


def _details(text: str) -> dict[str, Any] | None:
    try:
        found = parsed("audit.details", text, _LONGEST)
    except MatterError:
        return None
    return found if isinstance(found, dict) else None


def _unlike_waves(state: State, added: list[tuple[Any, Any]]) -> Iterator[str]:
    """Each wave has one entry, in order, with its name and the number of its documents."""
    waves = [(wave.name, wave.documents) for wave in state.waves.every()]
    if len(added) < len(waves):
        yield f"the audit log has entries of {len(added)} added waves, but the matter has {len(waves)}"
    elif added != waves:
        yield "the audit log tells of other waves than the matter has"


def _unlike_floors(state: State, floors: dict[str, Any]) -> Iterator[str]:
    settings = state.facts.settings()
    for relation in RELATION_NAMES:
        floor = relation_named(relation).floor_of(settings)
        if floors.get(relation, floor) != floor:
            yield f"the audit log tells of another floor for {relation} than the matter has"
