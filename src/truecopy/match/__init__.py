"""Match: candidate pairs in, verified pairs out: measures, kinds, differences.

verify       the exact word-level distance of many pairs
measures     shingles and content words that many pairs share
contained    shared shingles of candidates for `contains`
kinds        what the words of two texts show: the contract's table
judge        which relations hold, and the kind that follows from them, from the words and from the dates
align        equal runs of two texts
moves        blocks that were moved
placement    where a difference is shown, among places that are equally true
differences  what must be done to one text to make it the other
redline      differences as stretches to be shown
characters   the distance in code points
part         where in a text a contained text is
compare      two texts: all of it
threads      work on many pairs, split over threads
"""
