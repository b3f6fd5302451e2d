"""`re::` with Rust's syntax and match rules (language.md 6.6)."""

import re as python_re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flint.lang.errors import HostError, TypeMismatch
from flint.lang.regex import compile_regex
from flint.lang.regex.classes import CharSet, unicode_property
from flint.lang.std import re

ASCII = "".join(map(chr, range(128)))


def all_of(pattern: str, text: str = ASCII) -> str:
    """All characters of a text that match the pattern for one character."""
    return "".join(c for c in text if re.match(f"^{pattern}$", c) or re.find(pattern, c) == c)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (re.captures(r"(\d+)-(\d+)", "tel 12-345 end"), ["12-345", "12", "345"]),
        (re.captures("(a)(b)?(c)", "ac"), ["ac", "a", None, "c"]),
        (re.captures("z", "abc"), []),
        (re.find("[0-9]+", "abc 123 45"), "123"),
        (re.find("x", "abc"), None),
        (re.match("ABC", "xabcx", "i"), True),
        (re.match("ABC", "xabcx"), False),
        (re.find("^b$", "a\nb\nc", "m"), "b"),
        (re.replace("A", "banana", "_", "i"), "b_n_n_"),
        (re.split("X", "axbXc", "i"), ["a", "b", "c"]),
        (re.match("a.c", "a\nc"), False),
        (re.match("a.c", "a\nc", "s"), True),
        (re.replace("(b)", "abc", "$1x"), "ac"),
        (re.replace("(b)", "abc", "[$9]"), "a[]c"),
        (re.replace("(b)", "abc", "$0$0${1}x$$ $ $-"), "abbbx$ $ $-c"),
        (re.replace("(?P<first>a)(?<b2>b)", "ab", "${b2}$first"), "ba"),
        (re.split(r",\s*", "a, b,c,  d"), ["a", "b", "c", "d"]),
        (re.split("-", "-a-"), ["", "a", ""]),
        (re.split("[;,]", ""), [""]),
        (re.split("", "abc"), ["", "a", "b", "c", ""]),
        (re.replace("b*", "abbc", "<$0>"), "<>a<bb>c<>"),
        (re.replace("a*", "baac", "-"), "-b-c-"),
        (re.split("a*", "baac"), ["", "b", "c", ""]),
        (re.replace("|b", "abb", "-"), "-a-b-b-"),
        (re.replace("b", "abc", "[${" + "9" * 5000 + "}]"), "a[]c"),
    ],
)
def test_functions(result, expected) -> None:
    assert result == expected


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("a$", "a\n", None),  # Python's own `$` would match
        (r"a\z", "ba", "a"),
        (r"\Ab", "ab", None),
        ("a(?i)b|c", "C", "C"),
        ("(a(?i)b)c", "aBC", None),
        ("(?i:a)b", "Ab", "Ab"),
        ("(?i)a(?-i)b", "AB", None),
        ("(?x) a # comment\n b [ c ]", "abc", "abc"),
        ("(?U)a+", "aaa", "a"),
        ("(?U)a+?", "aaa", "aaa"),
        ("a+?", "aaa", "a"),
        ("a*+", "aaa", "aaa"),
        ("(?:a{2}){2}", "aaaaa", "aaaa"),
        ("a{2,}", "aaa", "aaa"),
        ("a{1,2}", "aaa", "aa"),
        (r"\x41\x{42}\u0043\u{44}\U00000045", "ABCDE", "ABCDE"),
        (r"\.\*\-\/\#", ".*-/#", ".*-/#"),
        (r"\bfoo\b", "a foo b", "foo"),
        (r"\Boo", "foo", "oo"),
        (r"\B", "", ""),
        (r"\B", "a", None),
        (r"\b{start-half}b", "ab b", "b"),
        (r"a\b{end-half}", "ab a", "a"),
        (r"(?-u:\b)b", "\u00e9b", "b"),
        (r"\b{start}\w+\b{end}", " ab ", "ab"),
        (r"\<b\>", "ab b", "b"),
        (r"\w+", "\u0939\u093f\u0928\u094d\u0926\u0940 x", "\u0939\u093f\u0928\u094d\u0926\u0940"),
        (r"\bq", "e\u0301q", None),
        (r"(?-u:\w)+", "ab\u00e9", "ab"),
        (r"\w", "\u00b2", None),
        (r"\d+", "\u0661\u0662", "\u0661\u0662"),
        (r"\s", "\x1c", None),
        (r"\s", "\u3000", "\u3000"),
        (r"\p{Greek}+", "abc \u03b1\u03b2", "\u03b1\u03b2"),
        (r"\p{Han}", "a\u6f22", "\u6f22"),
        (r"\pL+", "1\u00e9a", "\u00e9a"),
        (r"\p{Lu}", "a\u00c9", "\u00c9"),
        (r"\p{gc=Uppercase_Letter}", "aB", "B"),
        (r"\P{L}", "a1", "1"),
        (r"\p{^L}", "a1", "1"),
        ("(?i)[^a]", "Aab", "b"),
        ("(?i)\u00e9", "\u00c9", "\u00c9"),
        ("[^\\n]+", "\U0001f5fc\n", "\U0001f5fc"),
        ("", "abc", ""),
        ("()", "abc", ""),
        ("a||b", "b", ""),
    ],
)
def test_search(pattern: str, text: str, found: str | None) -> None:
    assert re.find(pattern, text) == found


