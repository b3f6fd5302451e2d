"""Running lines of RustScript that use the library, and comparing what they give."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import pytest

from flint.runtime.context import run
from flintc.compiler import compile_text
from flintc.execute import in_memory_options, load

Evaluate: TypeAlias = Callable[[str], list[object]]
Check: TypeAlias = Callable[[str, Iterable[tuple[str, object]]], None]


@pytest.fixture(scope="session")
def evaluate() -> Evaluate:
    """Compile and run a program; the values of its expression statements."""

    def results_of(text: str) -> list[object]:
        compiled = compile_text(text, options=in_memory_options(record=True))
        assert compiled.problems.items == []
        results: list[object] = []
        run(load(compiled).main(results.append))
        return results

    return results_of


@pytest.fixture(scope="session")
def check(evaluate: Evaluate) -> Check:
    """Assert what expressions over the module `m` give, all in one program. Results are compared as
    written out, where 1, 1.0 and True differ, and so do the two zeros.
    """

    def compare(module: str, cases: Iterable[tuple[str, object]]) -> None:
        expressions, expected = zip(*cases, strict=True)
        script = [f"use stdlib::rss::{module} as m;", *(f"{line};" for line in expressions)]
        results = evaluate("\n".join(script))
        got = dict(zip(expressions, map(repr, results), strict=True))
        assert got == dict(zip(expressions, map(repr, expected), strict=True))

    return compare
