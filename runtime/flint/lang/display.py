"""The texts of values: display for people, debug in Rust's style (language.md 5.11)."""

import re
import unicodedata
from collections.abc import Callable

from flint.lang.calls import callable_kind
from flint.lang.errors import TypeMismatch
from flint.lang.floats import debug_float, display_float
from flint.lang.keys import from_map_key
from flint.lang.kinds import is_callable
from flint.lang.state import current

_BYTES_SHOWN = 16
_CALLABLE_TAGS = {"function": "fn", "closure": "closure", "host": "host-fn"}


def display(value: object) -> str:
    """The text that `print` writes."""
    write = _DISPLAY.get(type(value))
    return _display_other(value) if write is None else write(value)


def text_operand(value: object) -> str:
    """An operand of `+` beside a string: a string, or a number as text (5.5)."""
    if type(value) is str:
        return value
    if type(value) is int or type(value) is float:
        return display(value)
    raise TypeMismatch("string")


def _display_array(items: list[object]) -> str:
    return "[" + ", ".join(map(display, items)) + "]"


def _display_map(entries: dict[object, object]) -> str:
    return "{" + ", ".join(f"{_display_key(k)}: {display(v)}" for k, v in entries.items()) + "}"


def _display_key(key: object) -> str:
    return display(from_map_key(key))


def _display_bytes(data: bytes) -> str:
    more = ".." if len(data) > _BYTES_SHOWN else ""
    return f"bytes[len={len(data)} hex={data[:_BYTES_SHOWN].hex()}{more}]"


def _display_other(value: object) -> str:
    if is_callable(value):
        number = current().callable_number(value)  # type: ignore[arg-type]
        return f"<{_CALLABLE_TAGS[callable_kind(value)]}#{number}>"
    handle = getattr(value, "handle", None)
    return str(handle) if type(handle) is int else type(value).__name__


_DISPLAY: dict[type, Callable[..., str]] = {
    type(None): lambda value: "null",
    bool: lambda value: "true" if value else "false",
    int: str,
    float: display_float,
    str: str,
    bytes: _display_bytes,
    list: _display_array,
    dict: _display_map,
}

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
_UNSAFE = re.compile(r'["\\]|[^ -~]')


def debug_string(text: str) -> str:
    """A string in double quotes with escapes; unprintable characters as `\\u{hex}`."""
    return '"' + _UNSAFE.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character in _ESCAPES:
        return _ESCAPES[character]
    # a combining mark alone would merge with the character before it
    if character.isprintable() and unicodedata.category(character) not in ("Mn", "Me"):
        return character
    return f"\\u{{{ord(character):x}}}"


class Debug:
    """Writer of constructor style, e.g. `Array([Int(1), String("a")])`.

    `number` writes ints and floats and `boolean` bools, so that a format template's width and
    precision reach the inner values. With `pretty`, each item has a line of its own, indented
    by four spaces a level.
    """

    def __init__(
        self,
        number: Callable[[int | float], str] | None = None,
        boolean: Callable[[bool], str] = display,
        pretty: bool = False,
    ) -> None:
        self._number = number or _debug_number
        self._boolean = boolean
        self._pretty = pretty

    def top(self, value: object) -> str:
        """A value as `{:?}` shows it: containers without their own constructor."""
        if type(value) is list:
            return self._array(value, 0)
        if type(value) is dict:
            return self._map(value, 0)
        if type(value) is str:
            return debug_string(value)
        return display(value) if value is None or type(value) is bytes else self._plain(value)

    def constructor(self, value: object, level: int = 0) -> str:
        """A value with its constructor, e.g. `Int(1)`."""
        if value is None:
            return "Null"
        if type(value) not in _CONSTRUCTORS:
            return display(value)
        name = _CONSTRUCTORS[type(value)]
        return name + self._block("()", [self._inner(value, level + 1)], level)

    def _inner(self, value: object, level: int) -> str:
        if type(value) is list:
            return self._array(value, level)
        if type(value) is dict:
            return self._map(value, level)
        if type(value) is bytes:
            return self._block("[]", [self._number(byte) for byte in value], level)
        return debug_string(value) if type(value) is str else self._plain(value)

    def _plain(self, value: object) -> str:
        if type(value) is int or type(value) is float:
            return self._number(value)
        return self._boolean(value) if type(value) is bool else display(value)

    def _array(self, items: list[object], level: int) -> str:
        return self._block("[]", [self.constructor(v, level + 1) for v in items], level)

    def _map(self, entries: dict[object, object], level: int) -> str:
        parts = [
            f"{self.constructor(from_map_key(k), level + 1)}: {self.constructor(v, level + 1)}"
            for k, v in entries.items()
        ]
        return self._block("{}", parts, level)

    def _block(self, brackets: str, parts: list[str], level: int) -> str:
        opening, closing = brackets[0], brackets[1]
        if not self._pretty or not parts:
            return opening + ", ".join(parts) + closing
        indent = "\n" + "    " * (level + 1)
        body = "".join(f"{indent}{part}," for part in parts)
        return opening + body + "\n" + "    " * level + closing


def _debug_number(value: int | float) -> str:
    return debug_float(value) if type(value) is float else str(value)


_CONSTRUCTORS: dict[type, str] = {
    bool: "Bool",
    int: "Int",
    float: "Float",
    str: "String",
    bytes: "Bytes",
    list: "Array",
    dict: "Map",
}


def debug(value: object) -> str:
    """The text of `{:?}`."""
    return Debug().top(value)


def debug_pretty(value: object) -> str:
    """The text of `{:#?}`: one item a line."""
    return Debug(pretty=True).top(value)


def stack_text(values: list[object]) -> str:
    """A result stack in constructor style: `[Int(1), Bool(true)]`."""
    return Debug().top(values)
