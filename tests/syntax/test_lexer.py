"""Tokens, comments and lexical problems (language reference 1)."""

from __future__ import annotations

import pytest

from flintc.problems import Problems
from flintc.source import SourceFile
from flintc.syntax.lexer import tokenize
from flintc.syntax.tokens import BYTES, END, FLOAT, INT, NAME, STRING, Token


def lex(text: str) -> tuple[list[Token], list[tuple[str, int, int]]]:
    """Tokens but for the end, and code, line and column of each problem."""
    problems = Problems()
    tokens, _ = tokenize(SourceFile("test.rss", text), problems)
    assert tokens[-1] == Token(END, "", len(text), len(text))
    assert all(token.text == text[token.start : token.end] for token in tokens)
    places = [(p.code, *p.span.position) for p in problems.items if p.span]
    return tokens[:-1], places


def texts(text: str) -> list[str]:
    tokens, problems = lex(text)
    assert not problems
    return [token.text for token in tokens]


def value(text: str) -> object:
    (token,), problems = lex(text)
    assert not problems
    return token.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a..=b..c...d.e", ["a", "..=", "b", "..", "c", "...", "d", ".", "e"]),
        ("a+++=b", ["a", "+", "+", "+=", "b"]),
        ("===>=>", ["==", "=>", "=>"]),
        ("a->b::c?.d", ["a", "-", ">", "b", ":", ":", "c", "?", ".", "d"]),
        ("map<array<int>>=x", ["map", "<", "array", "<", "int", ">", ">=", "x"]),
        ("&&&|||", ["&&", "&", "||", "|"]),
        ("1..3", ["1", "..", "3"]),
        ("1.5.2", ["1.5", ".", "2"]),
        ("1.", ["1", "."]),
        ("1_000 0b1 12ab", ["1", "_000", "0", "b1", "12", "ab"]),
        ("a\xa0b\u2003c\x0bd", ["a", "b", "c", "d"]),
        ("a/*b*/c//d\ne/**/f", ["a", "c", "e", "f"]),
        ("/* a /* b */ c */", ["c", "*", "/"]),
        ("b 'x' b'y' b\"z\"", ["b", "'x'", "b", "'y'", 'b"z"']),
        ("a\r\nb\r\n", ["a", "b"]),
        ("", []),
    ],
)
def test_token_boundaries(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_kinds() -> None:
    tokens, _ = lex('let letter = null_ null b"x" "y" 1 1.5 _')
    kinds = [token.kind for token in tokens]
    assert kinds == ["let", NAME, "=", NAME, "null", BYTES, STRING, INT, FLOAT, NAME]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("007", 7),
        ("0xFf", 255),
        ("0X10", 16),
        ("9223372036854775807", 2**63 - 1),
        ("0x8000000000000000", 2**63),
        ("0" * 50 + "5", 5),
        ("1.50", 1.5),
        ("9" * 400 + ".0", float("inf")),
        (r'"a\n\t\r\\\"\'\0\x41\xff"', "a\n\t\r\\\"'\0A\xff"),
        ("'it is \"so\"'", 'it is "so"'),
        ('"two\r\nlines 😀"', "two\r\nlines 😀"),
        (r'b"\x00\xffA\n"', b"\x00\xffA\n"),
        ('""', ""),
    ],
)
def test_literal_values(text: str, expected: object) -> None:
    result = value(text)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a @ b # c", [("E_UNEXPECTED_CHARACTER", 1, 3), ("E_UNEXPECTED_CHARACTER", 1, 7)]),
        ("let größe = 1;", [("E_UNEXPECTED_CHARACTER", 1, 7)]),
        ("日本語 = 1;", [("E_UNEXPECTED_CHARACTER", 1, 1)]),
        ("\ufefflet a = 1;", [("E_UNEXPECTED_CHARACTER", 1, 1)]),
        ("a\0b", [("E_UNEXPECTED_CHARACTER", 1, 2)]),
        ("a \\ b", [("E_UNEXPECTED_CHARACTER", 1, 3)]),
        ("a\x1cb", [("E_UNEXPECTED_CHARACTER", 1, 2)]),
        ("x\n /* a\n", [("E_UNTERMINATED_COMMENT", 2, 2)]),
        ('x\n "a\n\nb', [("E_UNTERMINATED_STRING", 2, 2)]),
        ("'a\\", [("E_UNTERMINATED_STRING", 1, 1)]),
        ('b"a', [("E_UNTERMINATED_STRING", 1, 1)]),
        (
            r'"\q"' + "\n" + r'"a\u{41}\x4"',
            [
                ("E_INVALID_ESCAPE", 1, 2),
                ("E_INVALID_ESCAPE", 2, 3),
                ("E_INVALID_ESCAPE", 2, 9),
            ],
        ),
        ('"\\\n"', [("E_INVALID_ESCAPE", 1, 2)]),
        ('b"é"', [("E_NON_ASCII_BYTES", 1, 3)]),
        ("0x", [("E_INVALID_NUMBER", 1, 1)]),
        ("18446744073709551616", [("E_INVALID_NUMBER", 1, 1)]),
        ("9223372036854775809", [("E_INT_OUT_OF_RANGE", 1, 1)]),
        ("1" * 5000, [("E_INVALID_NUMBER", 1, 1)]),
        ('"\udc80" // \udcff', [("E_INVALID_UTF8", 1, 2)]),
    ],
)
def test_problems(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert lex(text)[1] == expected


def test_tokens_around_problems_are_kept() -> None:
    tokens, problems = lex('let a = "\\q" + 0x; @ b')
    assert [token.text for token in tokens] == ["let", "a", "=", '"\\q"', "+", "0x", ";", "b"]
    assert len(problems) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("// a\r\nx // b \n", [("// a", True), ("// b ", False)]),
        ("/* a */ /* b\n */ // c", [("/* a */", True), ("/* b\n */", False), ("// c", False)]),
        ("x /* a */ y\n\t/* b */", [("/* a */", False), ("/* b */", True)]),
        ("\n  // a", [("// a", True)]),
        ("'// no'", []),
        ("//", [("//", True)]),
    ],
)
def test_comments(text: str, expected: list[tuple[str, bool]]) -> None:
    problems = Problems()
    _, comments = tokenize(SourceFile("test.rss", text), problems)
    assert not problems.items
    assert [(comment.text, comment.own_line) for comment in comments] == expected
    assert all(comment.text == comment.span.text for comment in comments)
