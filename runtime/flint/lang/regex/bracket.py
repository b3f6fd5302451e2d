"""Bracketed character classes of Rust's regular expressions, e.g. `[a-z&&[^aeiou]]`."""

from __future__ import annotations

import re

from flint.lang.regex.classes import POSIX, CharSet, single
from flint.lang.regex.scanner import Scanner

_POSIX = re.compile(r"\[:(\^?)([a-z]+):\]")
_OPERATIONS = {"&&": CharSet.__and__, "--": CharSet.__sub__, "~~": CharSet.__xor__}


def bracketed(scanner: Scanner) -> CharSet:
    """Read a class from its `[` to the matching `]`."""
    start = scanner.position
    scanner.take("[")
    negated = scanner.take("^")
    result = _leading(scanner) | _union(scanner, start)
    while operator := _operator(scanner):
        result = _OPERATIONS[operator](result, _union(scanner, start))
    scanner.take("]")
    if not negated:
        return result
    return ~result.cased() if scanner.flags.i else ~result


def _leading(scanner: Scanner) -> CharSet:
    """Hyphens, or one bracket, in first place are plain characters."""
    result = CharSet()
    while scanner.take("-"):
        result = single("-")
    if not result.ranges and scanner.take("]"):
        result = single("]")
    return result


def _operator(scanner: Scanner) -> str | None:
    return next((operator for operator in _OPERATIONS if scanner.take(operator)), None)


def _union(scanner: Scanner, start: int) -> CharSet:
    """Items up to `]` or a set operator, neither of which is consumed."""
    result = CharSet()
    while (character := scanner.peek()) != "]" and scanner.peek(2) not in _OPERATIONS:
        if not character:
            raise scanner.fault("unclosed character class", start)
        result |= _item(scanner, character, start)
    return result


def _item(scanner: Scanner, character: str, start: int) -> CharSet:
    if character == "[":
        named = _POSIX.match(scanner.pattern, scanner.position)
        if named is None or named.group(2) not in POSIX:
            return bracketed(scanner)
        scanner.position = named.end()
        members = CharSet(POSIX[named.group(2)])
        return ~members if named.group(1) else members
    first = _member(scanner)
    return _after_first(scanner, first, start) if isinstance(first, str) else first


def _after_first(scanner: Scanner, first: str, start: int) -> CharSet:
    """A single character, or the range it begins."""
    if scanner.peek() != "-" or scanner.peek(2) in ("-]", "--"):
        return single(first)
    range_start = scanner.position
    scanner.take("-")
    if not scanner.peek():
        raise scanner.fault("unclosed character class", start)
    last = _member(scanner)
    if not isinstance(last, str):
        raise scanner.fault("invalid range boundary, must be a literal", range_start)
    if last < first:
        raise scanner.fault(
            "invalid character class range, the start must be <= the end", range_start
        )
    return CharSet(((ord(first), ord(last)),))


def _member(scanner: Scanner) -> str | CharSet:
    """One character, or the set of an escape such as `\\d`."""
    character = scanner.next("unclosed character class")
    if character != "\\":
        return character
    letter = scanner.next("incomplete escape sequence")
    named = scanner.named_set(letter)
    return scanner.escaped_character(letter) if named is None else named
