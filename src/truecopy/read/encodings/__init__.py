"""Which encoding a text is in: what its bytes say, how sure that is, and the text itself.

found      the answer: a text, its encoding, how sure it is, and the doubt in words
names      encodings by any name that people, web pages and e-mails give them
binary     which bytes are no text at all
wide       UTF-16 and UTF-32, with and without a mark
seven      encodings that look like ASCII: ISO 2022, HZ, UTF-7
mixed      UTF-8 that is damaged, or mixed with a code page
guess      which page is likeliest, by letters that follow each other
few        texts of ASCII letters with a few signs beyond: which page makes sense of them
places     whether a sign is where writers put it
halves     whether a sign between two letters divides two words
judge      how sure a guess is, and what there is to doubt
pages      code pages of one byte a character
letters    the letter tables of forty languages
classes    the symbols of those tables beside letters
rules      `--encoding`: which encoding was given for which path
"""
