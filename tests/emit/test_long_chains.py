"""Operator chains that CPython could not compile as one expression."""

from __future__ import annotations

import ast

import pytest

from flintc import compiler, execute
from tests.emit.running import printed

TERMS = 5000
CHAINS = {
    "int": ("let x = 1;", " + ", "5000"),
    "float": ("let x = 1.0;", " + ", "5000"),
    "number": ("let x: number = 1;", " + ", "5000"),
    "string": ('let x = "a";', " + ", "a" * TERMS),
    "bool": ("let x = true;", " && ", "true"),
    "difference": ("let x = 1;", " - ", "-4998"),
}


@pytest.mark.parametrize("kind", CHAINS)
def test_a_chain_of_thousands_of_operands(kind: str) -> None:
    first, operator, result = CHAINS[kind]
    text = f"{first}\nlet r{_annotation(kind)} = {operator.join(['x'] * TERMS)};\nprintln(r);"
    compiled = compiler.compile_text(text, options=execute.in_memory_options())
    module = compiled.modules[-1]
    compile(ast.parse(module.text), "printed", "exec")
    assert printed(compiled) == f"{result}\n"


def _annotation(kind: str) -> str:
    return ": number" if kind == "number" else ""
