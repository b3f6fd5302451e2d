"""Translation of Rust's regular expressions into Python's (language.md 6.6).

Python has most of the same syntax with other meanings (`$`, `\\Z`, flags in the middle, `a*+`),
so each construct is parsed and written anew with its flags made explicit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from flint.lang.regex.bracket import bracketed
from flint.lang.regex.classes import LAST_ASCII, shorthand
from flint.lang.regex.scanner import Flags, Scanner


@dataclass(frozen=True, slots=True)
class Translation:
    """A Python pattern and the numbers of its named groups.

    `repetitions` counts its `* + ? {n}`; `nested` says that one of them repeats a group.
    """

    pattern: str
    names: dict[str, int]
    repetitions: int
    nested: bool


_REPETITION = re.compile(r"[*+?]|\{\s*([0-9]*)\s*(,?)\s*([0-9]*)\s*\}")
_GROUP_NAME = re.compile(r"[A-Za-z_][\w.\[\]]*")
_BRACED_NAME = re.compile(r"\{([a-z-]+)\}")
_BOUNDARIES = {  # W is a word character
    "b": "(?:(?<!W)(?=W)|(?<=W)(?!W))",
    "B": "(?:(?<!W)(?!W)|(?<=W)(?=W))",
    "<": "(?<!W)(?=W)",
    ">": "(?<=W)(?!W)",
    "start": "(?<!W)(?=W)",
    "end": "(?<=W)(?!W)",
    "start-half": "(?<!W)",
    "end-half": "(?!W)",
}
_MAX_DIGITS = 9
_MAX_DEPTH = 250  # the reference's limit, and well within Python's recursion


def translate(pattern: str, last: int, for_re2: bool = False) -> Translation:
    """Translate a whole pattern for texts whose code points are at most `last`."""
    return _Parser(pattern, last, for_re2).parse()


class _Parser(Scanner):
    def __init__(self, pattern: str, last: int, for_re2: bool) -> None:
        super().__init__(pattern, last)
        self._end = r"\z" if for_re2 else r"\Z"
        self._boundary_of_ascii = r"\b" if for_re2 else r"(?a:\b)"
        self._repetitions = 0
        self._nested = False
        self._groups = 0
        self._depth = 0
        self._names: dict[str, int] = {}

    def parse(self) -> Translation:
        text = self._alternatives()
        if self.position < len(self.pattern):
            raise self.fault("unopened group")
        return Translation(text, self._names, self._repetitions, self._nested)

    # -- structure --------------------------------------------------------------------

    def _alternatives(self) -> str:
        """Everything up to the end of the group; flags set inside end with it."""
        outer = self.flags
        branches = [self._sequence()]
        while self.take("|"):
            branches.append(self._sequence())
        self.flags = outer
        return "|".join(branches)

    def _sequence(self) -> str:
        parts: list[str] = []
        while (character := self.peek()) not in ("", "|", ")"):
            if character in "*+?{":
                raise self.fault("repetition operator missing expression")
            atom = self._atom()
            parts.append(atom if atom == "" else self._repeated(atom))
        return "".join(parts)

    def _repeated(self, atom: str) -> str:
        """The atom with all repetition operators that follow it."""
        while self.peek() and (match := _REPETITION.match(self.pattern, self.position)):
            operator = self._operator(match)
            self.position = match.end()
            self._repetitions += 1
            self._nested |= atom.startswith("(")
            lazy = self.take("?") != self.flags.U
            atom = f"(?:{atom}){operator}{'?' if lazy else ''}"
        if self.peek() == "{":
            raise self.fault("repetition quantifier expects a valid decimal")
        return atom

    def _operator(self, match: re.Match[str]) -> str:
        if match.group() in "*+?":
            return match.group()
        least, comma, most = match.groups()
        if not least and not (comma and most):
            raise self.fault("repetition quantifier expects a valid decimal")
        if max(len(least), len(most)) > _MAX_DIGITS:
            raise self.fault("decimal literal invalid")
        if most and int(least or 0) > int(most):
            raise self.fault("invalid repetition count range, the start must be <= the end")
        return f"{{{int(least or 0)}{comma}{most}}}"

    def _atom(self) -> str:
        character = self.pattern[self.position]
        if character == "(":
            return self._group()
        if character == "[":
            return self._folded(bracketed(self).pattern())
        self.position += 1
        if character == "\\":
            return self._escape()
        if character == ".":
            return "(?s:.)" if self.flags.s else r"[^\n]"
        if character == "^":
            return "(?m:^)" if self.flags.m else r"\A"
        if character == "$":
            return "(?m:$)" if self.flags.m else self._end
        return self._literal(character)

    def _literal(self, character: str) -> str:
        return self._folded(re.escape(character))

    def _folded(self, text: str) -> str:
        return f"(?i:{text})" if self.flags.i else text

    # -- groups -----------------------------------------------------------------------

    def _group(self) -> str:
        start = self.position
        self.position += 1
        outer = self.flags
        opening = self._opening(start)
        if opening == "":
            return ""
        if self._depth == _MAX_DEPTH:
            raise self.fault(f"exceeded the maximum number of nested groups ({_MAX_DEPTH})", start)
        self._depth += 1
        body = self._alternatives()
        self._depth -= 1
        if not self.take(")"):
            raise self.fault("unclosed group", start)
        self.flags = outer
        return f"{opening}{body})"

    def _opening(self, start: int) -> str:
        """The start of a group; `""` for flags that change the rest of the enclosing group."""
        if not self.take("?"):
            self._groups += 1
            return "("
        if self.take("P<") or (self.peek(2) not in ("<=", "<!") and self.take("<")):
            self._name()
            return "("
        if self.peek() in ("=", "!", "<"):
            raise self.fault(
                "look-around, including look-ahead and look-behind, is not supported", start
            )
        self.flags, closed = self._new_flags()
        return "" if closed else "(?:"

    def _name(self) -> None:
        match = _GROUP_NAME.match(self.pattern, self.position)
        if match is None or self.pattern[match.end() : match.end() + 1] != ">":
            raise self.fault("invalid or unclosed capture group name")
        if match.group() in self._names:
            raise self.fault("duplicate capture group name")
        self._groups += 1
        self._names[match.group()] = self._groups
        self.position = match.end() + 1

    def _new_flags(self) -> tuple[Flags, bool]:
        """Read `i-s:` or `i-s)`; whether the flags were closed by a parenthesis."""
        flags, value, start = self.flags, True, self.position
        while (letter := self.next("unclosed group")) not in (":", ")"):
            if letter == "-" and value:
                value = False
            elif letter in Flags.__slots__:
                flags = replace(flags, **{letter: value})
            else:
                raise self.fault("unrecognized flag", self.position - 1)
        if letter == ")" and self.position - 1 == start:
            raise self.fault("repetition operator missing expression", start)
        if self.pattern[self.position - 2] == "-":
            raise self.fault("dangling flag negation operator", self.position - 2)
        return flags, letter == ")"

    # -- escapes ----------------------------------------------------------------------

    def _escape(self) -> str:
        letter = self.next("incomplete escape sequence")
        if letter in ("A", "z"):
            return r"\A" if letter == "A" else self._end
        if letter in ("b", "B", "<", ">"):
            return self._boundary(letter)
        if (named := self.named_set(letter)) is not None:
            return self._folded(named.pattern())
        return self._literal(self.escaped_character(letter))

    def _boundary(self, letter: str) -> str:
        name = letter
        if letter == "b" and (braced := _BRACED_NAME.match(self.pattern, self.position)):
            name = braced.group(1)
            self.position = braced.end()
        if name not in _BOUNDARIES:
            raise self.fault("special word boundary assertion is unrecognized")
        if name == "b" and self.last == LAST_ASCII:
            return self._boundary_of_ascii
        return _BOUNDARIES[name].replace("W", shorthand("w", self.last).pattern())
