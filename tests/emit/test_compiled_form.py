"""The text for mypyc: other imports, no line moved, nothing else changed."""

from __future__ import annotations

from flintc.emit.compiled import compiled_form

MODULE = '''\
"""Éa: from flint.lang import wrap."""

from typing import Any

from flint.lang import (
    DEEPER,
    add,
    wrap,
)
from flint.lang import div as div_
from flint.runtime import program


def f(n: int, depth: int = 1) -> Any:
    print("é DEEPER[depth]", f(n, DEEPER[depth]), DEEPER[depth])
    while not n and n or é and 1:
        if depth:
            return n
    return add(wrap(n), div_(n, 2))
'''
COMPILED = '''\
"""Éa: from flint.lang import wrap."""

from typing import Any

from own import deeper as DEEPER; from flint.lang import add; from own import wrap




from own import div as div_
from flint.runtime import program


def f(n: int, depth: int = 1) -> Any:
    print("é DEEPER[depth]", f(n, DEEPER(depth)), DEEPER(depth))
    while not (n and n) and n or (é and é) and 1:
        if (depth and depth):
            return n
    return add(wrap(n), div_(n, 2))
'''


def test_imports_and_calls() -> None:
    assert compiled_form(MODULE, "own", {"deeper", "wrap", "div"}) == COMPILED


def test_a_module_without_the_language_stays() -> None:
    text = "from flint.runtime import program\n\nDEEPER = [1]\nprint(DEEPER[0])\n"
    assert compiled_form(text, "own", {"deeper"}) == text
