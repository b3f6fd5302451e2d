"""`re::`: searching, replacing and splitting with Rust's regular expressions (6.6).

Each function takes optional flags, which go before the pattern as `(?flags)`.
"""

from typing import Any

from flint.lang.errors import HostError
from flint.lang.kinds import expect
from flint.lang.regex import Regex, RegexFault, compile_regex


def match(pattern: str, text: str, flags: str | None = None) -> bool:
    """Whether the pattern occurs anywhere in the text."""
    return _compiled("match", pattern, text, flags).search(text) is not None


def find(pattern: str, text: str, flags: str | None = None) -> str | None:
    """The first match, or null."""
    found = _compiled("find", pattern, text, flags).search(text)
    return None if found is None else found.group()


def replace(pattern: str, text: str, replacement: str, flags: str | None = None) -> str:
    """Replace all matches; `$1`, `$name`, `${name}` stand for groups, `$$` for a dollar."""
    expect(replacement, str)
    regex = _compiled("replace", pattern, text, flags)
    parts, position = [], 0
    for found in regex.matches(text):
        parts += [text[position : found.start()], regex.expand(found, replacement)]
        position = found.end()
    return "".join([*parts, text[position:]])


def split(pattern: str, text: str, flags: str | None = None) -> list[str]:
    """The parts between all matches."""
    parts, position = [], 0
    for found in _compiled("split", pattern, text, flags).matches(text):
        parts.append(text[position : found.start()])
        position = found.end()
    return [*parts, text[position:]]


def captures(pattern: str, text: str, flags: str | None = None) -> list[Any]:
    """The first match and its groups, null for unmatched ones; empty without a match."""
    found = _compiled("captures", pattern, text, flags).search(text)
    return [] if found is None else [found.group(), *found.groups()]


def _compiled(name: str, pattern: str, text: str, flags: str | None) -> Regex:
    expect(pattern, str)
    expect(text, str)
    if flags is not None:
        expect(flags, str)
        pattern = f"(?{flags}){pattern}"
    try:
        return compile_regex(pattern, text)
    except RegexFault as fault:
        raise HostError(f"re_{name} invalid pattern: {fault}") from None
