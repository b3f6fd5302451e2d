"""Names and comments of scripts that Python cannot take as they are: the text still runs alike."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import flint
from flint import ScriptRunner, compile_source
from flintc import compiler
from flintc.cli import building
from flintc.execute import run_json

PROGRAMS = {
    "a function beside the name that its neighbour needs": (
        "fn list() -> int { 1 }\nfn list_() -> int { 2 }\nprintln(list() * 10 + list_());",
        "12\n",
    ),
    "the other order": (
        "fn main_() -> int { 2 }\nfn main() -> int { 1 }\nfn main_2() -> int { 3 }\n"
        "println(main() * 100 + main_() * 10 + main_2());",
        "123\n",
    ),
    "structs": (
        "struct class { a: int }\nstruct class_ { b: int }\n"
        'fn sum(x: class, y: class_) -> int { x.a * 10 + y.b }\nprintln(sum({"a": 1}, {"b": 2}));',
        "12\n",
    ),
    "private names of structs and type parameters": (
        "struct __T { a: int }\nstruct S<__U> { x: __T, y: array<__U> }\n"
        'let s: S<int> = {"x": {"a": 1}, "y": [2]};\nprintln(s.x.a * 10 + s.y[0]);',
        "12\n",
    ),
    "fields that no class can declare": (
        'struct S { __debug__: int, __x: int }\nlet s: S = {"__debug__": 1, "__x": 2};\n'
        "println(s.__debug__ * 10 + s.__x);",
        "12\n",
    ),
    "type parameters": (
        "fn f<list, list_>(x: list, y: list_) -> list { x }\nprintln(f::<int, string>(2, 'a'));",
        "2\n",
    ),
}

CONTROLS = [code for code in (*range(32), 0x7F, 0x85, 0x2028, 0x2029) if code != ord("\n")]


def _printed(source: str, capsys: pytest.CaptureFixture[str]) -> Iterator[str]:
    """What a script prints when it runs from memory, and from the text of its module."""
    ScriptRunner().run_text(compile_source(source).program)
    yield capsys.readouterr().out
    namespace: dict[str, object] = {"__name__": "module"}
    compiled = compiler.compile_text(source, "script.rss")
    exec(compiled.modules[-1].text, namespace)
    main = namespace["main"]
    assert callable(main)
    main()
    yield capsys.readouterr().out


@pytest.mark.parametrize("title", PROGRAMS)
def test_names(title: str, capsys: pytest.CaptureFixture[str]) -> None:
    source, expected = PROGRAMS[title]
    assert list(_printed(source, capsys)) == [expected, expected]


@pytest.mark.parametrize("code", CONTROLS, ids=hex)
def test_comments_never_become_code(code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """A carriage return ends a comment in Python, so what follows it must not be left behind."""
    trap = f"a{chr(code)}raise SystemExit('code')"
    source = (
        f"let x = 1; // {trap}\nif x == 1 {{ // {trap}\n"
        f"/* {trap} */ println(x); // {trap}\n}}\n"
        f"fn f() -> int {{ // {trap}\n    /* {trap} */\n    1 }}\nf();\n// {trap}"
    )
    assert list(_printed(source, capsys)) == ["1\n", "1\n"]


@pytest.mark.parametrize("name", ["main", "record", "program", "flint", "torch", "Any", "list"])
def test_modules(name: str, tmp_path: Path) -> None:
    """A module's name may be one that the module which uses it has, or is given, itself."""
    (tmp_path / f"{name}.rss").write_text('pub fn two() -> int { 2 }\nprintln("in");\n')
    root = tmp_path / "app.rss"
    root.write_text(f"use self::{name};\nprintln({name}::two());\n{name}::two();\n")
    outcome = run_json(str(root))
    assert (outcome["status"], outcome["stdout"]) == ("ok", "in\n2\n")
    folder = tmp_path / "generated"
    assert building.build([str(root)], str(folder), "text") == 0
    done = subprocess.run(
        [sys.executable, "-m", "generated.app"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(flint.__file__).parent.parent)},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("in\n2\n", "")
