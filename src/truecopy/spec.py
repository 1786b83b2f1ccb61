"""Signature specs: how a signature was made. Signatures with different specs cannot be compared; the error names both.

A spec is a method, its version and its parameters, written as `words/1(k=3, slots=256, unicode=15.0.0)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from truecopy.errors import SpecMismatch


@dataclass(frozen=True, slots=True)
class Spec:
    """How a signature was made."""

    method: str
    version: int
    parameters: tuple[tuple[str, int | float | str], ...]

    @classmethod
    def make(cls, method: str, version: int, **parameters: int | float | str) -> Spec:
        """A spec with its parameters in order of name."""
        return cls(method, version, tuple(sorted(parameters.items())))

    @classmethod
    def from_json(cls, stored: Mapping[str, object]) -> Spec:
        """As it was stored."""
        parameters = stored["parameters"]
        assert isinstance(parameters, Mapping)
        return cls.make(str(stored["method"]), int(str(stored["version"])), **parameters)

    def parameter(self, name: str) -> int | float | str | None:
        """The value of one parameter; None where the spec does not have it."""
        return dict(self.parameters).get(name)

    def as_json(self) -> dict[str, object]:
        """As it is stored beside the signatures."""
        return {"method": self.method, "version": self.version, "parameters": dict(self.parameters)}

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={value}" for name, value in self.parameters)
        return f"{self.method}/{self.version}({inside})"

    def must_equal(self, other: Spec) -> None:
        """Refuse to compare signatures that were made in different ways.

        >>> Spec.make("words", 1, k=3).must_equal(Spec.make("words", 1, k=4))
        Traceback (most recent call last):
            ...
        truecopy.errors.SpecMismatch: Signatures made by words/1(k=3) cannot be compared with words/1(k=4). \
Sign both sets again with one of the two.
        """
        if self != other:
            raise SpecMismatch(
                f"Signatures made by {self} cannot be compared with {other}.",
                "Sign both sets again with one of the two.",
            )
