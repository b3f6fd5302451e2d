"""Module `cli` (language reference 7.10): which host functions it calls, in which order.

The host functions are stand-ins that write down their calls, so this needs no `flint::cli`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

import flint.runtime
from flint.runtime.context import run
from flintc import catalogue, driver
from flintc.execute import in_memory_options, load
from flintc.files import DiskFiles
from flintc.source import SourceFile

STAND_INS = """
from typing import Any

calls: list[tuple[Any, ...]] = []


def refer(parser: int, initial: Any) -> int:
    calls.append(("refer", parser, initial))
    return 40 + len(calls)


def add_option(reference: int, names: list[str], action: str, help: str) -> int:
    calls.append(("add_option", reference, names, action, help))
    return reference


def required(reference: int) -> int:
    calls.append(("required", reference))
    return reference


def get(reference: int) -> Any:
    calls.append(("get", reference))
    return 2.5
"""


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The stand-ins, as `flint.runtime.cli`."""
    package = tmp_path / "flint" / "runtime"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("NAMESPACES = {'cli': 'cli'}\n")
    (package / "cli.py").write_text(STAND_INS)
    module = ModuleType("flint.runtime.cli")
    exec(STAND_INS, module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(flint.runtime, "cli", module, raising=False)
    return module


def results_of(text: str, runtime_root: Path) -> list[object]:
    compiled = driver.compile_program(
        SourceFile("<text>", f"use stdlib::rss::cli as cli;\n{text}"),
        DiskFiles(),
        catalogue.load(runtime_root),
        in_memory_options(record=True),
    )
    assert compiled.problems.items == []
    results: list[object] = []
    run(load(compiled).main(results.append))
    return results


def test_option(host: ModuleType, tmp_path: Path) -> None:
    text = 'cli::option::<int>(7, 20, ["-s", "--steps"], "Store", "number of steps");'
    assert results_of(text, tmp_path) == [41]
    assert host.calls == [
        ("refer", 7, 20),
        ("add_option", 41, ["-s", "--steps"], "Store", "number of steps"),
    ]


def test_required_option(host: ModuleType, tmp_path: Path) -> None:
    text = 'cli::required_option::<string>(7, "", ["-n"], "StoreOption", "");'
    assert results_of(text, tmp_path) == [41]
    assert host.calls == [
        ("refer", 7, ""),
        ("add_option", 41, ["-n"], "StoreOption", ""),
        ("required", 41),
    ]


def test_get(host: ModuleType, tmp_path: Path) -> None:
    text = "let scale: float = cli::get::<float>(41);\nscale * 2.0;"
    assert results_of(text, tmp_path) == [5.0]
    assert host.calls == [("get", 41)]
