"""Strategies for source text: right, nearly right and arbitrary programs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from flintc.problems import Problems
from flintc.source import SourceFile
from flintc.syntax.lexer import tokenize
from flintc.syntax.tokens import KEYWORDS, LONG_PUNCTUATION, SHORT_PUNCTUATION
from tests.oracle import generator, ranges_generator

GIVEN = Path(__file__).resolve().parent.parent / "conformance" / "given"
WORDS = sorted(
    KEYWORDS
    | set(LONG_PUNCTUATION)
    | set(SHORT_PUNCTUATION)
    | {"a", "b", "f", "int", "string", "array", "mut", "in", "_", "Some", "None", "Option", "self"}
    | {"0", "1.5", "9223372036854775808", "'s'", '"t"', 'b"u"', "copy", "unwrap_or", "has", "print"}
    | {"// c\n", "/* d */", "\n", " ", "length"}
)

# -- arbitrary text ----------------------------------------------------------------------------

any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=80)
token_texts = st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join)

# -- right by the grammar ----------------------------------------------------------------------

_names = st.sampled_from(["a", "b", "c"])
_expressions = st.recursive(
    _names | st.sampled_from(["1", "2.5", "'s'", "null", "true", "{}", "[]"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "*", "==", "&&", "||", "-"]), inner).map(" ".join),
        inner.map("({})".format),
        inner.map("-{}".format),
        st.tuples(_names, inner).map(lambda pair: "{}({})".format(*pair)),
        st.tuples(_names, inner).map(lambda pair: "|{}| {}".format(*pair)),
        st.tuples(_names, inner).map(lambda pair: "{}[{}]".format(*pair)),
        st.tuples(_names, inner).map(lambda pair: "{{{}: {}}}".format(*pair)),
        st.tuples(inner, inner).map(lambda pair: "[{}, {}]".format(*pair)),
        st.tuples(inner, inner).map(lambda pair: "match {} {{ 1 => {}, _ => 0 }}".format(*pair)),
        st.tuples(inner, inner, inner).map(
            lambda parts: "if ({}) => {{ {} }} else => {{ {} }}".format(*parts)
        ),
    ),
    max_leaves=12,
)
_simple = st.one_of(
    _expressions.map("({});".format),
    st.tuples(_names, _expressions).map(lambda pair: "let {} = {};".format(*pair)),
    st.tuples(_names, _expressions).map(lambda pair: "{} = {};".format(*pair)),
)
statements = st.recursive(
    _simple,
    lambda inner: st.one_of(
        st.tuples(_expressions, inner).map(lambda pair: "if ({}) {{ {} }}".format(*pair)),
        st.tuples(_expressions, inner).map(lambda pair: "while ({}) {{ {} break; }}".format(*pair)),
        st.tuples(_names, inner, _expressions).map(
            lambda parts: "fn {}(x: int) -> int {{ {} {} }}".format(*parts)
        ),
        st.tuples(inner, inner).map("\n".join),
    ),
    max_leaves=8,
)

# -- right by the types ------------------------------------------------------------------------


@cache
def corpus() -> list[str]:
    """The single-file programs of the conformance suite."""
    paths = sorted(GIVEN.glob("single/*.rss"))
    return [path.read_bytes().decode() for path in paths]


_seeds = st.integers(0, 2**32 - 1)
well_typed = _seeds.map(generator.generate)
well_typed_ranges = _seeds.map(ranges_generator.generate)
_given = st.deferred(lambda: st.sampled_from(corpus()))
_programs = st.one_of(_given, _given, _given, well_typed)

# -- damaged -----------------------------------------------------------------------------------


@st.composite
def damaged_text(draw: st.DrawFn) -> str:
    """A conformance program with a few pieces cut out, doubled or replaced."""
    text = draw(st.sampled_from(corpus()))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        piece = draw(st.sampled_from(["", text[start:end] * 2, *WORDS]) | st.text(max_size=3))
        text = text[:start] + piece + text[end:]
    return text


@st.composite
def damaged_tokens(draw: st.DrawFn) -> str:
    """A program with one or two tokens left out, doubled, moved or replaced by any other."""
    pieces = _pieces(draw(_programs))
    for _ in range(draw(st.integers(1, 2))):
        at = 2 * draw(st.integers(0, max(0, len(pieces) // 2 - 1)))
        other = 2 * draw(st.integers(0, max(0, len(pieces) // 2 - 1)))
        change = draw(st.sampled_from(["", "double", "swap", "word"]))
        if change == "swap":
            pieces[at], pieces[other] = pieces[other], pieces[at]
        elif change == "word":
            pieces[at] = draw(st.sampled_from(WORDS))
        else:
            pieces[at] = f"{pieces[at]} {pieces[at]}" if change else ""
    return "".join(pieces)


_ALIKE = (
    ("0", "-1", "1.5", "true", "null", "'s'", 'b"u"', "[1]", "{a: 1}", "[]", "{}", "|q| q"),
    ("int", "float", "bool", "string", "bytes", "[int]", "map<int>", "fn(int) -> int", "number"),
    ("+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||"),
)
_STARTS_LITERAL = frozenset("0123456789'\"")


@st.composite
def damaged_types(draw: st.DrawFn) -> str:
    """A program in which literals, types, operators or names stand for others of their kind."""
    pieces = _pieces(draw(_programs))
    names = sorted({p for p in pieces[::2] if p.isidentifier() and p not in KEYWORDS})
    for _ in range(draw(st.integers(1, 3))):
        at = 2 * draw(st.integers(0, max(0, len(pieces) // 2 - 1)))
        choices = _alike(pieces[at], names)
        if choices:
            pieces[at] = draw(st.sampled_from(choices))
    return "".join(pieces)


def _alike(token: str, names: list[str]) -> tuple[str, ...] | list[str]:
    literals, types, operators = _ALIKE
    if token in operators:
        return operators
    if token in types:
        return types
    if token in ("true", "false", "null") or token[:1] in _STARTS_LITERAL:
        return literals
    return names if token in names else ()


def _pieces(text: str) -> list[str]:
    """Tokens at even places, and what lies between them at odd ones."""
    tokens, _ = tokenize(SourceFile("program.rss", text), Problems())
    pieces: list[str] = []
    at = 0
    for token in tokens:
        if pieces:
            pieces.append(text[at : token.start])
        pieces.append(text[token.start : token.end])
        at = token.end
    return pieces or [""]


arbitrary = st.one_of(any_text, token_texts, statements, damaged_text())
