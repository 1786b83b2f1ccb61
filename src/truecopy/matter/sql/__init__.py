"""The database of a matter: all of its SQL is here, one module for each family of tables.

database     every table family of one connection, as one object
tables       the tables
migrations/  older formats, brought forward in numbered steps
format_5     the tables of format 5, which is brought forward
format_6     those of format 6
plain        statements that questions ask again and again, in the driver's words
cells        what each cell may hold, checked wherever one is read
guard        is the database a file, and does it hold our tables and nothing else?
readers      connections for reading, also where nothing can be written
writers      the connection for writing, and the log that it leaves
outcome      what has become of a transaction whose end failed
facts        what the matter says of itself: format and settings
waves        the waves, and how their pairs were found
unseen       rows of a wave that is being written, which nobody sees yet
documents    documents: by name, by page, by what they share
passages     what is compared
pairs        verified pairs
groups       the matter's own grouping
tallies      how many documents there are of each status
families     which passages chains of pairs connect, and which families are dense
bulk         many rows at once: room for them, and indexes made afterwards
files        the segments that the database names
signings     what the matter is signed with
audit        the append-only log
rules        what the rows must be to one another, for the doctor
"""
