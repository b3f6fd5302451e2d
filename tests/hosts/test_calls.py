"""What scripts pass to functions of the user's modules, and what they get."""

from __future__ import annotations

from pathlib import Path

import pytest

import flint
from flintc.compiler import compile_text
from flintc.execute import run_json

pytestmark = pytest.mark.usefixtures("folder")


def run(text: str) -> dict[str, object]:
    Path("main.rss").write_text(f"use mypackage;\n{text}\n")
    return run_json("main.rss", host="mypackage.ops")


def output(text: str) -> object:
    result = run(text)
    assert result["error"] is None, result["error"]
    return result["stdout"]


def failure(text: str) -> str:
    error = run(text)["error"]
    assert isinstance(error, dict)
    assert error["phase"] == "run"
    assert error["line"] is not None
    return str(error["message"])


def problem(text: str) -> tuple[str, str]:
    found = compile_text(f"use mypackage;\n{text}\n", host="mypackage.ops").problems.items[0]
    return found.code, found.title


@pytest.mark.parametrize(
    ("call", "printed"),
    [
        ("scale(1.5, 4.0)", "6"),
        ("scale(1.5)", "3"),
        ("kind(2)", "float"),
        ("total([1, 2])", "1003"),
        ('find({"a": 1}, "a").unwrap_or(0)', "1"),
        ('find({"a": 1}, "b").unwrap_or(-1)', "-1"),
        ('shout("hi", true).unwrap_or("")', "HI"),
        ('shout(null, true).unwrap_or("none")', "none"),
        ('backwards(b"abc")', "bytes[len=3 hex=636261]"),
        ("nothing()", "null"),
        ("twice(|x| x + 5, 1)", "11"),
        ("width(mypackage::ops::open_picture(640))", "640"),
        ("width(0)", "-1"),
        ("halved(3).unwrap_or(0.0)", "1.5"),
        ('echo([1, "a", null, {k: 2.5}])', "[1, a, null, {k: 2.5}]"),
        ("nested(2)", "{values: [0, 1]}"),
    ],
)
def test_values(call: str, printed: str) -> None:
    assert output(f"println(mypackage::ops::{call});") == f"{printed}\n"


def test_results_have_types() -> None:
    text = """
    let x = mypackage::ops::scale(0.5);
    let add = mypackage::ops::adder(10);
    let picture = mypackage::ops::open_picture(3);
    let values = mypackage::ops::nested(3);
    println(x + 1.0);
    println(add(5) * 2);
    println(mypackage::ops::width(picture) - 1);
    println(values["values"][2] + 0.5);
    """
    assert output(text) == "2\n30\n2\n2.5\n"


def test_arrays_and_maps_are_passed_by_value() -> None:
    text = """
    let items = [1, 2];
    let entries = {a: 1};
    mypackage::ops::total(items);
    mypackage::ops::find(entries, "a");
    println(items.length);
    println(entries.length);
    """
    assert output(text) == "2\n1\n"


def test_an_error_in_a_callback_is_the_scripts() -> None:
    text = """
    fn divide(x: int) -> int { 10 / x }
    mypackage::ops::twice(divide, 0);
    """
    assert failure(text) == "division by zero"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("fails(3)", "fails: ValueError: no 3"),
        ("fails_in_a_map()", "fails_in_a_map: KeyError: 'key'"),
        (
            'echo({["a"]: 1, [true]: 2})',
            "echo: argument x: expected a string as key, got True (bool)",
        ),
        ('returns("int")', "returns: returned 3 (int), not float; it declares float"),
        ('returns("none")', "returns: returned None, not float; it declares float"),
        ('returns("text")', "returns: returned 'x' (str), not float; it declares float"),
        ('integer("bool")', "integer: returned True (bool), not int; it declares int"),
        ('integer("float")', "integer: returned 3.0 (float), not int; it declares int"),
        (
            'integer("subclass")',
            "integer: returned a mypackage.ops.Integer, not int; it declares int",
        ),
        (
            'integer("big")',
            "integer: returned 1180591620717411303424 (int), not an int of 64 bits;"
            " it declares int",
        ),
        ('items("tuple")', "items: returned a tuple, not array; it declares list[int]"),
        ('items("text")', "items: returned 'x' (str) at [1], not int; it declares list[int]"),
        (
            'items("deep")',
            "items: returned 9223372036854775808 (int) at [1], not an int of 64 bits;"
            " it declares list[int]",
        ),
        (
            'anything("tuple")',
            "anything: returned a tuple, not a value that scripts have; it declares object",
        ),
        (
            'anything("subclass")',
            "anything: returned a mypackage.ops.Integer, not a value that scripts have;"
            " it declares object",
        ),
    ],
)
def test_broken_promises_and_exceptions_name_the_function(call: str, message: str) -> None:
    assert failure(f"mypackage::ops::{call};") == f"host error: mypackage::ops::{message}"


