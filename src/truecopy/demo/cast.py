"""The people and companies of the demo: all invented."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

from truecopy.demo.agreements import AgreementType
from truecopy.demo.dice import Dice
from truecopy.demo.figures import signing_day, written_date
from truecopy.demo.grammar import entries
from truecopy.demo.paper import BLANK


@dataclass(frozen=True, slots=True)
class Party:
    """A company, or a natural person, with everything that agreements say about it."""

    name: str
    place: str
    number: str
    address: str
    signer: str
    office: str
    mail: str
    law: str
    court: str
    city: str
    currency: str
    person: bool = False


def _person(number: int, people: list[tuple[str, str]]) -> str:
    return " ".join(people[number % len(people)])


class Parties:
    """Parties by number: number 0 is the company whose data room this is."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    @cached_property
    def _companies(self) -> list[tuple[str, str]]:
        names = product(entries("names", "first"), entries("names", "second"))
        return Dice(self.seed, "companies").shuffled(list(names))

    @cached_property
    def _people(self) -> list[tuple[str, str]]:
        names = product(entries("names", "given"), entries("names", "family"))
        return Dice(self.seed, "people").shuffled(list(names))

    def company(self, number: int) -> Party:
        """The company of this number."""
        dice = Dice(self.seed, "company", number)
        home = dice.pick(entries("names", "places")).split(" | ")
        place, suffix, court, law, town, currency, *cities = home
        first, second = self._companies[number % len(self._companies)]
        signer = _person(number, self._people)
        return Party(
            name=f"{first} {second} {suffix}",
            place=place,
            number=str(dice.between(10_000_000, 99_999_999)),
            address=f"{dice.between(1, 240)} {dice.pick(entries('names', 'streets'))}, {town}",
            signer=signer,
            office=dice.pick(entries("names", "offices")),
            mail=f"{_box(signer)}@{first.lower()}-{second.lower()}.example",
            law=law,
            court=court,
            city=dice.pick(cities),
            currency=currency,
        )

    def person(self, number: int) -> Party:
        """The natural person of this number."""
        dice = Dice(self.seed, "person", number)
        company = self.company(number)
        name = _person(number + 1000, self._people)
        return Party(
            name=name,
            place=company.place,
            number=str(dice.between(10_000_000, 99_999_999)),
            address=company.address,
            signer=name,
            office="in person",
            mail=f"{_box(name)}@post.example",
            law=company.law,
            court=company.court,
            city=company.city,
            currency=company.currency,
            person=True,
        )


def _box(name: str) -> str:
    return name.lower().replace(" ", ".")


def cast(agreement: AgreementType, house: Party, other: Party, dice: Dice) -> dict[str, str]:
    """The facts of two parties who have signed; `unsigned` takes the signatures away again."""
    sides = {"a": house, "b": other} if agreement.house == "a" else {"a": other, "b": house}
    day = signing_day(dice)
    facts = {
        "iso_date": day,
        "dated": written_date(day),
        "currency": house.currency,
        "law": house.law,
        "court": house.court,
        "city": dice.pick((house.city, house.court, house.city)),
        "subject": dice.pick(entries(agreement.name, "subjects")),
    }
    for side, party in sides.items():
        facts |= {
            f"{side}_name": party.name,
            f"{side}_place": party.place,
            f"{side}_number": party.number,
            f"{side}_address": party.address,
            f"{side}_signer": party.signer,
            f"{side}_office": party.office,
            f"{side}_mail": party.mail,
            f"{side}_signature": f"/s/ {party.signer}",
            f"{side}_printed": party.signer,
            f"{side}_capacity": party.office,
            f"{side}_day": written_date(day),
        }
    return facts


def unsigned(facts: dict[str, str]) -> dict[str, str]:
    """The same facts before anyone has signed: blanks for the date and in the signature block."""
    open_slots = {f"{side}_{slot}" for side in "ab" for slot in ("signature", "printed", "capacity", "day")}
    return {slot: BLANK if slot in open_slots | {"dated"} else value for slot, value in facts.items()}
