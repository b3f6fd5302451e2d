"""The library as a whole: what its modules export, how they are written, that they are found."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from flintc.compiler import compile_text
from flintc.files import STDLIB
from flintc.problems import Problems
from flintc.source import SourceFile
from flintc.syntax import nodes
from flintc.syntax.parser import parse

Evaluate = Callable[[str], list[object]]

# The tables of the language reference, 7.1 to 7.10.
EXPORTS = {
    "strings": "equals is_empty non_empty contains split trim replace",
    "collections": "index_of contains reverse dedup has get_or values entries merge",
    "iter": (
        "range range_step enumerate zip take skip chunk sum any_true all_true "
        "map filter reduce each"
    ),
    "math": (
        "pi tau e epsilon inf neg_inf nan abs min max clamp signum floor ceil round trunc fract "
        "sqrt cbrt powf powi exp exp2 ln ln_1p log log2 log10 sin cos tan asin acos atan atan2 "
        "sinh cosh tanh hypot copysign mul_add to_degrees to_radians is_nan is_infinite "
        "is_finite deg rad sign in_range is_even is_odd sum fmod"
    ),
    "parse": (
        "is_int_literal_base is_int_literal try_parse_int_base try_parse_int parse_int_base_or "
        "parse_int_or is_bool_literal try_parse_bool parse_bool_or"
    ),
    "path": "normalize_sep join basename dirname extname",
    "bytes": (
        "slice equal starts_with ends_with index_of push_u8 read_u8 read_u16_be read_u16_le "
        "write_u16_be write_u16_le"
    ),
    "io": "read_text write_text append_text read_lines",
    "lrucache": (
        "new capacity len is_empty has peek get put touch remove clear keys values entries "
        "oldest newest"
    ),
    "cli": "option required_option get",
}


def syntax(module: str) -> nodes.Program:
    path = STDLIB / f"{module}.rss"
    return parse(SourceFile(str(path), path.read_text(encoding="utf-8")), Problems())


def test_modules_are_those_of_the_language() -> None:
    assert {path.name for path in STDLIB.iterdir()} == {f"{name}.rss" for name in EXPORTS}


@pytest.mark.parametrize("module", EXPORTS)
def test_exports(module: str) -> None:
    functions = [node for node in syntax(module).statements if isinstance(node, nodes.Function)]
    public = [function.name.name for function in functions if function.public]
    assert sorted(public) == sorted(EXPORTS[module].split())


@pytest.mark.parametrize("module", EXPORTS)
def test_every_public_function_is_described(module: str) -> None:
    lines = (STDLIB / f"{module}.rss").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("// ")
    bare = [
        line
        for before, line in pairwise(lines)
        if line.startswith("pub fn") and not before.startswith("// ")
    ]
    assert bare == []


@pytest.mark.parametrize("module", EXPORTS)
def test_lines_leave_room_for_the_marks_of_a_docstring(module: str) -> None:
    # comments become docstrings, indented and in quotes: these lines stay within 100 columns too
    text = (STDLIB / f"{module}.rss").read_text(encoding="utf-8")
    comments = [line for line in text.splitlines() if line.startswith("//")]
    assert [line for line in comments if len(line.removeprefix("// ")) > 90] == []
    assert [line for line in text.splitlines() if len(line) > 100] == []


@pytest.mark.parametrize("module", EXPORTS)
def test_module_compiles_by_itself(module: str) -> None:
    problems = compile_text(f"use stdlib::rss::{module} as m;\n").problems.items
    # `cli` may come before the host functions that it calls
    assert [item for item in problems if item.code != "W_UNKNOWN_HOST_FUNCTION"] == []


def test_all_modules_fit_into_one_program(evaluate: Evaluate) -> None:
    # the reference refuses four of them at once
    uses = "".join(f"use stdlib::rss::{name} as m_{name};\n" for name in EXPORTS if name != "cli")
    assert evaluate(uses + 'm_strings::trim(" a "); m_math::abs(-1);') == ["a", 1]


def test_found_from_any_folder(root: Path, tmp_path: Path) -> None:
    script = tmp_path / "deep" / "inside" / "script.rss"
    script.parent.mkdir(parents=True)
    script.write_text('use stdlib::rss::parse as p;\nprintln(p::parse_int_or(" 12 ", 0) + 1);\n')
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(root), str(root / "runtime")])}
    process = subprocess.run(
        [sys.executable, "-m", "flintc", "run", "inside/script.rss"],
        cwd=tmp_path / "deep",
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (process.returncode, process.stdout) == (0, "13\n"), process.stderr
