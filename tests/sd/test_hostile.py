"""Nothing that a program does with `flint::sd` may end the process: every misuse is one error."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from tests.runtime.hostile import Case
from tests.runtime.support import ROOT, assert_refused, python
from tests.sd import hostile_run  # noqa: F401  it registers the programs
from tests.sd.hostile import CASES
from tests.sd.support import THREADS
from toy_klein import Paths

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the cases run in forks")


@pytest.fixture(scope="module")
def outcomes(klein: Paths, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    scratch = tmp_path_factory.mktemp("hostile")
    arguments = (str(klein.diffusion.parent), str(scratch))
    path = os.pathsep.join(map(str, (ROOT, ROOT / "runtime", ROOT / ".ci" / "tools")))
    result = python("-m", "tests.sd.hostile_run", *arguments, **THREADS, PYTHONPATH=path)
    assert result.returncode == 0, result.stderr
    left = [path.name for path in scratch.rglob(".*")]
    assert not left  # no half-written file stays
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize(("name", "case"), CASES.items(), ids=CASES)
def test_refusal(name: str, case: Case, outcomes: dict[str, Any]) -> None:
    assert_refused(outcomes[name], case.function, case.says)