@pytest.mark.parametrize(
    ("pattern", "members"),
    [
        ("[a-e&&[^bd]]", "ace"),
        ("[a-e--[bd]]", "ace"),
        ("[a-c~~b-d]", "ad"),
        ("[[:digit:]x]", "0123456789x"),
        ("[a-f&&[[:^alpha:]c]]", "c"),
        ("[]a]", "]a"),
        ("[-a]", "-a"),
        ("[a-]", "-a"),
        ("[--/]", "-/"),
        (r"[\]\-\\]", "]-\\"),
        (r"[\d&&[^5-9]]", "01234"),
        ("[[ab]c]", "abc"),
        ("[a&&b]", ""),
        ("[a^]", "a^"),
        ("[a&b|]", "a&b|"),
        (r"[\x41-\x43]", "ABC"),
    ],
)
def test_classes(pattern: str, members: str) -> None:
    assert sorted(all_of(pattern)) == sorted(members)


@given(st.lists(st.tuples(st.integers(0, 127), st.integers(0, 127)), max_size=4), st.data())
def test_set_algebra(pairs, data) -> None:
    ranges = tuple((min(pair), max(pair)) for pair in pairs)
    cut = data.draw(st.integers(0, len(ranges)))
    left, right = CharSet(ranges[:cut]), CharSet(ranges[cut:])

    def members(characters: CharSet) -> set[int]:
        return {c for first, last in characters.ranges for c in range(first, min(last, 127) + 1)}

    assert members(left & right) == members(left) & members(right)
    assert members(left - right) == members(left) - members(right)
    assert members(left ^ right) == members(left) ^ members(right)
    assert members(~left) == set(range(128)) - members(left)


PIECES = st.sampled_from(
    ["a", "b", ".", "a*", "b+", "(a|b)", "[ab]", "(?:ab)?", "^", "$", "a{1,2}?"]
)


@given(st.lists(PIECES, max_size=5), st.text("ab", max_size=6))
def test_common_syntax_agrees_with_python(pieces: list[str], text: str) -> None:
    pattern = "".join(pieces)
    expected = python_re.search(pattern, text)
    assert re.captures(pattern, text) == (
        [expected.group(), *expected.groups()] if expected else []
    )


