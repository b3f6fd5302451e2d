"""Every problem code has a page, and the examples of the pages are what they claim to be."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flintc import compiler, driver, explain
from flintc.analysis.lints import lint
from flintc.files import DiskFiles
from flintc.problems import Problem, Problems
from flintc.syntax.codes import SYNTAX_CODES

_CODE = re.compile(r"\"([EW]_[A-Z0-9_]+)\"")
_BLOCK = re.compile(r"^```(rss|console)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Only text in memory has it: files on disk are decoded before.
_NOT_FROM_FILES = {"E_INVALID_UTF8"}
# Problems that come with another one.
_FOLLOWING = {"E_CONFLICTING_CALLS": {"E_NOT_CONCRETE", "E_RESULT_UNKNOWN"}}


def reported_codes(root: Path) -> set[str]:
    """Every code that the compiler's source text mentions."""
    sources = [*(root / "flintc").rglob("*.py")]
    return {code for path in sources for code in _CODE.findall(path.read_text(encoding="utf-8"))}


def programs(code: str) -> list[dict[str, str]]:
    """The example programs of a page, each as files; those beside come before the main one."""
    found: list[dict[str, str]] = []
    beside: dict[str, str] = {}
    for kind, name, text in _BLOCK.findall(explain.page(code)):
        if kind == "rss" and name:
            beside[name] = text
        elif kind == "rss":
            found.append({**beside, "main.rss": text})
            beside = {}
    return found


def sessions(code: str) -> list[str]:
    return [text for kind, _, text in _BLOCK.findall(explain.page(code)) if kind == "console"]


def problems_of(files: dict[str, str], folder: Path) -> list[Problem]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    problems = Problems()
    catalogue = compiler.host_catalogue()
    facts = driver.analyse(str(folder / "main.rss"), DiskFiles(), catalogue, problems)
    if facts is not None and not problems.has_errors:
        lint(facts.resolution, facts.typing, problems)
    return problems.items


_WITH_PROGRAMS = [code for code in explain.codes() if programs(code)]
_WITH_SESSIONS = [code for code in explain.codes() if sessions(code)]


def test_every_code_has_a_page_and_every_page_a_code(root: Path) -> None:
    codes = reported_codes(root)
    assert set(SYNTAX_CODES) <= codes
    assert codes - set(explain.codes()) == set()
    assert set(explain.codes()) - codes == set()


@pytest.mark.parametrize("code", explain.codes())
def test_form(code: str) -> None:
    """A title of one sentence, lines that fit a terminal, one example and its correction."""
    text = explain.page(code)
    assert text.startswith(f"# {code}: ")
    assert explain.summary(code).endswith(".")
    assert text.endswith("```\n") or code in _NOT_FROM_FILES
    assert max(map(len, text.splitlines())) <= 100
    assert 2 in (len(programs(code)), len(sessions(code)))


@pytest.mark.parametrize("code", _WITH_PROGRAMS)
def test_the_first_program_has_the_problem(code: str, tmp_path: Path) -> None:
    found = problems_of(programs(code)[0], tmp_path)
    assert {problem.code for problem in found} - _FOLLOWING.get(code, set()) == {code}


@pytest.mark.parametrize("code", _WITH_PROGRAMS)
def test_the_second_program_has_none(code: str, tmp_path: Path) -> None:
    found = problems_of(programs(code)[1], tmp_path)
    assert [(problem.code, problem.title) for problem in found] == []


def commands(session: str) -> Iterator[str]:
    for line in session.splitlines():
        if line.startswith("$ "):
            yield line.removeprefix("$ ")


def run(session: str, folder: Path, root: Path) -> subprocess.CompletedProcess[str]:
    python = shlex.quote(sys.executable)
    script = [f'flintc() {{ {python} -m flintc "$@"; }}', "set -e", *commands(session)]
    path = f"{root}:{root / 'runtime'}"
    return subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=folder,
        env={"PYTHONPATH": path, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("code", sorted({*_WITH_SESSIONS} - _NOT_FROM_FILES))
def test_sessions(code: str, tmp_path: Path, root: Path) -> None:
    for name in ("hello.rss", "json.rss", "notes.rss", "notes.txt"):
        (tmp_path / name).write_text("1;\n")
    wrong, right = sessions(code)
    failed = run(wrong, tmp_path, root)
    shown = [line for line in wrong.splitlines() if not line.startswith("$ ")]
    is_error = code.startswith("E_")
    assert failed.returncode == is_error
    for expected, line in zip(shown, failed.stderr.splitlines(), strict=False):
        assert line.startswith(expected.removesuffix("…"))
    assert f"{'error' if is_error else 'warning'}[{code}]" in failed.stderr
    assert run(right, tmp_path, root).returncode == 0
