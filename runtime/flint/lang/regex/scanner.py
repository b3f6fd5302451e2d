"""Reading a regular expression character by character: flags, escapes and faults.

Shared by the parser of expressions and the parser of bracketed classes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from flint.lang.regex.classes import LAST_ASCII, CharSet, shorthand, unicode_property

_HEX_FIXED = {"x": 2, "u": 4, "U": 8}
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}


class RegexFault(Exception):
    """A malformed pattern; `str()` is a text of several lines that points at the fault."""

    def __init__(self, pattern: str, position: int, problem: str) -> None:
        marker = " " * position + "^"
        super().__init__(f"regex parse error:\n    {pattern}\n    {marker}\nerror: {problem}")


@dataclass(frozen=True, slots=True)
class Flags:
    """The inline flags `i m s U u x`."""

    i: bool = False
    m: bool = False
    s: bool = False
    U: bool = False
    u: bool = True
    x: bool = False


class Scanner:
    """A pattern, a position in it and the flags in force there.

    `last` is the greatest code point of the texts the pattern is for.
    """

    def __init__(self, pattern: str, last: int) -> None:
        self.pattern = pattern
        self.position = 0
        self.flags = Flags()
        self._last = last

    @property
    def last(self) -> int:
        """The greatest code point that Unicode-aware classes have to cover."""
        return self._last if self.flags.u else LAST_ASCII

    def peek(self, count: int = 1) -> str:
        """The next characters, fewer at the end; skips what the flag `x` allows between them."""
        if self.flags.x:
            self._skip_comments()
        return self.pattern[self.position : self.position + count]

    def _skip_comments(self) -> None:
        while (character := self.pattern[self.position : self.position + 1]) != "":
            if character == "#":
                end = self.pattern.find("\n", self.position)
                self.position = len(self.pattern) if end < 0 else end
            elif character.isspace():
                self.position += 1
            else:
                return

    def take(self, text: str) -> bool:
        """Move past a text if it comes next."""
        if self.peek(len(text)) != text:
            return False
        self.position += len(text)
        return True

    def next(self, complaint: str) -> str:
        """Move past one character, whatever it is; a fault at the end of the pattern."""
        character = self.pattern[self.position : self.position + 1]
        if not character:
            raise self.fault(complaint)
        self.position += 1
        return character

    def fault(self, problem: str, position: int | None = None) -> RegexFault:
        """The error for a problem here, or at another position."""
        return RegexFault(self.pattern, self.position if position is None else position, problem)

    def named_set(self, letter: str) -> CharSet | None:
        """The set of `\\d \\s \\w \\p` and their negations; None for another escape."""
        if letter in "dDsSwW":
            return shorthand(letter, self.last)
        if letter not in "pP":
            return None
        start = self.position - 2
        name = self._braced() if self.take("{") else self.next("incomplete escape sequence")
        negated = name.startswith("^")
        result = unicode_property(name.removeprefix("^").replace("!=", "="))
        if result is None:
            raise self.fault("Unicode property not found", start)
        return ~result if (letter == "P") != (negated or "!=" in name) else result

    def escaped_character(self, letter: str) -> str:
        """The character of an escape such as `\\n`, `\\x41`, `\\u{1F600}` or `\\.`."""
        if letter in _HEX_FIXED:
            return self._hex(_HEX_FIXED[letter])
        if letter in _CONTROLS:
            return _CONTROLS[letter]
        if letter.isascii() and not letter.isalnum() and letter not in "<>":
            return letter
        problem = "unrecognized escape sequence"
        if letter.isdecimal():
            problem = "backreferences are not supported"
        raise self.fault(problem, self.position - 2)

    def _hex(self, width: int) -> str:
        start = self.position
        digits = self._braced() if self.take("{") else self.pattern[start : start + width]
        if self.position == start:
            self.position += width
            if len(digits) < width:
                raise self.fault("incomplete escape sequence", start)
        if not re.fullmatch("[0-9A-Fa-f]+", digits):
            raise self.fault("invalid hexadecimal digit", start)
        code = int(digits, 16)
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise self.fault("hexadecimal literal is not a Unicode scalar value", start)
        return chr(code)

    def _braced(self) -> str:
        end = self.pattern.find("}", self.position)
        if end < 0:
            raise self.fault("incomplete escape sequence")
        text = self.pattern[self.position : end]
        self.position = end + 1
        return text
