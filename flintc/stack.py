"""Room for passes that recurse on nesting: Python frames, and stack for the C code between them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import wraps
from typing import Final, ParamSpec, TypeVar

_RECURSION_LIMIT: Final = 100_000  # some 20 frames for each level that the parser lets through
_ENOUGH: Final = 8 << 20  # bytes; twice what the deepest program takes
_STACK: Final = 64 << 20

P = ParamSpec("P")
T = TypeVar("T")

_roomy = threading.local()


def allow_deep_recursion() -> None:
    """Passes recurse on nesting, which the parser limits; Python's own limit is lower than that.

    It is not lowered again: other threads may be compiling.
    """
    if sys.getrecursionlimit() < _RECURSION_LIMIT:
        sys.setrecursionlimit(_RECURSION_LIMIT)


def with_room(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function recurse as deep as programs nest, in any thread.

    Where the stack may be too small (nobody can ask a thread for its own), it runs in a new thread.
    """

    @wraps(function)
    def roomy(*args: P.args, **kwargs: P.kwargs) -> T:
        allow_deep_recursion()
        if has_room():
            return function(*args, **kwargs)
        return in_new_thread(lambda: function(*args, **kwargs))

    return roomy


def has_room() -> bool:
    """Whether this thread's stack is known to suffice."""
    if threading.current_thread() is not threading.main_thread():
        return getattr(_roomy, "yes", False)
    try:
        from resource import RLIM_INFINITY, RLIMIT_STACK, getrlimit
    except ImportError:  # Windows, where the main thread has 1 MiB
        return False
    size = getrlimit(RLIMIT_STACK)[0]
    return size == RLIM_INFINITY or size >= _ENOUGH


def in_new_thread(function: Callable[[], T]) -> T:
    """Call a function in a thread that has room, with the context of this one."""
    outcome: Future[T] = Future()
    context = copy_context()

    def run() -> None:
        _roomy.yes = True
        try:
            outcome.set_result(context.run(function))
        except BaseException as error:
            outcome.set_exception(error)

    before = threading.stack_size(_STACK)
    try:
        thread = threading.Thread(target=run, name="flintc")
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    return outcome.result()
