"""Which ints are handles of host objects, and which `0` stands for none of them."""

from __future__ import annotations

import pytest

from flintc.analysis.type_names import type_name
from flintc.syntax import nodes
from tests.analysis.support import Analysed, sound

SETUP = 'use flint; let m: int = flint::llama::load("m"); let t = flint::tensor::zeros(3);'


def with_handles(text: str) -> Analysed:
    return sound(SETUP + text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("let v = m;", "llama.Model"),
        ("let v: int = m;", "llama.Model"),
        ("let mut v = 0; v = m;", "llama.Model?"),
        ("let mut v: int = 0; if true { v = m; }", "llama.Model?"),
        ("let v: int = if true => { m } else => { 0 };", "llama.Model?"),
        ("let v = flint::llama::twin(m, 0);", "llama.Model?"),
        ("let v = [m, m];", "array<llama.Model>"),
        ("let v: [int] = [0, m];", "array<llama.Model?>"),
        ("let v = [m, 3];", "[llama.Model, int]"),
        ("let p = [m, 3]; let v: int = p[1];", "int"),
        ("let p = [m, 3]; let i = 1 + 0; let v: int = p[i];", "unknown"),
        ("let mut v: [int] = []; v[v.length] = t;", "array<torch.Tensor>"),
        ("fn f(a: int) -> int { a } let v: int = f(t);", "torch.Tensor"),
        ("fn f(a: int) -> int { a } let v: int = f(t); f(1);", "unknown"),
        ("fn f(a: int) -> int { a } let v: int = f(t); f(m);", "unknown"),
        ("fn f(a: int) -> int { g(a) } fn g(a: int) -> int { a } let v = f(t);", "torch.Tensor"),
        ("let f = |a| a; let v: int = f(t);", "torch.Tensor"),
        ("let f: fn(int) -> int = |a| a; let v = f(t);", "torch.Tensor"),
        ("fn f(a: int) -> int { a } let g = f; let v: int = g(t);", "torch.Tensor"),
        ("fn f(a: int) -> int { a } let g = f; let v: int = g(t); g(1);", "unknown"),
        ("struct L { w: int, n: int } let l: L = {w: t, n: 3}; let v = l.w;", "torch.Tensor"),
        ("struct L { w: int, n: int } let l: L = {w: t, n: 3}; let v = l.n;", "int"),
        ("struct L { w: int } let l: L = {w: 0}; let k: L = {w: t}; let v = k.w;", "torch.Tensor?"),
        ("let mut c = {}; c.k = t; let v: int = c.k;", "torch.Tensor"),
        ("let v = 0; let w = v + 1;", "int"),
        ("let v = flint::tensor::linear(t, t, 0);", "torch.Tensor"),
        ("fn id<T>(a: T) -> T { a } let v = id::<int>(t);", "torch.Tensor"),
        ("fn id<T>(a: T) -> T { a } id::<int>(1); let v = id::<int>(t);", "unknown"),
    ],
)
def test_variable(text: str, expected: str) -> None:
    assert with_handles(text).type_of("v") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fn f(v: int) -> int { flint::llama::size(v, 2) }", "llama.Model"),
        ("fn f(v: int) -> int { flint::tensor::linear(t2(), t2(), v) } fn t2() -> int "
         "{ flint::tensor::zeros(1) } f(0);", "torch.Tensor?"),
        ("fn f(v: int) -> int { g(v) } fn g(a: int) -> int { flint::llama::size(a, 2) } f(0);",
         "llama.Model?"),
        ("let v = 0; flint::llama::twin(m, v);", "llama.Model?"),
        ("let v = 0; let w: int = if true => { v } else => { m };", "llama.Model?"),
        ("let v = 0; flint::tensor::zeros(v);", "int"),
        ("let v = 0; flint::llama::twin(m, v); let n = v + 1;", "int"),
    ],
)  # fmt: skip
def test_use_as_a_handle_tells(text: str, expected: str) -> None:
    assert with_handles(text).type_of("v") == expected


def zeros(found: Analysed) -> list[str]:
    """The types of the literals `0` of a program, in order."""
    literals = [n for n in found.typing.types if isinstance(n, nodes.IntLiteral) and n.value == 0]
    literals.sort(key=lambda literal: literal.span.start)
    return [type_name(found.typing.of(literal)) for literal in literals]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("let mut v = 0; v = m; let n = 0;", ["llama.Model?", "int"]),
        ("let v: int = if true => { m } else => { if true => { 0 } else => { m } };",
         ["llama.Model?"]),
        ("let v = [0, m]; let w = [0, 1];", ["llama.Model?", "int"]),
        ("let mut v = [0, 0]; v[0] = m;", ["llama.Model?"] * 2 + ["int"]),
        ("flint::tensor::linear(t, t, 0); flint::llama::size(m, 0);", ["torch.Tensor?", "int"]),
        ("fn f(a: int, n: int) -> int { n } f(m, 1); f(0, 0);", ["llama.Model?", "int"]),
        ("m == 0; 0 != m; 1 == 0;", ["llama.Model?", "llama.Model?", "int"]),
        ("struct L { w: int, n: int } let l: L = {w: 0, n: 0}; let k: L = {w: m, n: 1};",
         ["llama.Model?", "int"]),
        ("fn none() -> int { 0 } flint::llama::twin(m, none());", ["llama.Model?"]),
        ("let v: int = match 1 { 1 => m, _ => 0 };", ["llama.Model?"]),
    ],
)  # fmt: skip
def test_zero_in_place_of_a_handle(text: str, expected: list[str]) -> None:
    assert zeros(with_handles(text)) == expected


def test_programs_without_handles_have_plain_zeros() -> None:
    assert zeros(sound("let a = 0; let b = [0, 1]; a == 0;")) == ["int"] * 3
