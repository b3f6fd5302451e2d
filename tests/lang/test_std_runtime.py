"""`runtime::` and `jit::` (language.md 6.8, 6.9), and the table of namespaces."""

import importlib
import time

import pytest

from flint.lang.errors import HostError, ProgramExit
from flint.lang.state import run_state
from flint.lang.std import NAMESPACES, jit, runtime


def test_sleep() -> None:
    start = time.perf_counter()
    assert runtime.sleep(20) is True
    assert time.perf_counter() - start >= 0.02
    with pytest.raises(HostError) as caught:
        runtime.sleep(-5)
    expected = "runtime::sleep expects non-negative milliseconds, got -5"
    assert caught.value.message == expected


def test_exit() -> None:
    with pytest.raises(ProgramExit):
        runtime.exit()


def test_settings_can_be_read_back() -> None:
    with run_state():
        config = jit.set_config(True, 5, 100)
        assert config == {"enabled": True, "hot_loop_threshold": 5, "max_trace_len": 100}
        assert jit.set_enabled(False) is jit.get_enabled() is False
        assert jit.set_hot_loop_threshold(7) == jit.get_hot_loop_threshold() == 7
        assert jit.set_max_trace_len(8) == jit.get_max_trace_len() == 8
        assert jit.get_config()["hot_loop_threshold"] == 7


def test_namespaces_are_modules_with_documented_functions() -> None:
    assert sorted(NAMESPACES) == ["bytes", "io", "jit", "json", "math", "re", "runtime"]
    for name in NAMESPACES.values():
        module = importlib.import_module(name)
        functions = [
            value
            for key, value in vars(module).items()
            if not key.startswith("_") and getattr(value, "__module__", "") == name
        ]
        assert functions
        assert all(
            function.__doc__ and "return" in function.__annotations__ for function in functions
        )
