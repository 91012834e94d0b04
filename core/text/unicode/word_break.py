"""The Word_Break property of UAX 29, as well as ``unicodedata`` can tell it.

Python's database has neither that property nor the ones it is made of (Alphabetic, Script, Line_Break), so they are
read off categories and names, and the few characters that the annex lists by number are listed here.
"""

from __future__ import annotations

from unicodedata import category, name

__all__ = ["CLASSES", "word_break"]

_LISTED = {
    "CR": "\r",
    "LF": "\n",
    "Newline": "\x0b\x0c\x85\u2028\u2029",
    "ZWJ": "\u200d",
    "Single_Quote": "'",
    "Double_Quote": '"',
    "MidNumLet": ".\u2018\u2019\u2024\ufe52\uff07\uff0e",
    "MidLetter": ":\u00b7\u0387\u055f\u05f4\u2027\ufe13\ufe55\uff1a",
    "MidNum": ",;\u037e\u0589\u060c\u060d\u066c\u07f8\u2044\ufe10\ufe14\ufe50\ufe54\uff0c\uff1b",
    "Katakana": "\u3031\u3032\u3033\u3034\u3035\u309b\u309c\u30a0\u30fc\uff70",
    "ExtendNumLet": "\u202f",
    "Extend": "\u200c\uff9e\uff9f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff",
    "Numeric": "\u066b\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u0890\u0891\u08e2\u19da\U000110bd\U000110cd",
    "ALetter": "\u00b8\u02c2\u02c3\u02c4\u02c5\u02d2\u02d3\u02d4\u02d5\u02d6\u02d7\u02de\u02df\u02e5\u02e6\u02e7\u02e8"
    "\u02e9\u02ea\u02eb\u02ed\u02ef\u02f0\u02f1\u02f2\u02f3\u02f4\u02f5\u02f6\u02f7\u02f8\u02f9\u02fa\u02fb\u02fc"
    "\u02fd\u02fe\u02ff\u055a\u055b\u055c\u055e\u058a\u05f3\u070f\ua708\ua709\ua70a\ua70b\ua70c\ua70d\ua70e\ua70f"
    "\ua710\ua711\ua712\ua713\ua714\ua715\ua716\ua720\ua721\ua789\ua78a\uab5b\u3005\U00016fe0\U00016fe1",
    "Other": "\u200b\u00a0\u2007",
}
_BY_NUMBER = {character: group for group, characters in _LISTED.items() for character in characters}
_BY_CATEGORY = {
    "Mn": "Extend",
    "Me": "Extend",
    "Mc": "Extend",
    "Cf": "Format",
    "Pc": "ExtendNumLet",
    "Zs": "WSegSpace",
    "Nd": "Numeric",
    "Nl": "ALetter",
    "Lu": "ALetter",
    "Ll": "ALetter",
    "Lt": "ALetter",
    "Lm": "ALetter",
    "Lo": "ALetter",
}
CLASSES = (
    "Other",
    *sorted({*_BY_NUMBER.values(), *_BY_CATEGORY.values(), "Hebrew_Letter", "Regional_Indicator"} - {"Other"}),
)

# Scripts without spaces between words, whose letters stand alone here (Line_Break=SA, ideographs, Hiragana).
_ALONE = (
    "THAI ", "LAO ", "KHMER ", "MYANMAR ", "TAI LE ", "NEW TAI LUE ", "TAI THAM ", "TAI VIET ", "AHOM ", "HIRAGANA ",
    "HENTAIGANA ", "CJK ", "TANGUT ", "NUSHU ", "KHITAN ", "IDEOGRAPHIC ", "HANGZHOU ",
)  # fmt: skip
# Letters within circles and squares, which are symbols by category.
_ENCLOSED = (
    "CIRCLED LATIN ", "SQUARED LATIN ", "NEGATIVE CIRCLED LATIN ", "NEGATIVE SQUARED LATIN ", "CIRCLED KATAKANA ",
)  # fmt: skip


def word_break(character: str) -> str:
    """The class of one character."""
    if character in _BY_NUMBER:
        return _BY_NUMBER[character]
    if "\U0001f1e6" <= character <= "\U0001f1ff":
        return "Regional_Indicator"
    if "\u3300" <= character <= "\u3357":
        return "Katakana"
    if "\U000e0020" <= character <= "\U000e007f":
        return "Extend"
    named = name(character, "")
    group = "ALetter" if named.startswith(_ENCLOSED) else _BY_CATEGORY.get(category(character), "Other")
    return _script(named) if group == "ALetter" else group


def _script(named: str) -> str:
    if named.startswith(("KATAKANA ", "HALFWIDTH KATAKANA ", "CIRCLED KATAKANA ")):
        return "Katakana"
    if named.startswith("HEBREW "):
        return "Hebrew_Letter"
    return "ALetter" if named and not named.startswith(_ALONE) else "Other"  # the ideographs of Tangut have no names
