"""Rust's regular expressions, in linear time (language.md 6.6).

RE2 matches by the rules of Rust's engine and without backtracking; for patterns with next to no
choice, Python's `re` is quicker. Differences that remain: scripts are recognised by character
names, CRLF mode (`(?R)`) is not known, and patterns with Unicode word boundaries, which RE2 lacks,
may take exponential time in Python's `re`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, Protocol

from flint.lang.regex.classes import LAST, LAST_ASCII
from flint.lang.regex.scanner import RegexFault
from flint.lang.regex.syntax import translate

__all__ = ["Regex", "RegexFault", "compile_regex"]

_REFERENCE = re.compile(r"\$(?:(\$)|\{([^}]*)\}|([0-9A-Za-z_]+))")
_LONG = 4096  # code points; one repetition backtracks over each of them for each
_RE2_MEMORY = 64 << 20
_NUMBER = re.compile("[0-9]{1,9}")


class Match(Protocol):
    """What the matches of both engines have."""

    def start(self) -> int: ...
    def end(self) -> int: ...
    def group(self) -> str: ...
    def groups(self) -> Sequence[str | None]: ...
    def __getitem__(self, number: int) -> str | None: ...


class Regex:
    """A compiled expression; make it with `compile_regex`."""

    def __init__(self, pattern: str, last: int) -> None:
        self._source = pattern, last
        try:
            translation = translate(pattern, last)
            self._compiled = re.compile(translation.pattern)
        except RecursionError:
            raise RegexFault(pattern, 0, "exceeded the maximum nesting") from None
        except (re.error, OverflowError) as error:
            raise RegexFault(pattern, 0, str(error)) from None
        self._names = translation.names
        self._repetitions = 2 if translation.nested else translation.repetitions

    def search(self, text: str) -> Match | None:
        """The first match."""
        match: Match | None = (self._re2_for(text) or self._compiled).search(text)
        return match

    def matches(self, text: str) -> Iterator[Match]:
        """All matches; an empty one directly after another match does not count."""
        engine = self._re2_for(text)
        found = self._by_backtracking(text) if engine is None else engine.finditer(text)
        previous_end = -1
        for match in found:
            if not match.end() == match.start() == previous_end:
                yield match
            previous_end = match.end()

    def _by_backtracking(self, text: str) -> Iterator[re.Match[str]]:
        """As RE2's `finditer`, which goes on behind an empty match; Python's looks there again."""
        position = 0
        while position <= len(text) and (match := self._compiled.search(text, position)):
            position = match.end() + (match.end() == position == match.start())
            yield match

    def _re2_for(self, text: str) -> Any:
        """RE2's form of the expression, where backtracking might take long; None if it has none."""
        if self._repetitions == 0 or (self._repetitions == 1 and len(text) <= _LONG):
            return None
        return self._re2

    @cached_property
    def _re2(self) -> Any:
        try:
            import re2
        except ImportError:
            return None
        options = re2.Options()
        options.log_errors, options.max_mem = False, _RE2_MEMORY
        try:
            return re2.compile(translate(*self._source, for_re2=True).pattern, options)
        except re2.error:  # look-around, or more than 1,000 repetitions
            return None

    def expand(self, match: Match, replacement: str) -> str:
        """The replacement with `$1`, `${1}`, `$name`, `${name}` filled in and `$$` as `$`."""
        return _REFERENCE.sub(lambda found: self._reference(match, found), replacement)

    def _reference(self, match: Match, found: re.Match[str]) -> str:
        dollar, braced, bare = found.groups()
        if dollar:
            return dollar
        name = bare if braced is None else braced
        number = int(name) if _NUMBER.fullmatch(name) else self._names.get(name, -1)
        return match[number] or "" if 0 <= number <= self._compiled.groups else ""


@lru_cache(maxsize=256)
def _compile(pattern: str, last: int) -> Regex:
    return Regex(pattern, last)


def compile_regex(pattern: str, text: str) -> Regex:
    """Compile a pattern for use on a text; `RegexFault` if it is malformed."""
    return _compile(pattern, LAST_ASCII if text.isascii() else LAST)
