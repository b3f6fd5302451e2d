"""Module `path` (language reference 7.6), edge cases worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

Check = Callable[[str, Iterable[tuple[str, object]]], None]


def call(name: str, *arguments: str) -> str:
    literals = (json.dumps(argument, ensure_ascii=False) for argument in arguments)
    return f"m::{name}({', '.join(literals)})"


def test_normalize_sep(check: Check) -> None:
    rows = [("", ""), ("a/b", "a/b"), ("a\\b\\c", "a/b/c"), ("\\\\h\\x", "//h/x"), ("\\", "/")]
    check("path", [(call("normalize_sep", path), expected) for path, expected in rows])


def test_join(check: Check) -> None:
    rows = [
        ("a", "b", "a/b"),
        ("a/", "b", "a/b"),
        ("a", "/b", "a/b"),
        ("a/", "/b", "a/b"),
        ("a\\", "\\b", "a/b"),
        ("a//", "//b", "a///b"),  # of both together, one goes
        ("", "b", "b"),
        ("a", "", "a"),
        ("", "", ""),
        ("", "/b", "/b"),
        ("a/", "", "a/"),
        ("", "b\\c", "b/c"),
        ("a\\b", "", "a/b"),
        ("/", "b", "/b"),
        ("/", "/", "/"),
        ("a", "/", "a/"),
        ("a/", "/", "a/"),
        ("a b", "ö", "a b/ö"),
    ]
    check("path", [(call("join", lhs, rhs), expected) for lhs, rhs, expected in rows])


def test_basename_and_dirname(check: Check) -> None:
    rows = [
        ("", "", ""),
        ("a", "a", ""),
        ("a/", "a", ""),
        ("/", "", "/"),
        ("//", "", "/"),
        ("/a", "a", "/"),
        ("/a/", "a", "/"),
        ("//a", "a", "/"),  # what is before the last separator: "/"
        ("a/b", "b", "a"),
        ("a//b", "b", "a/"),
        ("a/b///", "b", "a"),
        ("./a", "a", "."),
        ("..", "..", ""),
        ("C:\\", "C:", ""),
        ("C:\\a\\b", "b", "C:/a"),
    ]
    check("path", [(call("basename", path), base) for path, base, _ in rows])
    check("path", [(call("dirname", path), folder) for path, _, folder in rows])


def test_extname(check: Check) -> None:
    rows = [
        ("", ""),
        ("a", ""),
        ("a.b", ".b"),
        ("a.b.c", ".c"),
        (".a", ""),
        (".a.b", ".b"),
        ("a.", "."),
        ("..", "."),  # the rule knows no special names
        ("a.b/", ".b"),
        ("a.b/c", ""),
        ("a.b\\c.d", ".d"),
        ("/.a", ""),
    ]
    check("path", [(call("extname", path), expected) for path, expected in rows])
