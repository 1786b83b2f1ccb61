"""Match: candidate pairs in, verified pairs out: measures, kinds, differences.

verify       the exact word-level distance of many pairs
measures     shingles and content words that many pairs share
contained    shared shingles of candidates for `contains`
relations    relations as data: name, measure, floor, how candidates are found
kinds        kinds as data: the contract's table; and what the words of two texts show
dates        dates as numbers that can be compared
judge        measures, relations and kind of two texts, for every caller
spans        the words of two texts, where they are written
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
