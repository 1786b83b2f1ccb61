"""The doctor: the whole of a matter, held to what it must be and to what the rest of it says.

examined     every step of an examination, one after the other
afresh       the files, read as if nobody had checked them before
findings     how a finding is said, and what counts as one
described    what the matter says of itself: facts, groupings, waves, and what documents are called
segments     the rows that name files: are they those that the matter must have?
contents     what is in the files of words, texts and signatures, each in itself and against the tables
retold       words and signatures, made again from the stored texts and compared
connected    families, made again from the stored pairs and compared
indexed      indexes, made again from words and signatures and compared
logged       what the log must say, because the rest of the matter says it too

What the rows of tables must be to one another is in `matter/sql/rules.py`.
"""
