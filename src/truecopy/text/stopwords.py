"""Words that carry grammar rather than subject; they are not content words.

`FUNCTION_WORDS` is the stop list of English. `DROPPED_WORDS`, a part of it, is what may be added or left out
without changing what is said (articles and fillers): the kind `same-words` passes over them. No negation, no
quantity, no verb of duty and neither "and" nor "or" is among those, because each of them changes what is agreed;
nor is "a", because folded it cannot be told from the label in "Class A".
"""

from __future__ import annotations

DROPPED_WORDS = frozenset("an the that which such said then so as also thereby thus hence".split())

FUNCTION_WORDS = DROPPED_WORDS | frozenset(
    """
    a about above across after again against all along already although always am among and any anybody anyone
    anything are around at away be became because become been before behind being below beneath beside besides
    between both but by can cannot could did do does doing done down during each either else ever every
    everybody everyone everything except few for from further had has have having he her here hereby herein
    hereof hereto hereunder hers herself him himself his how however if in inside instead into is it its itself
    just least less like many may me might mine more most much must my myself near neither never nevertheless
    nobody none nor not nothing notwithstanding now of off often on once one only onto or other others otherwise
    ought our ours ourselves out outside over own per perhaps rather same several shall she should since some
    somebody someone something still than their theirs them themselves there therefore therefrom therein
    thereof thereto thereunder these they this those though through throughout till to together too toward
    towards under unless until unto up upon us very was we were what whatever when whenever where whereas
    wherever whether while who whoever whom whose why will with within without would yes yet you your yours
    yourself yourselves
    """.split()
)
