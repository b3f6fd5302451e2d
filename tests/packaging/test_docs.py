"""The documentation against the project: links, commands, examples and the host reference."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import host_reference
from demo_model import minilm_folder
from flintc.execute import run_json

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, text and line, and the block that directly follows it."""

    page: Path
    line: int
    language: str
    text: str
    after: Block | None = None

    @property
    def name(self) -> str:
        return f"{self.page.name}:{self.line}"


def _blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    following: Block | None = None
    start_of_following = len(text)
    for match in reversed(list(FENCE.finditer(text))):
        close_by = not text[match.end() : start_of_following].strip()
        line = text.count("\n", 0, match.start()) + 1
        after = following if close_by else None
        following = Block(page, line, match[1], match[2], after)
        start_of_following = match.start()
        yield following


def _all_blocks(language: str) -> list[Any]:
    found = [block for page in PAGES for block in _blocks(page) if block.language == language]
    return [pytest.param(block, id=block.name) for block in found]


# -- links and commands ---------------------------------------------------------------------------


def _anchors(page: Path) -> set[str]:
    """The names that GitHub gives to a page's headings."""
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.*)$", prose, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_lead_somewhere(page: Path) -> None:
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.is_file(), target
        assert not anchor or anchor in _anchors(file), target


def test_make_targets_in_the_documentation_exist() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = set(re.findall(r"\bmake ([a-z][a-z-]*)`", text)) | set(
        re.findall(r"^make ([a-z][a-z-]*)", text, re.M)
    )
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.M))
    assert named
    assert named <= targets


def test_host_reference_is_what_the_docstrings_say() -> None:
    page = host_reference.PAGE.read_text(encoding="utf-8")
    assert page == host_reference.with_reference(page), "run: python .ci/tools/host_reference.py"


# -- examples -------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", _all_blocks("rss"))
def test_script_does_what_its_page_says(block: Block, tmp_path: Path) -> None:
    script = tmp_path / "example.rss"
    script.write_text(block.text, encoding="utf-8")
    result = run_json(str(script))
    expected = block.after
    if expected is not None and expected.language == "error":
        assert result["status"] == "compile_error", result
        assert result["error"]["code"] == expected.text.strip()
    else:
        assert result["status"] == "ok", result["error"]
        if expected is not None and expected.language == "text":
            assert result["stdout"] == expected.text


@pytest.mark.parametrize("block", _all_blocks("python"))
def test_python_example_runs(block: Block) -> None:
    exec(compile(block.text, block.name, "exec"), {"__name__": "example"})


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of what the commands read and write, so that the project stays as it is."""
    folder = tmp_path_factory.mktemp("workplace")
    for name in ("scripts", "generated", ".ci"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    yield folder
    shutil.rmtree(folder)  # a converted model is large, and pytest would keep it


@pytest.fixture(scope="module")
def environment(smollm2: Path) -> dict[str, str]:
    """The variables that the pages use, and the commands of this interpreter first."""
    site_packages = smollm2.parent.parent
    return {
        **os.environ,
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "runtime"))),
        "MODEL": str(smollm2),
        "MINILM": str(minilm_folder()),
        "LLAMA_LIB": str(site_packages / "llama_cpp" / "lib"),
    }


def _commands(block: Block) -> list[tuple[str, str]]:
    """The block's commands, each with the output shown for it."""
    parts = re.split(r"^\$ (.*)\n", block.text, flags=re.M)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("block", _all_blocks("console"))
def test_console_session_is_true(
    block: Block, workplace: Path, environment: dict[str, str]
) -> None:
    """Output is compared as shown, where `…` stands for any text."""
    if "flint --sd" in block.text and find_spec("stable_diffusion_cpp") is None:
        pytest.skip("needs stable-diffusion-cpp-python: `make setup-sd` or pip install '.[sd]'")
    for command, shown in _commands(block):
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=workplace,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        pattern = ".*".join(re.escape(part) for part in shown.rstrip("\n").split("…"))
        assert re.fullmatch(pattern, done.stdout.rstrip("\n"), re.S), f"{command}\n{done.stdout}"
        assert done.returncode == shown.lower().startswith("error"), command
