"""Parser of format templates such as `"{:>8.2} {0:?}"` (language.md 6.2).

Needs nothing but the standard library, so that the compiler can check templates with the very
code that runs them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

MAX_WIDTH = 65_535
"""Largest width or precision; a wider field is refused like a malformed one."""


class TemplateError(ValueError):
    """A malformed template; `offset` is the place of the fault in UTF-8 bytes."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"format string is invalid near byte {offset}")
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Count:
    """A width or precision: a number, or the index of the argument that holds it."""

    value: int
    from_argument: bool = False


@dataclass(frozen=True, slots=True)
class Placeholder:
    """One `{...}`: which argument to write, and how. `position` counts characters."""

    argument: int
    position: int
    alignment: Literal["", "<", "^", ">"] = ""
    plus: bool = False
    alternate: bool = False
    zero: bool = False
    width: Count | None = None
    precision: Count | None = None
    kind: Literal["", "?", "o", "x", "X", "b", "e", "E"] = ""

    @property
    def is_plain(self) -> bool:
        """Whether this is `{}` or `{n}`: the value's display text, nothing else."""
        styled = self.alignment or self.plus or self.alternate or self.zero or self.kind
        return not styled and self.width is None and self.precision is None

    def needed(self) -> int:
        """How many arguments there must be."""
        counts = [c.value for c in (self.width, self.precision) if c and c.from_argument]
        return 1 + max(self.argument, *counts, 0)


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed template: literal texts (braces unescaped) and placeholders in order."""

    text: str
    parts: tuple[str | Placeholder, ...]

    def offset(self, placeholder: Placeholder) -> int:
        """Where the placeholder starts, in UTF-8 bytes."""
        return byte_offset(self.text, placeholder.position)

    def missing(self, count: int) -> int | None:
        """Byte offset of the first placeholder that `count` arguments do not satisfy."""
        for part in self.parts:
            if isinstance(part, Placeholder) and part.needed() > count:
                return self.offset(part)
        return None


_PLACEHOLDER = re.compile(
    r"""\{
    (?P<argument>[0-9]+)?
    (?: :
        (?P<alignment>[<^>])?
        (?P<plus>\+)?
        (?P<alternate>\#)?
        (?P<zero>0(?!\$))?
        (?: (?P<width>[0-9]+) (?P<width_argument>\$)? )?
        (?: \. (?: (?P<precision>[0-9]+) (?P<precision_argument>\$)? | (?P<star>\*) ) )?
        (?P<kind>[?oxXbeE])?
    )?
    \}""",
    re.VERBOSE,
)
_LITERAL = re.compile(r"(?:[^{}]|\{\{|\}\})+")


def parse_template(text: str) -> Template:
    """Parse a template; `TemplateError` names the place of the first fault."""
    parts: list[str | Placeholder] = []
    position = following = 0
    while position < len(text):
        if literal := _LITERAL.match(text, position):
            parts.append(literal.group().replace("{{", "{").replace("}}", "}"))
            position = literal.end()
            continue
        match = _PLACEHOLDER.match(text, position)
        if match is None:
            raise TemplateError(byte_offset(text, position))
        placeholder, following = _placeholder(match, following, text)
        parts.append(placeholder)
        position = match.end()
    return Template(text, tuple(parts))


def byte_offset(text: str, position: int) -> int:
    """Convert an index of characters into one of UTF-8 bytes."""
    return len(text[:position].encode("utf-8", "surrogatepass"))


def _placeholder(match: re.Match[str], following: int, text: str) -> tuple[Placeholder, int]:
    """The placeholder, and the index of the argument that the next `{}` takes."""
    field = match.groupdict()
    precision = _count(field["precision"], field["precision_argument"])
    if field["star"]:
        precision = Count(following, from_argument=True)
        following += 1
    width = _count(field["width"], field["width_argument"])
    if any(c and not c.from_argument and c.value > MAX_WIDTH for c in (width, precision)):
        raise TemplateError(byte_offset(text, match.start()))
    argument = following if field["argument"] is None else _number(field["argument"])
    placeholder = Placeholder(
        argument=argument,
        position=match.start(),
        alignment=field["alignment"] or "",  # type: ignore[arg-type]
        plus=field["plus"] is not None,
        alternate=field["alternate"] is not None,
        zero=field["zero"] is not None,
        width=width,
        precision=precision,
        kind=field["kind"] or "",  # type: ignore[arg-type]
    )
    return placeholder, following + (field["argument"] is None)


def _count(digits: str | None, mark: str | None) -> Count | None:
    return None if digits is None else Count(_number(digits), from_argument=mark is not None)


def _number(digits: str) -> int:
    """The value of decimal digits; beyond any sensible size it does not matter how large."""
    return int(digits[-18:]) if not digits[:-18].strip("0") else 10**18
