"""Changes: computed from a snapshot without a lock, then written in one short, audited transaction.

add         a wave
rows        the rows of a wave, before they are written
ahead       writing the new ones ahead of a large wave, while others write too
following   computing again where somebody else was quicker
room        what of a wave does not fit into memory, kept in its spool
spool       what a wave has written before it is committed
scratch     arrays in the spool that are only out of memory for a while
families    what becomes of families of passages
custodians  whose documents are
unfinished  the mark of a scan that has not ended
floor       lowering a floor
signing     signing every text with a method
indexes     making indexes again
"""
