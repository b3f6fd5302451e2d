"""Nothing that a program does may end the process: every misuse is one clear host error."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.hostile_cases import CASES, Case
from tests.runtime.support import python

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the cases run in forks"),
]


@pytest.fixture(scope="module")
def outcomes(smollm2: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    scratch = tmp_path_factory.mktemp("hostile")
    result = python("-m", "tests.runtime.hostile_cases", str(smollm2), str(scratch))
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize(("name", "case"), CASES.items(), ids=CASES)
def test_refusal(name: str, case: Case, outcomes: dict[str, Any]) -> None:
    outcome = outcomes[name]
    assert outcome["code"] == 1, outcome
    assert outcome["stdout"] == ""
    (line,) = outcome["stderr"].splitlines()
    prefix = f"Error: host error: flint::{case.function}: "
    assert line.startswith(prefix)
    assert re.search(case.says, line.removeprefix(prefix))
