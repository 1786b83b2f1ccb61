"""A wave, computed: documents in, what is to be stored of them out. Nothing here knows of a store.

intake     readings → documents and word streams, numbered within the wave
packed     texts as they are stored
settled    which documents repeat earlier ones, and the numbers that all have
fresh      the texts that are new, in the matter's word numbers
touched    what of the matter they touch
dense      dense families: what is known, what is kept, their stars
joined     which groups the new texts join or found, and the statuses that follow
result     all that is to be stored of a wave
stopwatch  seconds by stage
"""
