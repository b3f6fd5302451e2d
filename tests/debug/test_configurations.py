"""The committed configurations of VS Code and PyCharm start what exists; the transcript is true."""

from __future__ import annotations

import json
import re
import shlex
import xml.etree.ElementTree as ElementTree
from importlib.util import find_spec
from pathlib import Path

import pytest

import debug_transcript

RUNS = ["generated-llama_torch", "script-llama_torch"]


def words_of(root: Path, name: str) -> tuple[str, list[str]]:
    """Module and arguments of a shared run configuration of PyCharm."""
    tree = ElementTree.parse(root / ".run" / f"{name}.run.xml")
    options = {option.get("name"): option.get("value") for option in tree.iter("option")}
    assert options["MODULE_MODE"] == "true"
    assert options["WORKING_DIRECTORY"] == "$PROJECT_DIR$"
    return str(options["SCRIPT_NAME"]), shlex.split(str(options["PARAMETERS"]))


@pytest.mark.parametrize("name", RUNS)
def test_pycharm_and_vs_code_start_the_same(name: str, root: Path) -> None:
    known = json.loads((root / ".vscode" / "launch.json").read_text(encoding="utf-8"))
    launches = [
        (each["module"], each["args"])
        for each in known["configurations"]
        if each["request"] == "launch"
    ]
    module, words = words_of(root, name)
    assert (module, words) in launches
    assert find_spec(module) is not None
    script = root / "scripts" / "llama_torch.rss"
    assert words[0] == "scripts/llama_torch.rss" or module == "generated.llama_torch"
    assert script.is_file()


def test_no_configuration_takes_breakpoints_away(root: Path) -> None:
    known = json.loads((root / ".vscode" / "launch.json").read_text(encoding="utf-8"))
    for each in known["configurations"]:
        assert not {"jinja", "django"} & set(each)
        assert each["subProcess"] is False


@pytest.mark.slow  # torch is imported under the debugger
def test_the_transcript_is_true() -> None:
    """But for line numbers, which any edit of the script moves."""
    page = debug_transcript.PAGE.read_text(encoding="utf-8")
    wanted = debug_transcript.with_transcript(page)
    numbers = re.compile(r":\d+")
    advice = "run: python .ci/tools/debug_transcript.py"
    assert numbers.sub(":", page) == numbers.sub(":", wanted), advice
