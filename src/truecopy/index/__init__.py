"""Texts → candidates: what is worth verifying, and what is near by signature, with a stated recall.

index        the protocol: add, remove, search, pairs, save, load, len, memory
linear       exact, every row is looked at; the oracle of the others
equality     exact, equal rows
hamming      exact, bits within any distance
projections  exact, letter counts within any γ; and the paper's own algorithms
bands        approximate, sketches at the recall that is asked for
overlap      exact, bags of words: candidates for `similar`
postings     exact, sets: resemblance, containment, shared terms
choose       which generator serves a threshold and a recall
"""
