"""Texts of errors, and the script error behind a Python error of generated code."""

import types

import pytest

from flint.lang import errors
from flint.lang.errors import HostError, TypeMismatch, translate


def test_texts() -> None:
    assert str(HostError("map key not found")) == "host error: map key not found"
    assert HostError("map key not found").message == "map key not found"
    assert str(TypeMismatch("number")) == "type mismatch: expected number"
    assert str(errors.ImportArity("a::b", 1, 2)) == (
        "invalid call arity for import 'a::b': expected 1, got 2"
    )
    assert not issubclass(errors.ProgramExit, Exception)


def raised_by(source: str, module: str = "generated_program") -> BaseException:
    """The error that a generated module raises when it runs `source`."""
    namespace = types.ModuleType(module).__dict__
    with pytest.raises(Exception) as caught:  # noqa: PT011 - any error is the point
        exec(compile(source, f"{module}.py", "exec"), namespace)
    return caught.value


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("1 // 0", "division by zero"),
        ("{}['a']", "host error: map key not found"),
        ("[][3]", "host error: array index out of bounds"),
        ("undeclared()", "callvalue operand is not callable"),
        ("def f():\n  g()\n  g = 1\nf()", "callvalue operand is not callable"),
        ("x = 5\nx()", "callvalue operand is not callable"),
        ("'a' - 'b'", "type mismatch: expected number"),
        ("-'b'", "type mismatch: expected number"),
        ("'a' < 1", "type mismatch: expected number"),
        ("1 + 'a'", "type mismatch: expected number/string or bytes/bytes or array/array"),
        ("'a' + 1", "type mismatch: expected number/string or bytes/bytes or array/array"),
        ("[1] + None", "type mismatch: expected number/string or bytes/bytes or array/array"),
        ("x = None\nx[0]", "type mismatch: expected bytes/array/map/string"),
        ("len(5)", "type mismatch: expected bytes/array/map/string"),
        ("'abc'[0] = 'x'", "type mismatch: expected array/map"),
        ("x = '0'\n[1][x]", "type mismatch: expected int"),
        ("def f(): return f()\nf()", "script call stack limit 1024 exceeded"),
        (
            "def f(a): pass\nf(1, 2)",
            "invalid call arity for callable 0: expected 1, got 2",
        ),
        (
            "from flint.lang import array_item\narray_item(None, 0)",
            "type mismatch: expected bytes/array/map/string",
        ),
    ],
)
def test_translation(source: str, text: str) -> None:
    translated = translate(raised_by(source))
    assert str(translated) == text


def test_script_errors_stay_themselves() -> None:
    error = HostError("x")
    assert translate(error) is error


def test_faults_of_host_functions_stay_visible() -> None:
    assert translate(raised_by("1 // 0", module="flint.runtime.tensor")) is None
    assert translate(raised_by("import json\njson.loads(5)")) is None


def test_what_has_no_counterpart() -> None:
    assert translate(ValueError("x")) is None
    assert translate(raised_by("assert False")) is None
