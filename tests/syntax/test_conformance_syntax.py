"""The parser against the reference's results: what it accepts, and where it sees errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flintc.problems import Problem, Problems
from flintc.source import SourceFile
from flintc.syntax.parser import parse

GIVEN = Path(__file__).resolve().parent.parent / "conformance" / "given"
CASES = sorted(GIVEN.glob("*/*.json"))
# Kinds of cases whose compile errors are all errors of syntax.
SYNTACTIC = ("lex_", "lit_", "syn_", "ifx_", "match_")


def problems_of(path: Path) -> list[Problem]:
    problems = Problems()
    parse(SourceFile(path.name, path.read_bytes().decode()), problems)
    return problems.items


def expectation(case: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(case.read_text(encoding="utf-8"))
    return loaded


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_case(case: Path) -> None:
    expected = expectation(case)
    single = case.with_suffix(".rss")
    files = [single] if single.exists() else sorted(case.with_suffix("").rglob("*.rss"))
    assert files
    found = [problem for path in files for problem in problems_of(path)]
    if expected["status"] != "compile_error":
        assert not found
        return
    error = expected["error"]
    if case.name.startswith(SYNTACTIC) and error["phase"] == "parse" and not error["code"]:
        assert found
    if found and error["line"] is not None:
        assert found[0].span is not None
        assert found[0].span.line == error["line"]
