"""One file for each command: its options, the library call, the JSON, and what a person sees.

scan       the whole job in one go
init       an empty matter, to be filled in waves
add        more documents into a matter, as a wave
floor      pairs from a lower similarity on
status     what is in a matter
documents  documents by status, wave, kind and path; what was not searched
groups     which documents belong together, at any threshold down to the floor
pairs      every verified pair, with its measures
similar    everything like one document
compare    two documents, every measure, and a redline
report     the report as a page or a workbook
methods    the signature methods
sign       signatures of files or of a matter
stats      collection statistics
index      a matter's indexes
demo       a sample data room
doctor     whether the machine is fit, and whether a matter is whole
schema     the JSON Schemas
"""
