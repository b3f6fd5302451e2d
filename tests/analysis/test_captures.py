"""How function and closure bodies hold outer variables (language reference 5.8)."""

from __future__ import annotations

import pytest

from flintc.analysis.symbols import Capture
from flintc.syntax import nodes
from tests.analysis.support import analyse, sound


def captures(text: str) -> dict[str, Capture]:
    """The captures of the first closure or function of a program."""
    scopes = sound(text).resolution.scopes.values()
    inner = min(
        (scope for scope in scopes if not isinstance(scope.owner, nodes.Program)),
        key=lambda scope: scope.owner.span.start,
    )
    return {variable.name: mode for variable, mode in inner.captures.items()}


@pytest.mark.parametrize(
    ("body", "mode"),
    [
        ("|| a", Capture.SNAPSHOT),
        ("|| a.copy() + a", Capture.SNAPSHOT),
        ("|| a[0]", Capture.SNAPSHOT),
        ("|| &a", Capture.SHARED),
        ("|| &a[0]", Capture.SHARED),
        ("|| (&a) + a", Capture.SHARED),
        ("|| &mut a", Capture.SHARED),
        ("|| &b[a]", Capture.SNAPSHOT),
        ("|| if true => { a = 1; 2 } else => { 0 }", Capture.SHARED),
        ("|| if true => { a += 1; 2 } else => { 0 }", Capture.SHARED),
        ("|| if true => { a[0] = 1; 2 } else => { 0 }", Capture.SHARED),
        ("|| if true => { a.x = 1; 2 } else => { 0 }", Capture.SHARED),
        ("|| a()", Capture.SNAPSHOT),
    ],
)
def test_mode(body: str, mode: Capture) -> None:
    assert captures(f"let mut a = [1]; let mut b = [1]; let f = {body};")["a"] is mode


def test_functions_capture_like_closures() -> None:
    text = "let mut n = 0; let k = 1; fn up() -> int { n = n + k; n }"
    assert captures(text) == {"n": Capture.SHARED, "k": Capture.SNAPSHOT}


def test_own_variables_and_parameters_are_not_captured() -> None:
    assert captures("let a = 1; let f = |a| a + 1;") == {}
    assert captures("let a = 1; fn f() -> int { let a = 2; a }") == {}


@pytest.mark.parametrize(
    "text",
    [
        "let a = 1; let f = |x| |y| a + x + y;",
        "let a = 1; fn f() -> fn(int) -> int { |x| a + x }",
        "let mut a = 1; fn f() -> int { fn g() -> int { a = 2; a } 1 }",
    ],
)
def test_only_the_body_directly_around_is_in_reach(text: str) -> None:
    (problem,) = analyse(text).problems
    assert problem.code == "E_LOCAL_UNAVAILABLE"
    assert problem.span is not None
    assert problem.span.text == "a"


def test_binding_again_in_between_helps() -> None:
    sound("let a = 1; fn f() -> fn(int) -> int { let b = a; |x| b + x }")
