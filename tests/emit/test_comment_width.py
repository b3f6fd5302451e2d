"""Comments and docstrings of generated modules fit their lines, and read on where they wrap."""

from __future__ import annotations

import ast

from flintc import compiler

LONG = "one two three four five six seven eight nine ten " * 2 + "eleven"


def _lines(script: str) -> list[str]:
    compiled = compiler.compile_text(script)
    assert compiled.ok
    return compiled.modules[-1].text.splitlines()


def test_the_rest_of_a_long_line_goes_before_the_next_line() -> None:
    lines = _lines(f"let mut x = 1;\n// {LONG}\n// and the next line\n//\n// apart\nx = 2;\n")
    first, second, blank, last = [line.strip() for line in lines if line.strip()[:1] == "#"]
    assert f"{first[2:]} {second[2:]}" == f"{LONG} and the next line"
    assert (blank, last) == ("#", "# apart")
    assert max(map(len, lines)) <= 100


def test_a_docstring_of_one_line_has_room_for_its_quotes() -> None:
    for length in range(80, 100):
        text = "x" * 40 + " " + "y" * (length - 41)
        script = f"// {text}\nfn f(n: int) -> int {{ n }}\nprint(f(1));\n"
        lines = _lines(script)
        assert max(map(len, lines)) <= 100, length
        tree = ast.parse("\n".join(lines))
        (function,) = (n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "f")
        assert (ast.get_docstring(function) or "").split() == text.split()
