"""A wave, computed: documents in, what is to be stored of them out. Nothing here knows of a store.

intake     readings → documents and word streams, numbered within the wave
packed     texts as they are stored
settled    which documents repeat earlier ones, and the numbers that all have
fresh      the texts that are new, in the matter's word numbers
room       how much of a wave may be in memory at once
touched    what of the matter they touch
looked     the passages that the wave is computed over
joining    finding their pairs, at once or part by part
parts      the parts of a wave, and the indexes that tell which of them meet
dense      dense families: what is known, what is kept, their stars
judging    measures, relations and kinds of the pairs
joined     which groups the new texts join or found, and the statuses that follow
result     all that is to be stored of a wave
stopwatch  seconds by stage
"""
