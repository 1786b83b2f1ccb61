"""Text: from UTF-8 to words, folded text and profiles, always with the way back to the original.

tokens          words of texts as hashes, spans and spelling
folding         folded text with spans
profiles        the forms in which texts are compared
unicode_tables  the shipped Unicode tables
vocabulary      words as numbers, by their spelling
word_lists      words in a list that is searched where it lies
numbers         the words of a few texts as numbers
marks           figure marks: signs between words that change what a text says
breaks          where paragraphs and sentences begin
batches         texts as word numbers, a batch at a time
streams         texts as streams and bags of word numbers
texts           some texts with all that the stages ask of them
content         content words: stop list and light stemming
stopwords       the stop list, and the fillers that `same-words` leaves out
"""

from truecopy.text.folding import Folded, fold
from truecopy.text.tokens import Tokens, Words, tokenize, tokenize_buffer, word_texts, words
from truecopy.text.unicode_tables import UNICODE

__all__ = [
    "UNICODE",
    "Folded",
    "Tokens",
    "Words",
    "fold",
    "tokenize",
    "tokenize_buffer",
    "word_texts",
    "words",
]
