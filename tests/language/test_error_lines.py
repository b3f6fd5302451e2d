"""The line of an error is that of its statement (language reference 9.1, 9.2, 9.4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.language.running import result

LINES = [
    # the statement begins before the part that is wrong
    ("let b = 1;\nlet x = [\n    1,\n    -b.length\n];", "E_ARGUMENT_TYPE at 2"),
    ('let c = 1 < 2;\nlet r = if c => {\n    1\n} else => {\n    "a"\n};', "E_BRANCH_TYPES at 2"),
    ('let a = "x";\nlet f = || a;\nprintln("{} {}",\n    1,\n    a);', "E_LOCAL_MOVED at 3"),
    ('let z = 0;\nprintln("{}",\n    1 / z);', "division by zero at 2"),
    ("let z = 0;\nlet q = match z {\n    0 => 1 / z,\n    _ => 2\n};", "division by zero at 2"),
    # a statement inside an expression has a line of its own
    (
        'let c = 1 < 2;\nlet r = if c => {\n    let y: int = "s";\n    y\n} else => { 1 };',
        "E_TYPE_MISMATCH at 3",
    ),
    ("let c = 1 < 2;\nlet z = 0;\nif c {\n    1 /\n    z;\n}", "division by zero at 4"),
    # the last expression of a function
    (
        'fn f(n: int) -> string {\n    match n {\n 1 => "a",\n _ => 3 }\n}\nf(1);',
        "E_BRANCH_TYPES at 2",
    ),
    # parse errors have the line of the token
    ("let x = [\n    1\n    2\n];", "E_EXPECTED_TOKEN at 3"),
    ("let x = [\n    1,\n    later\n];", "E_UNKNOWN_LOCAL at 3"),
]


@pytest.mark.parametrize(("text", "expected"), LINES)
def test_the_line_of_an_error(tmp_path: Path, text: str, expected: str) -> None:
    assert result(tmp_path, text) == expected
