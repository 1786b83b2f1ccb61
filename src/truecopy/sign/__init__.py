"""Text → signatures, one module for each family.

words   one-permutation sketches of word shingles, truecopy's default
"""
