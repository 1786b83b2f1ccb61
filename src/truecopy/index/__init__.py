"""Texts → candidates: what is worth verifying, and what is near by signature, with a stated recall.

index              the protocol: add, remove, search, pairs, save, load, len, memory
linear             exact: looks at every row; the oracle of the others
equality           exact: equal rows
hamming            exact: bits within any distance
projections        exact: letter counts within any γ
paper_projections  the paper's own algorithms for that, which may miss some
bands              approximate: sketches, at the recall that is asked for
cuts               how bands follow from a threshold and a recall
overlap            exact: bags of words, candidates for `similar`
overlap_lists      the lists and histograms that it reads
pieces             exact: candidates for `similar` in a large scan
postings           exact: sets, by resemblance, containment or shared terms
rare_shingles      exact: candidates for `contains` in a scan
slots              texts listed under hashes, for such joins
run_lists          all runs of words of texts in one sorted array
touched_runs       exact: which stored texts can be paired with fresh ones at all, by such arrays
runs               the same as blocks that a matter stores
near_one           exact: which of these texts one text can be similar to
rounds             joins that stop after some pairs and go on, and batches of queries
choose             which generator serves a threshold and a recall in a scan
methods            which index serves which signatures, and its usual limit
blocks             the immutable parts of an index
rows               what an index holds of each text
shingles           distinct shingles as such rows
limits             how near a hit must be, in integers
found              what an index answers
"""
