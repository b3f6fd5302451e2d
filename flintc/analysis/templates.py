"""Format templates of `print` and `println` (language reference 6.2), checked before they run."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_BRACE: Final = re.compile("[{}]")
_PLACEHOLDER: Final = re.compile(
    r"\{(?P<arg>[0-9]{1,18})?"
    r"(?::[<^>]?\+?#?0?(?P<width>[0-9]{1,18}\$?)?"
    r"(?:\.(?P<precision>[0-9]{1,18}\$?|\*))?[?oxXbeE]?)?\}"
)


class Fault(NamedTuple):
    """A placeholder that is malformed or lacks its argument."""

    offset: int  # in bytes
    placeholder: str | None  # of one that is well formed
    needed: int  # the number of arguments that it takes


def find_fault(template: str, arguments: int) -> Fault | None:
    """The first fault of a template, or None.

    `arguments` counts the values after the template. Unused ones are no fault.
    """
    at = 0
    following = 0  # the argument of the next `{}`
    while (at := _next_brace(template, at)) < len(template):
        if template[at : at + 2] in ("{{", "}}"):
            at += 2
            continue
        match = _PLACEHOLDER.match(template, at)
        if match is None:
            return Fault(_bytes_before(template, at), None, 0)
        used, following = _arguments(match, following)
        if used >= arguments:
            return Fault(_bytes_before(template, at), match[0], used + 1)
        at = match.end()
    return None


def _next_brace(template: str, start: int) -> int:
    match = _BRACE.search(template, start)
    return len(template) if match is None else match.start()


def _arguments(match: re.Match[str], following: int) -> tuple[int, int]:
    """The largest argument index that a placeholder uses, and the next positional one."""
    used = -1
    if match["precision"] == "*":
        used, following = following, following + 1
    for reference in (match["width"], match["precision"]):
        if reference and reference.endswith("$"):
            used = max(used, int(reference[:-1]))
    if match["arg"] is None:
        return max(used, following), following + 1
    return max(used, int(match["arg"])), following


def _bytes_before(template: str, at: int) -> int:
    return len(template[:at].encode("utf-8", "surrogatepass"))
