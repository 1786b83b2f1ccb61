"""Texts → candidates: pairs that are worth verifying, with a stated recall.

overlap    exact candidates for `similar`, by a join over bags of words
bands      approximate candidates for `similar`, with the recall that was asked for
postings   exact candidates for `contains`, by lists of rare shingles
choose     which generator serves a threshold and a recall
"""
