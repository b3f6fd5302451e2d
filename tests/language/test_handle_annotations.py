"""Annotations of values that are handles at one place and numbers at another.

Scripts say `int` for all of them; type checkers have to accept what the Python says.
"""

from __future__ import annotations

import pytest

from flintc.compiler import compile_text
from flintc.emit.context import Options

MAYBE = (
    "fn maybe(c: bool) -> int { let mut x: int = 0; if c { x = flint::tensor::arange(4); } x }\n"
)
PROGRAMS = [
    # one name, a handle in one branch and a number in the other
    (
        "let c = 1 < 2; if c { let chosen: int = flint::tensor::arange(3);"
        " flint::tensor::neg(chosen); } else { let chosen: int = 2; println(chosen + 1); }",
        "chosen: Any = tensor.arange(3)",
    ),
    ("let mut x: int = 5; x = flint::tensor::arange(4); println(x == 0);", "x: Any = 5"),
    # perhaps no handle, where one is needed
    (
        "let mut x: int = 0; if 1 < 2 { x = flint::tensor::arange(4); } flint::tensor::neg(x);",
        "x: Any = None",
    ),
    (MAYBE + "flint::tensor::neg(maybe(true));", "tensor.neg(cast(Tensor, maybe(True)))"),
    # perhaps no handle, and only compared
    (MAYBE + "println(maybe(true) == 0);", "x: Tensor | None = None"),
    # fields
    (
        "struct S { t: int } let s: S = {t: flint::tensor::arange(2)}; flint::tensor::neg(&s.t);",
        "t: Tensor",
    ),
    (
        "struct S { b: int?, k: [int] } let s: S = {b: null, k: [flint::tensor::arange(2)]};"
        " let q: S = {b: flint::tensor::arange(2), k: []}; s.k.length;",
        "b: NotRequired[Tensor | None]",
    ),
]


def _emitted(text: str) -> str:
    compiled = compile_text(f"use flint;\n{text}", options=Options())
    assert compiled.ok, compiled.problems.items
    return compiled.modules[-1].text


@pytest.mark.parametrize(("text", "line"), PROGRAMS)
def test_the_annotation(text: str, line: str) -> None:
    assert line in [emitted.strip() for emitted in _emitted(text).splitlines()]
