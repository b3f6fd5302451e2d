"""Sets of characters in regular expressions, and the Unicode properties that name them.

A property is spelled out as ranges up to a last code point: 127 serves texts that are ASCII,
where the small sets also match faster.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

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
    ranges = _ASCII_CLASSES[lower] if last == LAST_ASCII else _unicode_class(lower)
    return CharSet(ranges) if letter == lower else ~CharSet(ranges)


@cache
def _unicode_class(letter: str) -> tuple[Range, ...]:
    return _collect({"d": str.isdecimal, "s": _is_space, "w": _is_word}[letter], LAST)


def _is_space(character: str) -> bool:
    """White space; Python counts the separators U+001C to U+001F, Unicode does not."""
    return character.isspace() and not "\x1c" <= character <= "\x1f"


def _is_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LM" or category in ("Nd", "Nl", "Pc") or character in "\u200c\u200d"


def _collect(belongs: Callable[[str], bool], last: int) -> tuple[Range, ...]:
    """The ranges of all code points up to `last` with a property."""
    return tuple(_runs(code for code in range(last + 1) if belongs(chr(code))))


def _runs(codes: Iterable[int]) -> Iterator[Range]:
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
_SHORT_CATEGORIES = {short.lower(): short for short in _CATEGORIES.values()}

_PREDICATES: dict[str, Callable[[str], bool]] = {
    "alphabetic": str.isalpha,
    "alpha": str.isalpha,
    "lowercase": str.islower,
    "lower": str.islower,
    "uppercase": str.isupper,
    "upper": str.isupper,
    "whitespace": _is_space,
    "space": _is_space,
    "any": lambda character: True,
    "ascii": str.isascii,
    "assigned": lambda character: unicodedata.category(character) != "Cn",
}

_SCRIPT_PREFIXES = {
    "HAN": ("CJK UNIFIED IDEOGRAPH-", "CJK COMPATIBILITY IDEOGRAPH-", "IDEOGRAPHIC ITERATION"),
}


@cache
def unicode_property(name: str, last: int) -> CharSet | None:
    """The set of `\\p{name}` up to `last`: a general category, a script or a few others.

    A script is recognised by its characters' names (`GREEK SMALL LETTER ALPHA`), because Python
    has no table of scripts. None if there is no such property.
    """
    value = name.rpartition("=")[2].strip()
    key = re.sub(r"[ _-]", "", value).lower()
    category = _CATEGORIES.get(key) or _SHORT_CATEGORIES.get(key)
    if category is not None:
        return CharSet(_collect(_in_category(category), last))
    if key in _PREDICATES:
        return CharSet(_collect(_PREDICATES[key], last))
    return _script(re.sub(r"[_-]", " ", value).upper())


def _in_category(category: str) -> Callable[[str], bool]:
    if category == "LC":
        return lambda character: unicodedata.category(character) in ("Lu", "Ll", "Lt")
    return lambda character: unicodedata.category(character).startswith(category)


def _script(name: str) -> CharSet | None:
    if not name.replace(" ", "").isalpha():
        return None
    prefixes = _SCRIPT_PREFIXES.get(name, (f"{name} LETTER ", f"{name} SMALL ", f"{name} CAPITAL "))
    ranges = _collect(lambda c: unicodedata.name(c, "").startswith(prefixes), LAST)
    return CharSet(ranges) if ranges else None
