"""Pairs → groups.

principal   the order in which documents may become principals: longest, earliest, latest, given
star        the star algorithm, for one wave and for waves that follow
families    families of texts, and which are dense
dense_star  the star algorithm for a dense family, without all its pairs
alike       which texts are similar to which others, and to which one most
nearest     the nearest texts of each text of a dense family, by sketch
kept        which pairs of dense families are kept, and how many are not, at most
"""
