"""The programs of tests/conformance/reference_bugs, on which the reference is wrong, done right.

Each file says in its first line what a sane implementation gives; here that is written out by hand.
docs/deviations.md explains every one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from flintc.execute import run_json

SUITE = Path(__file__).resolve().parent / "conformance" / "reference_bugs"
DEVIATIONS = Path(__file__).resolve().parent.parent / "docs" / "deviations.md"


@dataclass(frozen=True)
class Runs:
    """The program ends normally: its result stack in Python values, and what it prints."""

    stack: list[object]
    stdout: str = ""


@dataclass(frozen=True)
class Fails:
    """A run-time error, at a line of the script."""

    message: str
    line: int
    stdout: str = ""


@dataclass(frozen=True)
class Rejected:
    """A compile error."""

    code: str
    line: int


SANE: dict[str, Runs | Fails | Rejected] = {
    "assert_as_value": Runs(["start\n", None], "start\n"),
    "assignment_from_plus_changes_kind": Rejected("E_NOT_CONCRETE", 2),
    # statements in the branches of a top-level if-expression leave their values (language 5.10)
    "branch_statement_in_array": Runs(["p", [1, 20]], "p"),
    "branch_statement_in_operand": Runs([10, 21]),
    "closure_argument_without_schema": Runs([4, 3, -1]),
    "collection_keys_by_identity": Runs(["1\n", "pair"], "1\n"),
    "duplicate_struct_line": Rejected("E_DUPLICATE_STRUCT", 3),
    "float_times_power_of_two": Runs(["4.5\n", "3\n", 8.0], "4.5\n3\n"),
    "four_library_modules": Runs([3]),
    "int_on_both_sides_of_text": Runs(["3 x \n", "3 x 4\n"], "3 x \n3 x 4\n"),
    "let_in_final_branch": Runs([4, 0]),
    "let_in_returned_closure": Runs([9]),
    "literal_length_skips_evaluation": Runs([2], "called\n"),
    "map_literal_length": Runs([3, 2, 1]),
    "null_assigned_to_optional": Runs([True]),
    "null_field_plain_read": Runs(["1\n", True], "1\n"),
    "number_parameters_conflict": Runs([3, 3.5]),
    "optional_chain": Runs([5, -1]),
    "or_right_operand_unchecked": Fails("type mismatch: expected bool", 3),
    "ownership_line_in_final_expression": Rejected("E_LOCAL_MOVED", 5),
    "parameter_element_becomes_null": Runs([[7, 8]]),
    "parameter_field_removed": Runs(["10\n"], "10\n"),
    "power_of_two_times_float_literal": Runs([3.0, 2.5, 10.0]),
    "print_clash_between_files": Runs(["main\n", 1], "main\nmodule\n"),
    "print_rejects_callables": Runs(["ok\n", "<closure>"], "ok\n<closure#0>"),
    "println_as_value": Runs(["a\n", "b\n"], "a\nb\n"),
    "range_loop_in_final_match": Runs([6, -1]),
    "recursive_struct_read": Runs([2]),
    "runtime_line_of_final_expression": Fails("division by zero", 3, "2\n"),
    "slot_reuse_type": Runs(["0\n", "2\n"], "0\n2\n"),
    "some_binding_in_function": Runs([15, 10]),
    "statement_takes_field": Runs([None], "x\nx\n"),
    "string_chain_plus_int": Runs(["<5>\n", "<abc5>\n"], "<5>\n<abc5>\n"),
    "string_literal_index_let": Runs(["a\n", "a"], "a\n"),
    "string_variable_plus_int": Runs(["abc!\n", "abc5\n"], "abc!\nabc5\n"),
    "third_kind_accepted": Rejected("E_NOT_CONCRETE", 2),
    "tuple_parameter": Runs(["a1"]),
    "type_of_number_local": Runs(["int", "float"]),
    "type_skips_evaluation": Runs(["array", "int"], "called\ncalled\n"),
}


def _plain(value: dict[str, Any]) -> object:
    """A typed value of the suite as a Python value; floats stay distinct from ints."""
    match value["type"]:
        case "float":
            return float(value["value"])
        case "array":
            return [_plain(item) for item in value["items"]]
        case "callable":
            return f"<{value['kind']}>"
        case _:
            return value.get("value")


def _outcome(result: dict[str, Any]) -> Runs | Fails | Rejected:
    error = result["error"]
    match result["status"]:
        case "ok":
            return Runs([_plain(value) for value in result["stack"]], result["stdout"])
        case "runtime_error":
            return Fails(error["message"], error["line"], result["stdout"])
        case _:
            return Rejected(error["code"], error["line"])


def _main_file(name: str) -> Path:
    single = SUITE / f"bug_{name}.rss"
    return single if single.exists() else SUITE / f"bug_{name}" / "main.rss"


@pytest.mark.parametrize("name", SANE)
def test_reference_bug_gives_its_sane_result(name: str) -> None:
    outcome = _outcome(run_json(str(_main_file(name))))
    # 3 == 3.0 in Python, so the types are compared too
    assert repr(outcome) == repr(SANE[name])


def test_every_reference_bug_has_a_sane_result() -> None:
    assert {f"bug_{name}" for name in SANE} == {path.stem for path in SUITE.glob("*.json")}


def test_every_reference_bug_is_documented() -> None:
    text = DEVIATIONS.read_text(encoding="utf-8")
    assert [name for name in SANE if f"`{name}`" not in text] == []


# Programs of the same kinds as those above; the results are worked out by hand.
_NODE = "struct Node { v: int, label: string? } let n: Node = {v: 1, label: null}; "
KINDRED: dict[str, Runs | Rejected] = {
    # kinds of variables
    "let x = 1; let x = 2.5; let x = 3; x;": Rejected("E_NOT_CONCRETE", 1),
    "fn f() -> int { let mut x = 1; x = 'a' + 'b'; 1 } f();": Rejected("E_NOT_CONCRETE", 1),
    "let i = 1.5; for i in 0..3 { } i;": Rejected("E_NOT_CONCRETE", 1),
    "let mut x = 'a'; x = x + 1; x;": Runs(["a1"]),
    # fields that may be null
    _NODE + "n.label == null;": Runs([True]),
    _NODE + "let l: string? = n['label']; l == null;": Runs([True]),
    _NODE + "fn g(s: string?) -> bool { s == null } g(n.label);": Runs([True]),
    _NODE + "fn g(n: Node) -> string? { n.label } g(n) == null;": Runs([True]),
    _NODE + "[n.label, 'x'];": Runs([[None, "x"]]),
    "struct Box<T> { v: T, alt: T? } let b: Box<int> = {v: 1, alt: null}; b.alt == null;": Runs(
        [True]
    ),
    # arrays and maps as keys
    "let mut m: map<int> = {}; m[[[1], [2]]] = 1; m[[[1], [2]]] = 2; m.length;": Runs([1]),
    "let mut m: map<int> = {}; m[[1]] = 1; m[[1.0]] = 2; m[[true]] = 3; m.length;": Runs([3]),
    "let mut m: map<int> = {}; m[{a: 1, b: 2}] = 5; &m[{b: 2, a: 1}];": Runs([5]),
    "let mut m: map<int> = {}; let mut k = [1]; m[k] = 5; k[0] = 2; m.has([1]); m.keys;": Runs(
        [True, [[1]]]
    ),
    # numbers, text
    "let a = 2 * 1.5 * 4; a; let x: number = 1.5; x * 8; 4 * x;": Runs([12.0, 12.0, 6.0]),
    "let s = 'q'; let f = 1.5; f + s; s + f + s; -1 + s;": Runs(["1.5q", "q1.5q", "-1q"]),
    "fn add(a: number?, b: number) -> number { a.unwrap_or(0) + b } "
    "add(null, 1); add(2.5, 1);": Runs([1, 3.5]),
    # statements in branches
    "let m = {k: if true => { 1; 2 } else => { 3 }}; m.k;": Runs([1, 2]),
    "fn f(x: int) -> int { x } [f(if true => { 7; 8 } else => { 9 })];": Runs([7, [8]]),
    # reading does not change what is read
    "fn f(p: map<string>) -> string { p['k']; let x = p.k; x + p.k } f({k: 'n'});": Runs(["nn"]),
    "fn first(s: string) -> string { let c = s[0]; c } first('xyz');": Runs(["x"]),
    "let b = b'ab'; let q = b[0]; q;".replace("'", '"'): Runs([97]),
    # lets in final expressions, optional bindings, tuples, functions as values
    "fn f(c: bool) -> int { if c => { let mut s: int = 0; while s < 5 { s = s + 2; } s } "
    "else => { let y = 3; y } } f(true); f(false);": Runs([6, 3]),
    "fn f(x: int?) -> int { let g = |y| match x { Some(z) => z + y, _ => y }; g(1) } "
    "f(5); f(null);": Runs([6, 1]),
    "let mut x: string? = 'a'; x = null; x = 'b'; x.unwrap_or('c');": Runs(["b"]),
    "fn f(t: [int, [string, float]], u: [bool, int]) -> int { t[0] + u[1] } "
    "f([1, ['a', 1.5]], [true, 1]);": Runs([2]),
    "fn ap(f: fn(string) -> string, x: string) -> string { f(x) } ap(println, 'hi');": Runs(
        ["hi\n"], "hi\n"
    ),
}


@pytest.mark.parametrize("text", KINDRED)
def test_programs_of_the_same_kinds(text: str, tmp_path: Path) -> None:
    script = tmp_path / "kindred.rss"
    script.write_text(text, encoding="utf-8")
    assert repr(_outcome(run_json(str(script)))) == repr(KINDRED[text])
