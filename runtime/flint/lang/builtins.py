"""The built-in functions that need no `use` (language.md 6.1), callable by name or as values.

`BUILTINS` maps their RustScript names to names of `flint.lang`; the compiler reads it.
"""

from typing import Any, TypeVar

from flint.lang.containers import own, set_item
from flint.lang.display import display
from flint.lang.errors import HostError, TypeMismatch
from flint.lang.formatting import format_template
from flint.lang.kinds import expect

T = TypeVar("T")


def print_(value: T, *arguments: object) -> T | str:
    """Write a value, or with more arguments a filled template; returns what was printed."""
    if arguments:
        text = _fill(value, arguments)
        print(text, end="")
        return text
    print(display(value), end="")
    return value


def println(*arguments: object) -> str:
    """Write a line in one piece; returns it with its newline."""
    line = "\n"
    if len(arguments) == 1:
        line = display(arguments[0]) + line
    elif arguments:
        line = _fill(arguments[0], arguments[1:]) + line
    print(line, end="")
    return line


def _fill(template: object, arguments: tuple[object, ...]) -> str:
    if type(template) is not str:
        raise TypeMismatch("string")
    return format_template(template, *arguments)


def assert_(condition: object) -> None:
    """Fail with `assertion failed` unless the condition is true."""
    expect(condition, bool)
    if not condition:
        raise HostError("assertion failed")


def string_contains(text: str, needle: str) -> bool:
    """Whether `needle` occurs in `text`; the empty string always does."""
    _expect_strings(text, needle)
    return needle in text


def string_replace_literal(text: str, needle: str, replacement: str) -> str:
    """Replace every occurrence, left to right; an empty needle changes nothing."""
    _expect_strings(text, needle, replacement)
    return text.replace(needle, replacement) if needle else text


def string_lower_ascii(text: str) -> str:
    """Lower the letters A to Z only."""
    expect(text, str)
    return text.translate(_LOWER_ASCII)


_LOWER_ASCII = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def string_split_literal(text: str, delimiter: str) -> list[str]:
    """Split at every occurrence; an empty delimiter does not split."""
    _expect_strings(text, delimiter)
    return text.split(delimiter) if delimiter else [text]


def _expect_strings(*values: object) -> None:
    for value in values:
        expect(value, str)


def slice_count(container: object, start: int, count: int) -> Any:
    """The built-in value `slice`: `count` elements from `start` on, fewer at the end."""
    if type(container) not in (str, bytes, list):
        raise TypeMismatch("bytes/array/string")
    expect(start, int)
    expect(count, int)
    end = start + count if start >= 0 and count > 0 else 0
    return container[start:end] if end else container[:0]  # type: ignore[index]


def concat(left: object, right: object) -> Any:
    """The built-in value `concat`: two strings, bytes or arrays in one."""
    if type(left) is not type(right) or type(left) not in (str, bytes, list):
        raise TypeMismatch("string/string or bytes/bytes or array/array")
    return left + right  # type: ignore[operator]


def array_new() -> list[Any]:
    """The built-in value `array_new`: an empty array."""
    return []


def array_push(items: list[T], value: T) -> list[T]:
    """The built-in value `array_push`: a copy with one more element."""
    expect(items, list)
    return [*items, value]


def map_new() -> dict[Any, Any]:
    """The built-in value `map_new`: an empty map."""
    return {}


def set_(container: T, key: object, value: object) -> T:
    """The built-in value `set`: a copy in which `key` holds `value`."""
    updated = own(container)
    set_item(updated, key, value)
    return updated


def count(container: object) -> int:
    """The built-in value `count`: elements of an array or entries of a map."""
    if type(container) is not list and type(container) is not dict:
        raise TypeMismatch("array/map")
    return len(container)


BUILTINS: dict[str, str] = {
    "print": "print_",
    "println": "println",
    "type": "type_name",
    "assert": "assert_",
    "string_contains": "string_contains",
    "string_replace_literal": "string_replace_literal",
    "string_lower_ascii": "string_lower_ascii",
    "string_split_literal": "string_split_literal",
    "len": "length",
    "slice": "slice_count",
    "concat": "concat",
    "array_new": "array_new",
    "array_push": "array_push",
    "map_new": "map_new",
    "get": "item",
    "set": "set_",
    "has": "has",
    "keys": "keys",
    "count": "count",
}
