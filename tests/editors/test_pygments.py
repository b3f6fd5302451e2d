"""The Pygments lexer loses no text and tells keywords, names and literals apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from pygments import token as kinds

from flintc.pygments_lexer import RustScriptLexer

ROOT = Path(__file__).resolve().parents[2]


def _pairs(text: str) -> list[tuple[object, str]]:
    pieces = RustScriptLexer().get_tokens_unprocessed(text)
    return [(kind, piece) for _, kind, piece in pieces if kind is not kinds.Whitespace]


@pytest.mark.parametrize("path", sorted((ROOT / "scripts").glob("*.rss")), ids=lambda p: p.stem)
def test_all_text_of_our_scripts_comes_back_without_errors(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    pieces = list(RustScriptLexer().get_tokens_unprocessed(text))
    assert "".join(piece for _, _, piece in pieces) == text
    assert kinds.Error not in {kind for _, kind, _ in pieces}


def test_kinds() -> None:
    assert _pairs('fn f(a: int) { print(m::g(1.5), "s", null); } // end') == [
        (kinds.Keyword, "fn"),
        (kinds.Name.Function, "f"),
        (kinds.Punctuation, "("),
        (kinds.Name, "a"),
        (kinds.Punctuation, ":"),
        (kinds.Keyword.Type, "int"),
        (kinds.Punctuation, ")"),
        (kinds.Punctuation, "{"),
        (kinds.Name.Builtin, "print"),
        (kinds.Punctuation, "("),
        (kinds.Name.Namespace, "m"),
        (kinds.Punctuation, ":"),
        (kinds.Punctuation, ":"),
        (kinds.Name.Function, "g"),
        (kinds.Punctuation, "("),
        (kinds.Number.Float, "1.5"),
        (kinds.Punctuation, ")"),
        (kinds.Punctuation, ","),
        (kinds.String, '"s"'),
        (kinds.Punctuation, ","),
        (kinds.Keyword.Constant, "null"),
        (kinds.Punctuation, ")"),
        (kinds.Punctuation, ";"),
        (kinds.Punctuation, "}"),
        (kinds.Comment.Single, "// end"),
    ]


@pytest.mark.parametrize("text", ["", "/* open", "let a = #;", 'let s = "open', "a:", "fn"])
def test_unfinished_text_comes_back_too(text: str) -> None:
    pieces = list(RustScriptLexer().get_tokens_unprocessed(text))
    assert "".join(piece for _, _, piece in pieces) == text
