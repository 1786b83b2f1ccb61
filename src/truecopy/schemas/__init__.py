"""The JSON shapes that commands keep to, as JSON Schemas: one file for each command.

What several share is in `definitions.json`; `schema` puts it in, so that what it returns is whole.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from truecopy.errors import NotFound

SHARED = "definitions"
_REFERENCE = f"{SHARED}.json#/$defs/"


def names() -> tuple[str, ...]:
    """The commands that have a schema."""
    stems = (entry.name.removesuffix(".json") for entry in files(__name__).iterdir() if entry.name.endswith(".json"))
    return tuple(sorted(stem for stem in stems if stem != SHARED))


def schema(name: str) -> dict[str, Any]:
    """The whole schema of one command's `--json` output."""
    if name not in names():
        raise NotFound(f"There is no schema {name!r}.", f"The schemas are: {', '.join(names())}.")
    shared: dict[str, Any] = _load(SHARED)["$defs"]
    whole = _load(name)
    definitions: dict[str, Any] = whole.setdefault("$defs", {})
    wanted = _localize(whole)
    while wanted:
        each = wanted.pop()
        if each not in definitions:
            definitions[each] = shared[each]
            wanted |= _localize(definitions[each])
    whole["$defs"] = {key: definitions[key] for key in sorted(definitions)}
    return whole


def _load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8"))
    return loaded


def _localize(node: Any) -> set[str]:
    """Point references to the shared file at this one; returns the definitions that must then be in it."""
    found: set[str] = set()
    if isinstance(node, list):
        return found.union(*(_localize(each) for each in node))
    if not isinstance(node, dict):
        return found
    reference = node.get("$ref")
    if isinstance(reference, str) and reference.startswith((_REFERENCE, "#/$defs/")):
        name = reference.rpartition("/")[2]
        node["$ref"] = f"#/$defs/{name}"
        found.add(name)
    return found.union(*(_localize(each) for each in node.values()))
