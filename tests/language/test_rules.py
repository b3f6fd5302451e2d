"""Short programs for the sentences of the language reference: `rules/*.txt`.

Each is a program, and after `=>` whether it is rejected (with a code where the language has one) or
fails while it runs, or what it prints followed by its results.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.language.running import result

RULES = Path(__file__).parent / "rules"


def _rules() -> Iterator[Any]:
    for table in sorted(RULES.glob("*.txt")):
        _, _, text = table.read_text(encoding="utf-8").partition("\n\n")
        for number, block in enumerate(re.split(r"(?<=\n)\n(?=.)", text)):
            program, _, outcome = block.rpartition("\n=> ")
            yield pytest.param(program, outcome.strip(), id=f"{table.stem}-{number}")


PROGRAMS = list(_rules())


def test_all_rules_are_read() -> None:
    text = "".join(table.read_text(encoding="utf-8") for table in RULES.glob("*.txt"))
    assert len(PROGRAMS) == len(re.findall("^=> ", text, re.MULTILINE)) > 300


@pytest.mark.parametrize(("program", "outcome"), PROGRAMS)
def test_a_rule(tmp_path: Path, program: str, outcome: str) -> None:
    kind, _, detail = outcome.partition(" ")
    found = result(tmp_path, program)
    if kind == "rejected":
        assert re.match(rf"{detail or 'E_'}\w* at \d+$", found), found
    elif kind == "fails":
        assert re.sub(r" at \d+$", "", found) == ast.literal_eval(detail)
    else:
        assert (kind, found) == ("gives", ast.literal_eval(detail))


@pytest.mark.filterwarnings("error")
def test_python_finds_nothing_odd_in_what_is_emitted(tmp_path: Path) -> None:
    assert result(tmp_path, "match 3 { null => 1, Some(Int) => 5, _ => 2 };") == "[5]"
