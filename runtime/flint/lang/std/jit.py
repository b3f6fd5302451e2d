"""`jit::`: settings of another implementation's compiler (language.md 6.8).

They are kept for the run and can be read back; Python has nothing to tune with them.
"""

from typing import Any

from flint.lang.kinds import expect
from flint.lang.state import current


def set_config(enabled: bool, hot_loop_threshold: int, max_trace_len: int) -> dict[str, Any]:
    """Set all three settings; returns them as `get_config` does."""
    set_enabled(enabled)
    set_hot_loop_threshold(hot_loop_threshold)
    set_max_trace_len(max_trace_len)
    return get_config()


def get_config() -> dict[str, Any]:
    """A map with `enabled`, `hot_loop_threshold` and `max_trace_len`."""
    settings = current().jit
    return {
        "enabled": settings.enabled,
        "hot_loop_threshold": settings.hot_loop_threshold,
        "max_trace_len": settings.max_trace_len,
    }


def set_enabled(enabled: bool) -> bool:
    """Set `enabled`; returns the new value."""
    expect(enabled, bool)
    current().jit.enabled = enabled
    return enabled


def get_enabled() -> bool:
    """The setting `enabled`."""
    return current().jit.enabled


def set_hot_loop_threshold(threshold: int) -> int:
    """Set `hot_loop_threshold`; returns the new value."""
    expect(threshold, int)
    current().jit.hot_loop_threshold = threshold
    return threshold


def get_hot_loop_threshold() -> int:
    """The setting `hot_loop_threshold`."""
    return current().jit.hot_loop_threshold


def set_max_trace_len(length: int) -> int:
    """Set `max_trace_len`; returns the new value."""
    expect(length, int)
    current().jit.max_trace_len = length
    return length


def get_max_trace_len() -> int:
    """The setting `max_trace_len`."""
    return current().jit.max_trace_len
