"""Problems as text with carets, and as JSON."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest

from flintc.excerpt import MAX_CHARACTERS
from flintc.problems import Label, Phase, Problem, Severity
from flintc.render import render_text, to_json
from flintc.source import SourceFile, Span


def problem(text: str, start: int, end: int, *labels: Label, help: str | None = None) -> Problem:
    span = Span(SourceFile("dir/a.rss", text), start, end)
    return Problem("E_TEST", "it is wrong", span, Phase.PARSE, labels, help)


def frame(text: str, start: int, end: int) -> tuple[str, str]:
    """The source line and the caret line, without their gutters."""
    *_, source, carets = render_text(problem(text, start, end)).split("\n")
    return source.partition(" | ")[2], carets.partition(" | ")[2]


def test_whole_text() -> None:
    text = "let a = 1;\nlet bad = a a;\n"
    expected = """\
        error[E_TEST]: it is wrong
         --> dir/a.rss:2:13
          |
        2 | let bad = a a;
          |             ^
        help: put `;` here"""
    assert render_text(problem(text, 23, 24, help="put `;` here")) == dedent(expected)


def test_labels_come_in_the_order_of_the_text() -> None:
    file = SourceFile("a.rss", "one\ntwo\nthree\nfour five\n")
    labels = (Label(Span(file, 19, 23), "and here"), Label(Span(file, 0, 3), "first here"))
    span = Span(file, 14, 18)
    expected = """\
        error[E_TEST]: it is wrong
         --> a.rss:4:1
          |
        1 | one
          | --- first here
        ...
        4 | four five
          | ^^^^
          |      ---- and here"""
    result = render_text(Problem("E_TEST", "it is wrong", span, Phase.COMPILE, labels))
    assert result == dedent(expected)


def test_a_label_in_another_file() -> None:
    other = SourceFile("b.rss", "\n" * 10 + "fn f() { 1 }")
    label = Label(Span(other, 13, 14), "declared here")
    expected = """\
        error[E_TEST]: it is wrong
          --> dir/a.rss:1:1
           |
         1 | f(1);
           | ^
          ::: b.rss:11:4
           |
        11 | fn f() { 1 }
           |    - declared here"""
    assert render_text(problem("f(1);", 0, 1, label)) == dedent(expected)


def test_without_a_place() -> None:
    found = Problem("E_MISSING", "no such file", None, Phase.LOAD, help="look\nthere")
    assert render_text(found) == "error[E_MISSING]: no such file\nhelp: look\n      there"


def test_warning_and_color() -> None:
    span = Span(SourceFile("a.rss", "x"), 0, 1)
    found = Problem("W_TEST", "hm", span, Phase.PARSE, severity=Severity.WARNING)
    assert render_text(found).startswith("warning[W_TEST]: hm\n")
    colored = render_text(found, color=True)
    assert colored.startswith("\x1b[1;33mwarning[W_TEST]\x1b[0m")
    plain = colored
    for style in ("1;33", "1;34", "34", "1;32", "1;31", "1", "0"):
        plain = plain.replace(f"\x1b[{style}m", "")
    assert plain == render_text(found)


@pytest.mark.parametrize(
    ("text", "start", "end", "source", "carets"),
    [
        ("\tx y", 3, 4, "    x y", "      ^"),
        ("a\tb\tc", 4, 5, "a   b   c", "        ^"),
        ('"日本語😀" x', 7, 8, '"日本語😀" x', "           ^"),
        ('"日本" x', 1, 3, '"日本" x', " ^^^^"),
        ("e\u0301 x", 3, 4, "e\u0301 x", "  ^"),
        ("ab\r\ncd", 2, 4, "ab", "  ^"),
        ("ab\ncd\nef", 1, 8, "ab", " ^"),
        ("ab", 2, 2, "ab", "  ^"),
        ("a\0b\x1b[31mc", 8, 9, "a␀b␛[31mc", "        ^"),
        ("a\u202eb c", 4, 5, "a\ufffdb c", "    ^"),
        ("a\udc80b c", 4, 5, "a\ufffdb c", "    ^"),
    ],
)
def test_carets_stand_under_the_range(
    text: str, start: int, end: int, source: str, carets: str
) -> None:
    assert frame(text, start, end) == (source, carets)


def test_a_long_line_is_cut_around_the_range() -> None:
    text = "x" * 5000 + "BAD" + "y" * 5000
    source, carets = frame(text, 5000, 5003)
    assert len(source) == MAX_CHARACTERS + 2
    assert source[0] == source[-1] == "…"
    at = carets.index("^")
    assert source[at : at + 3] == "BAD"
    assert carets[at:] == "^^^"


def test_a_range_longer_than_the_cut_line_ends_with_it() -> None:
    source, carets = frame("x" * 5000, 0, 5000)
    assert carets == "^" * MAX_CHARACTERS
    assert source == "x" * MAX_CHARACTERS + "…"


@pytest.mark.parametrize("text", ["", "\n", "a", "a\nb", "\t\r\n\u3000"])
def test_no_range_is_too_odd(text: str) -> None:
    for start in range(-2, 8):
        for end in range(-2, 8):
            found = problem(text, start, end)
            assert "^" in render_text(found)
            assert to_json(found)["line"] >= 1


def test_json() -> None:
    file = SourceFile("a.rss", "let a = 1;\nlet bad\n = a;\n")
    label = Label(Span(file, 4, 5), "this one")
    found = Problem("E_TEST", "it is wrong", Span(file, 15, 20), Phase.COMPILE, (label,), "help")
    assert to_json(found) == {
        "code": "E_TEST",
        "severity": "error",
        "phase": "compile",
        "message": "it is wrong",
        "file": "a.rss",
        "line": 2,
        "column": 5,
        "end_line": 3,
        "end_column": 2,
        "help": "help",
        "labels": [
            {
                "message": "this one",
                "file": "a.rss",
                "line": 1,
                "column": 5,
                "end_line": 1,
                "end_column": 6,
            }
        ],
    }


def test_json_without_a_place_can_be_written() -> None:
    found = Problem("E_MISSING", "no \udc80", None, Phase.LOAD)
    value = json.loads(json.dumps(to_json(found), ensure_ascii=False).encode())
    assert value["file"] is value["line"] is value["end_column"] is value["help"] is None
    assert value["message"] == "no \ufffd"
