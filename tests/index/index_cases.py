"""Every index with every kind of row that it is for."""

from __future__ import annotations

from index_contract import (
    GAMMAS,
    OVERLAPS,
    RADII,
    SET_PAIRS,
    SET_SHARES,
    SHINGLES,
    SLOT_SHARES,
    TERM_SHARES,
    Case,
    bag_rows,
    bit_rows,
    key_rows,
    letter_rows,
    set_rows,
    slot_rows,
)

from truecopy.index.bands import Bands
from truecopy.index.equality import Equality
from truecopy.index.hamming import Hamming
from truecopy.index.limits import Equal
from truecopy.index.overlap import Overlap
from truecopy.index.postings import Postings
from truecopy.index.projections import Projections
from truecopy.sign import make_spec

CASES = (
    Case("equality-bits", Equality, *bit_rows(16), (Equal(),)),
    Case("equality-keys", Equality, *key_rows(), (Equal(), Equal(20))),
    Case("hamming-16", Hamming, *bit_rows(16), RADII, RADII[:3]),
    *(Case(f"hamming-{bits}", Hamming, *bit_rows(bits), RADII, RADII[:4]) for bits in (64, 256, 1024)),
    Case("equality-sets", Equality, *set_rows(make_spec("mod"), universe=20), (Equal(),)),
    Case("postings-mod", Postings, *set_rows(make_spec("mod")), SET_SHARES[4:12], SET_PAIRS[4:]),
    Case("postings-bsw", Postings, *set_rows(make_spec("bsw"), universe=40), SET_SHARES[:4], SET_PAIRS[6:]),
    Case("postings-shingles", Postings, *set_rows(SHINGLES, universe=4000), SET_SHARES[12:], SET_PAIRS[3:5]),
    Case("postings-terms", Postings, *set_rows(make_spec("terms"), heads=True), TERM_SHARES[2:]),
    Case("bands-64", Bands, *slot_rows(64), SLOT_SHARES),
    Case("bands-256", Bands, *slot_rows(256), SLOT_SHARES, options={"recall": 0.9}),
    Case("bands-exact", Bands, *slot_rows(256), SLOT_SHARES, options={"recall": 1}),
    Case("overlap", Overlap, *bag_rows(), OVERLAPS, options={"floor": 70}),
    Case("projections-small", Projections, *letter_rows(200), GAMMAS),
    Case("projections-large", Projections, *letter_rows(2**32 - 1), GAMMAS[2::2]),
    Case("projections-extended", Projections, *letter_rows(5000, "extended"), GAMMAS[1:4:2]),
)
