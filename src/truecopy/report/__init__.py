"""report/: what a matter holds, as one HTML file and as a workbook.

page          the report as dataclasses, and what a matter must offer to be reported
meanings      the sentences that explain statuses, kinds, measures and settings
build         matter → Page: every figure and table, once for all forms
contained     which contained texts are listed
redlines      which redlines are made within the budget
marked        differences → the stretches of a redline
changes       the changes that a lawyer asks for first
turning       the words that turn the sense, as a list
shown         numbers and foreign text as people see them
charts        the pictures, as inline SVG
links         from a page to the files that documents were read from
data          Page → what the HTML file holds as data
html          Page → one self-contained HTML file
redline_page  two documents → one self-contained HTML file
beside        redlines that the page has no room for, as pages in a folder beside it
outdated      a mark on a page that was written before the last wave
sheets        Page → the rows of the workbook
xlsx          writes them as a workbook
files         a file appears whole or not at all
"""

from truecopy.report.html import write_html, write_html_with_redlines
from truecopy.report.outdated import mark_outdated
from truecopy.report.redline_page import redline_page
from truecopy.report.redlines import QUICK, THOROUGH, RedlineBudget
from truecopy.report.xlsx import write_xlsx

__all__ = [
    "QUICK",
    "THOROUGH",
    "RedlineBudget",
    "mark_outdated",
    "redline_page",
    "write_html",
    "write_html_with_redlines",
    "write_xlsx",
]
