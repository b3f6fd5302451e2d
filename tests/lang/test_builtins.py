"""Built-in functions without namespace (language.md 6.1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flint import lang
from flint.lang.builtins import BUILTINS
from flint.lang.errors import ScriptError


def error(function, *arguments) -> str:
    with pytest.raises(ScriptError) as caught:
        function(*arguments)
    return str(caught.value)


def test_print_gives_what_was_printed(capsys) -> None:
    value = [1.0, "a"]
    assert lang.print_(value) is value
    assert lang.print_("a{}", 1) == "a1"
    assert lang.println() == "\n"
    assert lang.println("{}") == "{}\n"
    assert lang.println("{}-{}", 1, 2.0) == "1-2\n"
    assert capsys.readouterr().out == "[1, a]a1\n{}\n1-2\n"


def test_assert() -> None:
    result = lang.assert_(True)  # noqa: PT009 - the language's own
    assert result is None
    assert error(lang.assert_, False) == "host error: assertion failed"
    assert error(lang.assert_, 1) == "type mismatch: expected bool"


def test_strings() -> None:
    assert lang.string_contains("abc", "")
    assert not lang.string_contains("abc", "x")
    assert lang.string_replace_literal("aaa", "aa", "b") == "ba"
    assert lang.string_replace_literal("abc", "", "-") == "abc"
    assert lang.string_lower_ascii("AZ\u00c9\u0130az") == "az\u00c9\u0130az"
    assert lang.string_split_literal("a,,b", ",") == ["a", "", "b"]
    assert lang.string_split_literal("ab", "") == ["ab"]
    assert lang.string_split_literal("", ",") == [""]
    assert error(lang.string_contains, "a", 1) == "type mismatch: expected string"


def test_functions_for_values_leave_their_arguments_alone() -> None:
    items, entries = [1], {"a": 1}
    assert lang.array_push(items, 2) == [1, 2]
    assert lang.set_(items, 1, 5) == [1, 5]
    assert lang.set_(entries, "a", None) == {}
    assert (items, entries) == ([1], {"a": 1})
    assert lang.count(items) == lang.count(entries) == 1
    assert lang.array_new() == []
    assert lang.map_new() == {}
    assert lang.concat(b"a", b"b") == b"ab"
    assert error(lang.count, "ab") == "type mismatch: expected array/map"
    assert error(lang.concat, "a", 1).startswith("type mismatch: expected ")


@given(st.text(max_size=5), st.integers(-3, 7), st.integers(-3, 7))
def test_slice_by_start_and_count(text: str, start: int, count: int) -> None:
    expected = "".join(c for i, c in enumerate(text) if start <= i < start + count)
    assert lang.slice_count(text, start, count) == (expected if start >= 0 else "")


def test_every_builtin_exists_under_its_name() -> None:
    assert all(callable(getattr(lang, name)) for name in BUILTINS.values())


@pytest.mark.parametrize(
    ("value", "kind"),
    [(1, "int"), (1, "number"), (1.5, "number"), (None, "int?"), ({}, "map"), (len, "callable")],
)
def test_declared_types_that_fit(value, kind: str) -> None:
    lang.checked_argument(value, kind)
    lang.checked_result(value, kind)


@pytest.mark.parametrize(
    ("value", "kind"), [(1.0, "int"), (True, "int"), (None, "map"), ("x", "int?")]
)
def test_declared_types_that_do_not(value, kind: str) -> None:
    argument = "type mismatch: expected callable argument schema"
    assert error(lang.checked_argument, value, kind) == argument
    assert (
        error(lang.checked_result, value, kind) == "type mismatch: expected callable return schema"
    )