def test_numpy_scalars_are_no_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    Path("lengths.py").write_text(
        "import numpy\ndef half(x: float) -> float: return numpy.float64(x / 2)\n"
    )
    script = flint.compile_source("use lengths; lengths::half(3.0);", host="lengths")
    kind = f"{numpy.float64.__module__}.{numpy.float64.__qualname__}"
    with pytest.raises(flint.HostError, match=f"lengths::half: returned a {kind}, not float"):
        flint.ScriptRunner().run_text(script.program)


def test_values_that_contradict_their_annotation_are_refused() -> None:
    text = """
    use json;
    let x: int = json::decode("[1]");
    mypackage::ops::twice(|y| y, x);
    """
    message = "host error: mypackage::ops::twice: argument x: expected int, got a list"
    assert failure(text) == message


@pytest.mark.parametrize(
    ("call", "code", "title"),
    [
        ('scale("a")', "E_TYPE_MISMATCH", "string"),
        ("total([1.5])", "E_TYPE_MISMATCH", "float"),
        ("scale()", "E_ARGUMENT_COUNT", "expects 1 to 2 arguments, 0 given"),
        ("scale(1.0, 2.0, 3.0)", "E_ARGUMENT_COUNT", "expects 1 to 2 arguments, 3 given"),
        ("twice(|x, y| x, 1)", "E_TYPE_MISMATCH", "takes 2 parameters"),
        ("words(0)", "E_HOST_FUNCTION", "its parameter `text` is annotated `set[str]`"),
        ("partly(1, 2)", "E_HOST_FUNCTION", "its parameter `y` has no annotation"),
        ("without_result(1)", "E_HOST_FUNCTION", "its result has no annotation"),
        ("later(1)", "E_HOST_FUNCTION", "it is `async`"),
        ("many(1)", "E_HOST_FUNCTION", "it takes `*values`"),
        ("named(1)", "E_HOST_FUNCTION", "its parameter `y` can only be given by name"),
        ("either(1)", "E_HOST_FUNCTION", "of the unions, scripts have only those with `None`"),
        ("bare(1)", "E_HOST_FUNCTION", "name the type of its items"),
        ("plain(1)", "W_UNKNOWN_HOST_FUNCTION", "there is no host function"),
        ("_private(1)", "W_UNKNOWN_HOST_FUNCTION", "there is no host function"),
        ("skale(1.0)", "W_UNKNOWN_HOST_FUNCTION", "there is no host function"),
    ],
)
def test_wrong_calls_are_found_before_running(call: str, code: str, title: str) -> None:
    found = problem(f"mypackage::ops::{call};")
    assert found[0] == code
    assert title in found[1]


def test_an_optional_result_must_be_unwrapped() -> None:
    code, _ = problem('let x: int = mypackage::ops::find({"a": 1}, "a");')
    assert code == "E_OPTIONAL_VALUE"


def test_a_misspelt_name_gets_advice() -> None:
    compiled = compile_text("use mypackage; mypackage::ops::skale(1.0);", host="mypackage.ops")
    assert compiled.problems.items[0].help == "did you mean `mypackage::ops::scale`?"
