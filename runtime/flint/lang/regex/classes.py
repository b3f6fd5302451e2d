"""Sets of characters in regular expressions, and the Unicode properties that name them.

For texts that are ASCII the small sets of that range serve; they also match faster.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, groupby

LAST_ASCII = 0x7F
LAST = 0x10FFFF

Range = tuple[int, int]

POSIX: dict[str, tuple[Range, ...]] = {
    "alnum": ((48, 57), (65, 90), (97, 122)),
    "alpha": ((65, 90), (97, 122)),
    "ascii": ((0, 127),),
    "blank": ((9, 9), (32, 32)),
    "cntrl": ((0, 31), (127, 127)),
    "digit": ((48, 57),),
    "graph": ((33, 126),),
    "lower": ((97, 122),),
    "print": ((32, 126),),
    "punct": ((33, 47), (58, 64), (91, 96), (123, 126)),
    "space": ((9, 13), (32, 32)),
    "upper": ((65, 90),),
    "word": ((48, 57), (65, 90), (95, 95), (97, 122)),
    "xdigit": ((48, 57), (65, 70), (97, 102)),
}

_ASCII_CLASSES = {"d": POSIX["digit"], "s": POSIX["space"], "w": POSIX["word"]}


@dataclass(frozen=True)
class CharSet:
    """A set of code points as ranges, in any order."""

    ranges: tuple[Range, ...] = ()

    def __or__(self, other: CharSet) -> CharSet:
        return CharSet(self.ranges + other.ranges)

    def __and__(self, other: CharSet) -> CharSet:
        return ~(~self | ~other)

    def __sub__(self, other: CharSet) -> CharSet:
        return ~(~self | other)

    def __xor__(self, other: CharSet) -> CharSet:
        return (self - other) | (other - self)

    def __invert__(self) -> CharSet:
        gaps, following = [], 0
        for first, last in sorted(self.ranges):
            if first > following:
                gaps.append((following, first - 1))
            following = max(following, last + 1)
        if following <= LAST:
            gaps.append((following, LAST))
        return CharSet(tuple(gaps))

    def cased(self) -> CharSet:
        """The set with the other case of its members added."""
        members = {chr(code) for first, last in self.ranges for code in range(first, last + 1)}
        others = {other for c in members for other in (c.lower(), c.upper()) if len(other) == 1}
        return CharSet(tuple((ord(c), ord(c)) for c in members | others))

    def pattern(self) -> str:
        """The set as a Python class; an empty one never matches."""
        return f"[{''.join(map(_range_text, self.ranges))}]" if self.ranges else "(?!)"


def _range_text(bounds: Range) -> str:
    first, last = (re.escape(chr(code)) for code in bounds)
    return first if first == last else f"{first}-{last}"


def single(character: str) -> CharSet:
    """The set of one character."""
    return CharSet(((ord(character), ord(character)),))


def shorthand(letter: str, last: int) -> CharSet:
    """The set of `\\d`, `\\s` or `\\w`, and of its negation for an upper-case letter."""
    lower = letter.lower()
    members = CharSet(_ASCII_CLASSES[lower]) if last == LAST_ASCII else _unicode_class(lower)
    return members if letter == lower else ~members


_JOINERS = CharSet(((0x200C, 0x200D),))
_SPACES = (9, 13), (32, 32), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)
_MORE_SPACES = (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000)


@cache
def _unicode_class(letter: str) -> CharSet:
    if letter == "s":
        return CharSet(_SPACES + _MORE_SPACES)
    if letter == "d":
        return _in_categories("Nd")
    return _in_categories("L", "M", "Nd", "Nl", "Pc") | _JOINERS


def _in_categories(*prefixes: str) -> CharSet:
    """All characters whose general category starts with one of the prefixes."""
    runs = [bounds for category, bounds in _categories() if category.startswith(prefixes)]
    return CharSet(tuple(runs))


@cache
def _categories() -> tuple[tuple[str, Range], ...]:
    """The general category of every code point, in runs; planes 4 to 13 are unassigned."""
    runs: list[tuple[str, Range]] = [("Cn", (0x40000, 0xDFFFF)), ("Cn", (0xE1000, 0xEFFFF))]
    for start in (0xF0000, 0x100000):
        runs += [("Co", (start, start + 0xFFFD)), ("Cn", (start + 0xFFFE, start + 0xFFFF))]
    for scanned in (range(0x40000), range(0xE0000, 0xE1000)):
        for category, group in groupby(scanned, lambda code: unicodedata.category(chr(code))):
            codes = list(group)
            runs.append((category, (codes[0], codes[-1])))
    return tuple(runs)


def _collect(belongs: Callable[[str], bool]) -> CharSet:
    """All assigned characters with a property."""
    codes = chain.from_iterable(
        range(first, last + 1) for category, (first, last) in _categories() if category[0] != "C"
    )
    return CharSet(tuple(_runs(code for code in codes if belongs(chr(code)))))


def _runs(codes: Iterable[int]) -> Iterator[Range]:
    """Join neighbouring code points to ranges."""
    first = last = -2
    for code in codes:
        if code != last + 1:
            if last >= 0:
                yield first, last
            first = code
        last = code
    if last >= 0:
        yield first, last


_CATEGORIES = {
    "letter": "L", "casedletter": "LC", "uppercaseletter": "Lu", "lowercaseletter": "Ll",
    "titlecaseletter": "Lt", "modifierletter": "Lm", "otherletter": "Lo", "mark": "M",
    "nonspacingmark": "Mn", "spacingmark": "Mc", "enclosingmark": "Me", "number": "N",
    "decimalnumber": "Nd", "digit": "Nd", "letternumber": "Nl", "othernumber": "No",
    "punctuation": "P", "punct": "P", "connectorpunctuation": "Pc", "dashpunctuation": "Pd",
    "openpunctuation": "Ps", "closepunctuation": "Pe", "initialpunctuation": "Pi",
    "finalpunctuation": "Pf", "otherpunctuation": "Po", "symbol": "S", "mathsymbol": "Sm",
    "currencysymbol": "Sc", "modifiersymbol": "Sk", "othersymbol": "So", "separator": "Z",
    "spaceseparator": "Zs", "lineseparator": "Zl", "paragraphseparator": "Zp", "other": "C",
    "control": "Cc", "format": "Cf", "privateuse": "Co", "unassigned": "Cn",
}  # fmt: skip
_GROUPS = {"LC": ("Lu", "Ll", "Lt")}
_SHORT_CATEGORIES = {short.lower(): short for short in _CATEGORIES.values()}

_PREDICATES: dict[str, Callable[[str], bool]] = {
    "lowercase": str.islower,
    "lower": str.islower,
    "uppercase": str.isupper,
    "upper": str.isupper,
}

_SCRIPT_PREFIXES = {
    "HAN": ("CJK UNIFIED IDEOGRAPH-", "CJK COMPATIBILITY IDEOGRAPH-", "IDEOGRAPHIC ITERATION"),
}


@cache
def unicode_property(name: str) -> CharSet | None:
    """The set of `\\p{name}`: a general category, a script or a few other properties.

    A script is recognised by its characters' names (`GREEK SMALL LETTER ALPHA`), because Python
    has no table of scripts. None if there is no such property.
    """
    value = name.rpartition("=")[2].strip()
    key = re.sub(r"[ _-]", "", value).lower()
    category = _CATEGORIES.get(key) or _SHORT_CATEGORIES.get(key)
    if category is not None:
        return _in_categories(*_GROUPS.get(category, (category,)))
    if key in _PREDICATES:
        return _collect(_PREDICATES[key])
    return _whole(key) or _script(re.sub(r"[_-]", " ", value).upper())


def _whole(key: str) -> CharSet | None:
    if key in ("any", "ascii"):
        return CharSet(((0, LAST if key == "any" else LAST_ASCII),))
    if key in ("alphabetic", "alpha"):
        return _in_categories("L", "Nl")
    if key in ("whitespace", "space"):
        return _unicode_class("s")
    return ~_in_categories("Cn") if key == "assigned" else None


def _script(name: str) -> CharSet | None:
    if not name.replace(" ", "").isalpha():
        return None
    prefixes = _SCRIPT_PREFIXES.get(name, (f"{name} LETTER ", f"{name} SMALL ", f"{name} CAPITAL "))
    found = _collect(lambda character: unicodedata.name(character, "").startswith(prefixes))
    return found if found.ranges else None
