"""The matter: the store, and every question that can be asked of it.

matter     the class that users hold
store      the folder: database, lock, sweep
tables     the database's tables
segments   immutable, checksummed array files
texts      the words of every wave as arrays
intake     readings → documents and word streams
wave       adding a wave, in one transaction
naming     which document a name means
unfinished the mark of a scan that has not ended
rows       database rows ↔ the model
views      groups and pairs at any threshold
outside    texts that are not in the matter
audit      the append-only log
"""
