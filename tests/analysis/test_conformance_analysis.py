"""The analysis against the reference's results: no false errors, and errors where it has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flintc.analysis.check import check
from flintc.analysis.infer import infer
from flintc.analysis.resolve import resolve
from flintc.analysis.symbols import Resolution, Typing
from flintc.analysis.types import (
    Array,
    Callable,
    Handle,
    Map,
    Object,
    Optional,
    Primitive,
    StructRef,
    Tuple,
    Type,
)
from flintc.catalogue import load
from flintc.files import DiskFiles
from flintc.modules import load_program
from flintc.problems import Problem, Problems
from flintc.syntax import nodes

TESTS = Path(__file__).resolve().parent.parent
CASES = sorted((TESTS / "conformance" / "given").glob("*/*.json"))
CATALOGUE = load(TESTS.parent / "runtime")
# Phases of the reference that this analysis takes the place of.
PHASES = ("parse", "import", "load", "compile")


def expectation(case: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(case.read_text(encoding="utf-8"))
    return loaded


def analyse(case: Path) -> tuple[Resolution, Typing, list[Problem]]:
    single = case.with_suffix(".rss")
    root = single if single.exists() else case.with_suffix("") / "main.rss"
    problems = Problems()
    resolution = resolve(load_program(str(root), DiskFiles(), problems), CATALOGUE, problems)
    typing = infer(resolution, CATALOGUE, problems)
    if not problems.has_errors:
        check(resolution, typing, problems)
    return resolution, typing, problems.items


def with_status(*statuses: str) -> list[Path]:
    return [case for case in CASES if expectation(case)["status"] in statuses]


@pytest.mark.parametrize("case", with_status("ok", "runtime_error"), ids=lambda case: case.stem)
def test_valid_program_has_no_problem(case: Path) -> None:
    assert [problem.title for problem in analyse(case)[2]] == []


WRONG = [c for c in with_status("compile_error") if expectation(c)["error"]["phase"] in PHASES]


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.stem)
def test_error_is_reported_where_the_reference_sees_it(case: Path) -> None:
    expected = expectation(case)["error"]
    _, _, problems = analyse(case)
    assert problems
    first = problems[0]
    assert expected["code"] in (None, first.code)
    if expected["line"] is not None:
        assert first.span is not None
        assert first.span.line == expected["line"]


@pytest.mark.parametrize("case", with_status("ok"), ids=lambda case: case.stem)
def test_types_hold_for_what_the_reference_computed(case: Path) -> None:
    """Every value left on the result stack fits the type of an expression that leaves values."""
    resolution, typing, _ = analyse(case)
    statements = [
        node.value for node in everything(resolution) if isinstance(node, nodes.ExprStatement)
    ]
    known = [typing.of(value) for value in statements]
    for value in expectation(case)["stack"]:
        assert any(fits(value, type_) for type_ in known), value
    left = [node for node in resolution.root.program.statements if leaves_one_value(node)]
    if len(resolution.modules) == 1 and len(left) == len(resolution.root.program.statements):
        for node, value in zip(left, expectation(case)["stack"], strict=True):
            assert isinstance(node, nodes.ExprStatement)
            assert fits(value, typing.of(node.value)), node.span.text


def everything(resolution: Resolution) -> list[nodes.Node]:
    found: list[nodes.Node] = []
    stack: list[nodes.Node] = [module.program for module in resolution.modules]
    while stack:
        node = stack.pop()
        found.append(node)
        for name in type(node).__match_args__[1:]:
            part = getattr(node, name)
            parts = part if isinstance(part, tuple) else (part,)
            stack.extend(item for item in parts if isinstance(item, nodes.Node))
    return found


def leaves_one_value(node: nodes.Statement) -> bool:
    return isinstance(node, nodes.ExprStatement)


def fits(value: dict[str, Any], type_: Type) -> bool:
    kind = value["type"]
    match type_:
        case Primitive("number"):
            return kind in ("int", "float")
        case Primitive(name):
            return bool(kind == name)
        case Optional(inner):
            return kind == "null" or fits(value, inner)
        case Array(item):
            return kind == "array" and all(fits(part, item) for part in value["items"])
        case Tuple(items):
            return kind == "array" and all(map(fits, value["items"], items))
        case Map(item):
            return kind == "map" and all(fits(part, item) for _, part in value["entries"])
        case Object(fields):
            known = dict(fields)
            return kind == "map" and all(fits(v, known[k["value"]]) for k, v in value["entries"])
        case StructRef():
            return bool(kind == "map")
        case Callable():
            return bool(kind == "callable")
        case Handle():
            return False
        case _:
            return True
