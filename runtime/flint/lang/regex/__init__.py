"""Rust's regular expressions on top of Python's `re` (language.md 6.6).

Differences that remain: a match may take exponential time where Rust's is linear, scripts are
recognised by character names, and CRLF mode (`(?R)`) is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from flint.lang.regex.classes import LAST, LAST_ASCII
from flint.lang.regex.scanner import RegexFault
from flint.lang.regex.syntax import translate

__all__ = ["Regex", "RegexFault", "compile_regex"]

_REFERENCE = re.compile(r"\$(?:(\$)|\{([^}]*)\}|([0-9A-Za-z_]+))")
_NUMBER = re.compile("[0-9]{1,9}")


class Regex:
    """A compiled expression; make it with `compile_regex`."""

    def __init__(self, pattern: str, last: int) -> None:
        try:
            translation = translate(pattern, last)
            self._compiled = re.compile(translation.pattern)
        except RecursionError:
            raise RegexFault(pattern, 0, "exceeded the maximum nesting") from None
        except (re.error, OverflowError) as error:
            raise RegexFault(pattern, 0, str(error)) from None
        self._names = translation.names

    def search(self, text: str) -> re.Match[str] | None:
        """The first match."""
        return self._compiled.search(text)

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """All matches; an empty one directly after another match does not count."""
        position, previous_end = 0, -1
        while position <= len(text) and (match := self._compiled.search(text, position)):
            position = match.end()
            if match.end() == match.start() == previous_end:
                position += 1
                continue
            previous_end = match.end()
            yield match

    def expand(self, match: re.Match[str], replacement: str) -> str:
        """The replacement with `$1`, `${1}`, `$name`, `${name}` filled in and `$$` as `$`."""
        return _REFERENCE.sub(lambda found: self._reference(match, found), replacement)

    def _reference(self, match: re.Match[str], found: re.Match[str]) -> str:
        dollar, braced, bare = found.groups()
        if dollar:
            return dollar
        name = bare if braced is None else braced
        number = int(name) if _NUMBER.fullmatch(name) else self._names.get(name, -1)
        return match[number] or "" if 0 <= number <= match.re.groups else ""


@lru_cache(maxsize=256)
def _compile(pattern: str, last: int) -> Regex:
    return Regex(pattern, last)


def compile_regex(pattern: str, text: str) -> Regex:
    """Compile a pattern for use on a text; `RegexFault` if it is malformed."""
    return _compile(pattern, LAST_ASCII if text.isascii() else LAST)
