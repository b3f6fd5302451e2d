"""Calls of values, the call limit, and what a run owns (language.md 5.8, 5.12)."""

import os
import subprocess
import sys
import threading

import pytest

from flint import lang
from flint.lang.errors import CallDepthExceeded, ScriptError
from flint.lang.state import current, run_state


@lang.recursive
def down(n: int) -> int:
    return 0 if n == 0 else 1 + down(n - 1)


@lang.recursive
def even(n: int) -> bool:
    return True if n == 0 else odd(n - 1)


@lang.recursive
def odd(n: int) -> bool:
    return False if n == 0 else even(n - 1)


def error(function, *arguments) -> str:
    with pytest.raises(ScriptError) as caught:
        function(*arguments)
    return str(caught.value)


def test_the_limit_is_1024_nested_calls() -> None:
    with run_state():
        assert down(1023) == 1023
        assert error(down, 1024) == "script call stack limit 1024 exceeded"
        assert current().depth == 0
        assert down(1023) == 1023


def test_functions_count_together() -> None:
    with run_state():
        assert even(1023) is False
        with pytest.raises(CallDepthExceeded, match="limit 1024 exceeded"):
            even(1024)


def test_an_error_deep_inside_leaves_the_depth_as_it_was() -> None:
    @lang.recursive
    def fail(n: int) -> int:
        return lang.div(1, 0) if n == 0 else fail(n - 1)

    with run_state() as state:
        assert error(fail, 20) == "division by zero"
        assert state.depth == 0


def test_deep_calls_through_values_and_comprehensions_fit_into_python() -> None:
    @lang.recursive
    def nested(n: int) -> int:
        return 0 if n == 0 else sum([1, *[lang.call(lambda: nested(n - 1)) for _ in range(1)]])

    with run_state():
        assert nested(1023) == 1023


_SMALL_STACK = """
import threading
from flint import lang

@lang.recursive
def down(n):
    return 0 if n == 0 else 1 + lang.call(down, n - 1)

def run():
    with lang.run_state():
        print(down(1023))

threading.stack_size(128 * 1024)
thread = threading.Thread(target=run)
thread.start()
thread.join()
"""


def test_calls_take_no_room_on_the_stack_of_the_thread() -> None:
    finished = subprocess.run(
        [sys.executable, "-c", _SMALL_STACK],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert finished.stdout == "1023\n", finished.stderr


def test_each_thread_counts_for_itself() -> None:
    results: list[int] = []

    def run() -> None:
        with run_state():
            results.append(down(600))

    threading.stack_size(64 * 1024 * 1024)
    try:
        threads = [threading.Thread(target=run) for _ in range(3)]
    finally:
        for thread in threads:
            thread.start()
        threading.stack_size(0)
    for thread in threads:
        thread.join()
    assert results == [600] * 3


@pytest.mark.parametrize("value", [5, None, "f", [], object()])
def test_call_of_something_else(value) -> None:
    assert error(lang.call, value) == "callvalue operand is not callable"


def test_arity() -> None:
    two = lambda a, b: a + b  # noqa: E731
    with run_state():
        assert lang.call(two, 1, 2) == 3
        assert error(lang.call, two, 1) == ("invalid call arity for callable 0: expected 2, got 1")
        assert error(lang.call, down) == "invalid call arity for callable 1: expected 1, got 0"
        assert error(lang.call, lang.length, 1, 2).endswith("expected 1, got 2")


def test_snapshots_are_no_parameters() -> None:
    captured = 5
    function = lambda a, *, captured=captured: a + captured  # noqa: E731
    assert lang.call(function, 1) == 6
    assert error(lang.call, function, 1, 2).endswith("expected 1, got 2")


def test_optional_and_unlimited_parameters() -> None:
    from flint.lang.std import re

    assert lang.call(re.match, "A", "a", "i") is True
    assert lang.call(re.match, "A", "a") is False
    assert error(lang.call, re.match, "A").endswith("expected 2, got 1")
    assert lang.call(lambda *items: len(items), 1, 2, 3) == 3


def test_kinds_of_callables() -> None:
    assert lang.callable_kind(lambda: 1) == "closure"
    assert lang.callable_kind(lang.recursive(lambda: 1)) == "closure"
    assert lang.callable_kind(down) == "function"
    assert lang.callable_kind(lang.length) == "host"


def test_a_run_closes_what_is_open() -> None:
    class Resource:
        closed = False

        def close(self) -> None:
            self.closed = True

    resources = [Resource(), Resource()]
    with run_state() as state:
        assert [state.register(resource) for resource in resources] == [1, 2]
        assert state is current()
    assert all(resource.closed for resource in resources)
    with run_state() as state:
        assert state.register(Resource()) == 1


def test_runs_do_not_share_state() -> None:
    outside = current()
    with run_state() as outer:
        outer.jit.max_trace_len = 9
        with run_state() as inner:
            assert inner.jit.max_trace_len != 9
        assert current() is outer
    assert current() is outside
    assert sys.getrecursionlimit() >= 1024


def test_unbound() -> None:
    assert error(lang.unbound, "acme::do_it", 1) == "unbound host import 'acme::do_it'"