@pytest.mark.parametrize(
    ("pattern", "position", "problem"),
    [
        ("(", 0, "unclosed group"),
        ("a)", 1, "unopened group"),
        ("[a", 0, "unclosed character class"),
        ("[]", 0, "unclosed character class"),
        ("*a", 0, "repetition operator missing expression"),
        ("(?i)*", 4, "repetition operator missing expression"),
        ("a{2,1}", 1, "invalid repetition count range, the start must be <= the end"),
        ("a{x}", 1, "repetition quantifier expects a valid decimal"),
        ("[z-a]", 2, "invalid character class range, the start must be <= the end"),
        ("(?=a)", 0, "look-around, including look-ahead and look-behind, is not supported"),
        ("(?<!a)", 0, "look-around, including look-ahead and look-behind, is not supported"),
        (r"(a)\1", 3, "backreferences are not supported"),
        (r"\y", 0, "unrecognized escape sequence"),
        (r"\Z", 0, "unrecognized escape sequence"),
        (r"\p{Foo}", 0, "Unicode property not found"),
        (r"\x4", 2, "incomplete escape sequence"),
        (r"\u{d800}", 2, "hexadecimal literal is not a Unicode scalar value"),
        ("a\\", 2, "incomplete escape sequence"),
        ("(?P<a>x)(?P<a>y)", 12, "duplicate capture group name"),
        ("(?q)a", 2, "unrecognized flag"),
        ("(?i-)a", 3, "dangling flag negation operator"),
    ],
)
def test_invalid_patterns(pattern: str, position: int, problem: str) -> None:
    with pytest.raises(HostError) as caught:
        re.match(pattern, "a")
    marker = " " * position + "^"
    expected = f"regex parse error:\n    {pattern}\n    {marker}\nerror: {problem}"
    assert caught.value.message == f"re_match invalid pattern: {expected}"


def test_hostile_patterns_end_in_a_clear_error() -> None:
    for pattern in (
        "(" * 5000,
        "[" * 5000,
        "(?:" * 3000 + "a" + ")" * 3000,
        "a{" + "9" * 5000 + "}",
    ):
        with pytest.raises(HostError, match="invalid pattern"):
            re.find(pattern, "a")


def test_flags_are_spliced() -> None:
    with pytest.raises(HostError, match=r"^host error: re_split invalid pattern"):
        re.split("a", "a", "q")
    with pytest.raises(TypeMismatch, match=r"^type mismatch: expected string$"):
        re.match("a", "a", 1)


EXPECTED = {
    "L": lambda c: unicodedata.category(c)[0] == "L",
    "Cn": lambda c: unicodedata.category(c) == "Cn",
    "Co": lambda c: unicodedata.category(c) == "Co",
    "Nd": str.isdecimal,
    "LC": lambda c: unicodedata.category(c) in ("Lu", "Ll", "Lt"),
    "Uppercase": str.isupper,
    "White_Space": lambda c: c.isspace() and c not in "\x1c\x1d\x1e\x1f",
}


def test_properties_cover_all_of_unicode() -> None:
    for name in ("L", "Cn", "Co", "Nd", "LC", "Uppercase", "White_Space"):
        found = unicode_property(name)
        assert found is not None
        members = {c for first, last in found.ranges for c in range(first, last + 1)}
        assert {c for c in members if c % 7 == 0} == {
            c for c in range(0, 0x110000, 7) if EXPECTED[name](chr(c))
        }
    assert unicode_property("Nonsense") is None


SLOW_WITH_BACKTRACKING = [
    ("(a+)+$", "a" * 5_000 + "b", None),
    ("(a|a)*b", "a" * 5_000, None),
    (r"(x+x+)+y", "x" * 5_000, None),
    (r"\s+$", " " * 100_000 + "b", None),
    ("(?:a?){30}a{30}", "a" * 30, "a" * 30),
    (r"^(\w+\s?)*$", "word " * 2_000 + "!", None),
    ("(é+)+$", "é" * 5_000 + "b", None),
]


@pytest.mark.parametrize(("pattern", "text", "found"), SLOW_WITH_BACKTRACKING)
def test_time_is_linear_in_the_text(pattern: str, text: str, found: str | None) -> None:
    assert re.find(pattern, text) == found


@pytest.mark.parametrize(
    "pattern", ["a*", "b*", "|b", "(a)|b", r"\w", "$", r"(?m:^)", "[^a]?", "(?i:AA?)"]
)
@pytest.mark.parametrize("text", ["", "baac", "abb", "a\nb", "éaäA", "caab\n"])
def test_both_engines_agree(pattern: str, text: str) -> None:
    regex = compile_regex(pattern, text)
    backtracking = [match.span() for match in regex._by_backtracking(text)]
    linear = [match.span() for match in regex._re2.finditer(text)]
    assert backtracking == linear
