"""What this process may use of the machine: processors and memory, as containers limit them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_CGROUPS = Path("/sys/fs/cgroup")


def usable_cpus() -> int:
    """Processors by affinity and cgroup quota; more threads than that make llama.cpp slower."""
    affinity = getattr(os, "sched_getaffinity", None)
    count = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, min([count, *_cpu_quotas()]))


def is_overloaded() -> bool:
    """Whether clearly more processes want to run than there are processors."""
    return hasattr(os, "getloadavg") and os.getloadavg()[0] > 1.5 * (os.cpu_count() or 1)


def memory_limit() -> int | None:
    """Bytes of memory that this process can have at most, or None if the system does not say."""
    limits = list(_memory_quotas())
    if hasattr(os, "sysconf"):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return min(limits, default=None)


def _cpu_quotas() -> Iterator[int]:
    for folder in _cgroup_folders():
        quota, _, period = _read(folder / "cpu.max").partition(" ")
        if quota.isdecimal() and period.isdecimal():
            yield _processors(int(quota), int(period))
    quota, period = (_read(_CGROUPS / "cpu" / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
    if quota.isdecimal() and period.isdecimal():
        yield _processors(int(quota), int(period))


def _processors(quota: int, period: int) -> int:
    return max(1, quota // period) if period else 1


def _memory_quotas() -> Iterator[int]:
    files = [folder / "memory.max" for folder in _cgroup_folders()]
    for file in [*files, _CGROUPS / "memory" / "memory.limit_in_bytes"]:
        text = _read(file)
        if text.isdecimal():
            yield int(text)


def _cgroup_folders() -> Iterator[Path]:
    """This process's cgroup (version 2) and those around it, each of which may set a limit."""
    own = next(
        (line[3:] for line in _read(Path("/proc/self/cgroup")).splitlines() if line[:3] == "0::"),
        "/",
    )
    folder = _CGROUPS / own.strip("/")
    yield folder
    while folder != _CGROUPS and _CGROUPS in folder.parents:
        folder = folder.parent
        yield folder


def _read(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""
