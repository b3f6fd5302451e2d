"""Processor and memory limits, as containers set them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flint.runtime import machine


@pytest.fixture
def cgroups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cgroup file system, in which this process is in /outer/inner."""
    monkeypatch.setattr(machine, "_CGROUPS", tmp_path)
    real = machine._read
    monkeypatch.setattr(
        machine, "_read", lambda file: "0::/outer/inner" if "/proc/" in str(file) else real(file)
    )
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)
    (tmp_path / "outer" / "inner").mkdir(parents=True)
    return tmp_path


def test_affinity_without_quota(cgroups: Path) -> None:
    assert machine.usable_cpus() == 16


@pytest.mark.parametrize(
    ("quota", "cpus"),
    [("max 100000", 16), ("400000 100000", 4), ("250000 100000", 2), ("50000 100000", 1)],
)
def test_quota_of_the_own_group(cgroups: Path, quota: str, cpus: int) -> None:
    (cgroups / "outer" / "inner" / "cpu.max").write_text(quota + "\n")
    assert machine.usable_cpus() == cpus


def test_quota_of_a_group_around_it(cgroups: Path) -> None:
    (cgroups / "outer" / "inner" / "cpu.max").write_text("800000 100000")
    (cgroups / "outer" / "cpu.max").write_text("300000 100000")
    assert machine.usable_cpus() == 3


def test_quota_of_version_1(cgroups: Path) -> None:
    (cgroups / "cpu").mkdir()
    (cgroups / "cpu" / "cpu.cfs_quota_us").write_text("200000")
    (cgroups / "cpu" / "cpu.cfs_period_us").write_text("100000")
    assert machine.usable_cpus() == 2
    (cgroups / "cpu" / "cpu.cfs_quota_us").write_text("-1")
    assert machine.usable_cpus() == 16


def test_memory(cgroups: Path) -> None:
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    (cgroups / "outer" / "memory.max").write_text("max")
    assert machine.memory_limit() == physical
    (cgroups / "outer" / "memory.max").write_text("1000000")
    assert machine.memory_limit() == 1_000_000


@pytest.mark.skipif(sys.platform != "linux", reason="taskset is a Linux command")
def test_affinity_of_this_process() -> None:
    code = "from flint.runtime.machine import usable_cpus; print(usable_cpus())"
    first = min(os.sched_getaffinity(0))
    path = str(Path(machine.__file__).parents[2])
    result = subprocess.run(
        ["taskset", "-c", str(first), sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
        check=True,
    )
    assert result.stdout == "1\n"


@pytest.mark.parametrize(("load", "overloaded"), [(0.0, False), (6.0, False), (6.1, True)])
def test_overload(monkeypatch: pytest.MonkeyPatch, load: float, overloaded: bool) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 99.0, 99.0), raising=False)
    assert machine.is_overloaded() is overloaded
