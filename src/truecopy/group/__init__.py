"""Pairs → groups.

principal  the order in which documents may become principals: longest, earliest, latest, given
star       the star algorithm, for one wave and for waves that follow
families   dense families: which pairs are kept
"""
