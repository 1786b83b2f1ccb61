"""report/: what a matter holds, as one HTML file and as a workbook.

page      the report as dataclasses, and what a matter must offer to be reported
meanings  the sentences that explain statuses, kinds, measures and settings
build     matter → Page: every figure and table, once for all forms
redlines  which redlines are made within the budget, and how they are kept
shown     numbers and foreign text as people see them
charts    the pictures, as inline SVG
html      Page → one self-contained HTML file
sheets    Page → the rows of the workbook
xlsx      writes them as a workbook
files     a file appears whole or not at all
"""

from truecopy.report.html import write_html
from truecopy.report.redlines import QUICK, THOROUGH, Budget
from truecopy.report.xlsx import write_xlsx

__all__ = ["QUICK", "THOROUGH", "Budget", "write_html", "write_xlsx"]
