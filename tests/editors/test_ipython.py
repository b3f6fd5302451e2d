"""`%%rss` in a real IPython shell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    made = InteractiveShell()
    made.history_manager.enabled = False
    made.run_line_magic("load_ext", "flint.ipython")
    yield made
    made.restore_sys_module_state()
    if made.history_manager.db is not None:
        made.history_manager.end_session()


def test_a_cell_gives_the_value_of_its_last_expression(shell: Any) -> None:
    assert shell.run_cell_magic("rss", "", "let a = [1, 2];\na[0] + 40;\na[1] + 40;\n") == 42


def test_a_cell_gives_the_text_that_it_publishes(shell: Any) -> None:
    cell = 'use flint;\nflint::runtime::set_text_output("Hello, " + flint::runtime::arg(0));\n'
    assert shell.run_cell_magic("rss", "'new world'", cell) == "Hello, new world"


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("let a = ;\n", "E_EXPECTED_EXPRESSION"),
        ("let a = [1];\nlet n = a.length;\na[n];\n", "out of"),
        ("use flint;\nflint::runtime::arg(0);\n", "arg"),
    ],
)
def test_mistakes_in_a_cell_are_errors_without_a_traceback(
    shell: Any, cell: str, reason: str
) -> None:
    with pytest.raises(UsageError, match=reason):
        shell.run_cell_magic("rss", "", cell)


def test_a_quote_that_is_not_closed(shell: Any) -> None:
    with pytest.raises(UsageError, match="quotation"):
        shell.run_cell_magic("rss", "'open", "1;\n")
