"""The matter: the store, the questions that can be asked of it, and the few changes that can be made to it.

matter        the class that users hold: a thin face over `ask` and `change`
folder        a matter's folder before a store opens it: what is in it, and what is refused
store         the folder: database, segments, lock; it hands out states
state         one state of the matter: its rows, and the arrays that they name
arrays        segment files: the one place where a row becomes a path
sql/          all SQL, a module for each family of tables
ask/          questions, which never write
change/       changes: short, audited transactions
doctor/       the whole of a matter, examined
before        what a wave that is being computed asks of a state
touching      which stored passages a wave touches
words         the matter's words, searched where they lie
texts         the words of some texts, or of all, as arrays
bodies        stored texts, unpacked within the size that they state
signed        stored signatures, and those of texts from outside
indexing      the matter's indexes, as segments
turns         questions of several threads, first come, first served
opened        what stays open between two questions
checked       words and signatures, checked before a kernel reads them
stored_json   JSON in cells, parsed within limits and checked
troubles      what to say when the disk fails
blame         is an error that nobody foresaw the matter's fault?
"""
