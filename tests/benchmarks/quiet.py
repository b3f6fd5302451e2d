"""A machine that is always the same, so that tests of benchmarks need not look at this one."""

from __future__ import annotations

from benchmarks.noise import Look, Watch

QUIET = Look(bandwidth=50.0, loop=5.0, busy=0.01)


def quiet_watch() -> Watch:
    """Sees `QUIET` at every look."""
    return Watch(looker=lambda: QUIET)
