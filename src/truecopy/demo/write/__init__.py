"""Papers as files: plain text, Word, PDF and e-mail, the same to the byte on every machine.

plain  UTF-8 text, wrapped or not
docx   Word
pdf    PDF, for texts within Windows code page 1252
eml    e-mail with attachments
"""
