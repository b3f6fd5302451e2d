"""Nothing that a program does may end the process: every misuse is one clear host error."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.runtime import hostile_run  # noqa: F401  it registers the programs
from tests.runtime.hostile import CASES, Case
from tests.runtime.support import assert_refused, python

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the cases run in forks"),
]


@pytest.fixture(scope="module")
def outcomes(smollm2: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    scratch = tmp_path_factory.mktemp("hostile")
    result = python("-m", "tests.runtime.hostile_run", str(smollm2), str(scratch))
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize(("name", "case"), CASES.items(), ids=CASES)
def test_refusal(name: str, case: Case, outcomes: dict[str, Any]) -> None:
    assert_refused(outcomes[name], case.function, case.says)
