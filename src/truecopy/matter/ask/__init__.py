"""Questions: pure functions of a state. They take no lock, write nothing, and cost what their answer costs.

naming        which document a name means
thresholds    which threshold a question is about
made          how the matter was made
text          the text of a document
views         all documents at once, for answers that are about all of them
groups        groups and linked documents, page by page or at any threshold
pairs         pairs, page by page or all
completed     what dense families have left out
similar       everything similar to a document
asked         the document that somebody asks about, in the forms that indexes take
candidates    the few passages that one text can be similar to
near          answers by index
containing    what contains a document, or is contained in it
measured      the contract's measures of the asked document and its hits
against       a form from outside that every document is compared with
sides         the two sides of a comparison
index_status  what the indexes are, and whether they are whole
"""
