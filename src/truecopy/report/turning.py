"""The words whose change can turn the sense of a clause, and what the pages say of them.

This is a plain list of English words, not a judgment: it finds "thirty" → "sixty" and "may" → "shall", and knows
nothing of names, defined terms or grammar. In other languages only figures, signs and currency codes are found.
A word belongs here if putting it in, taking it out or replacing it often changes what is owed, by whom, how much, when,
or whether at all. Words that are in every other sentence and rarely do that (of, to, by, in, with, for) do not.
"""

from __future__ import annotations

import re

LOOKED_FOR = (
    "Looked for: figures, currency signs and codes, and a list of English words (numbers, dates, money, shall, not, "
    "only, all, or, before and the like). Any other change can matter as much."
)
"""Said wherever such changes are listed."""

MARKS = "$€£¥¢₩₪₫₱₹₽₺฿%‰☐☑☒✓✔✗✘□■±−"
"""Signs of money, share, choice and sign."""

_GROUPS = {
    "numbers in words: thirty days, half of the price": """
        zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
        eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands
        million millions billion billions trillion dozen dozens
        first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
        fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth
        half halves third thirds quarter quarters tenths hundredth hundredths
        once twice thrice single double triple twofold threefold percent percentage""",
    "money: dollars or euros": """
        dollar dollars euro euros pound pounds sterling franc francs yen yuan renminbi rupee rupees ruble rubles rouble
        roubles peso pesos krona kronor krone kroner zloty lira won cent cents penny pence""",
    "days and months (may is below, as a verb)": """
        monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
        sundays january february march april june july august september october november december""",
    "units of time: thirty days or thirty months, and business days": """
        minute minutes hour hours day days week weeks month months year years business calendar working daily weekly
        monthly quarterly annual annually yearly""",
    "duty and choice: may or shall": """
        shall may must will should can could would might ought need needs required entitled obliged obligated permitted
        prohibited option discretion""",
    "negation: the shortest way to turn a clause around": """
        not no nor never none neither nothing nobody cannot without non""",
    "exception and condition: whether a clause holds at all": """
        except excepting unless if provided notwithstanding excluding exclusive exclusively including subject otherwise
        but only solely sole""",
    "reach: all or any, each or either": """
        all any each every either both some several other always""",
    "joints: all of a list, or one of it": """
        and or""",
    "limits: at least or at most": """
        least most more less fewer than greater higher lower larger smaller minimum maximum exceed exceeds exceeding
        exceeded over under above below beyond within""",
    "order in time: before or after": """
        before after until till prior following during since immediately later earlier latest earliest""",
}

TURNING = frozenset(word for words in _GROUPS.values() for word in words.split())

# In capitals only: "all", "try" and "top" are words as well as currencies.
CURRENCIES = frozenset(
    """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTC BTN BWP BYN BZD CAD CDF CHF
    CLP CNH CNY COP CRC CUP CVE CZK DEM DJF DKK DOP DZD EGP ERN ETB ETH EUR FJD FKP FRF GBP GEL GHS GIP GMD GNF GTQ GYD
    HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK ITL JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL
    LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NLG NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN
    PYG QAR RMB RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD
    TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XDR XOF XPF YER ZAR ZMW ZWG
    """.split()
)

_FIGURE = re.compile(rf"\d|[{MARKS}\u00bc-\u00be\u2150-\u2189]")
_WORD = re.compile(r"([^\W_]*['’]t\b)|[^\W_]+")
"""A word; a negation such as isn't, or what makes can into can't, is the first group."""


def has_figure(text: str) -> bool:
    """Whether there is a digit, a fraction or a sign of money, share or choice.

    >>> has_figure("½ of it"), has_figure("half of it")
    (True, False)
    """
    return bool(_FIGURE.search(text))


def turning(text: str) -> list[str]:
    """The words of the list that a text has, in its order.

    >>> turning("The Buyer shall pay USD sixty-five only, and isn't bound")
    ['shall', 'usd', 'sixty', 'five', 'only', 'and', "isn't"]
    """
    return [
        word[0].lower().replace("’", "'")
        for word in _WORD.finditer(text)
        if word[1] or word[0].lower() in TURNING or word[0] in CURRENCIES
    ]
