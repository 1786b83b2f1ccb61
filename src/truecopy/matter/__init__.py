"""The matter: the store, and every question that can be asked of it.

matter        the class that users hold
store         the folder: database, lock, sweep
readers       connections for reading, also where nothing can be written
outcome       what has become of a transaction whose end failed
troubles      what to say when the disk fails
tables        the database's tables
cells         what each cell of the database may hold, checked wherever one is read
stored_json   JSON in cells, parsed within limits and checked
guard         is the database a file, and does it hold our tables and nothing else?
filenames     the names of segment files, and how a row becomes a path
checked       words and signatures, checked before a kernel reads them
bodies        stored texts, unpacked within the size that they state
retold        words and signatures, made again from the stored texts and compared
relations     what the rows of the tables must be to one another
blame         is an error that nobody foresaw the matter's fault?
examined      the whole of a matter, examined for the doctor
rows          database rows ↔ the model
texts         the words of every wave as arrays
intake        readings → documents and word streams
wave          adding a wave, in one transaction
unfinished    the mark of a scan that has not ended
floor         lowering the floor
dense         dense families: what is stored, and the rest when it is asked for
views         groups and pairs at any threshold
naming        which document a name means
sides         the two sides of a comparison: documents of the matter, or files
outside       texts that are not in the matter
asked         the document that somebody asks about, in the forms that indexes take
near          answers by index
measured      the contract's measures of the asked document and its hits
signing       the matter's signatures
indexing      the matter's indexes, as segments
index_status  what the indexes are, and whether they are whole
opened        what stays open between two questions
audit         the append-only log
logged        what the log must say, because the rest of the matter says it too
"""
