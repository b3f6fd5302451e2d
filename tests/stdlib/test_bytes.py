"""Module `bytes` (language reference 7.7), edge cases worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from flint.lang.errors import HostError

Check = Callable[[str, Iterable[tuple[str, object]]], None]
Evaluate = Callable[[str], list[object]]

USE = "use stdlib::rss::bytes as m;\n"
MAX = 2**63 - 1


def test_parts(check: Check) -> None:
    cases: list[tuple[str, object]] = [
        ('m::slice(b"abcd", 1, 2)', b"bc"),
        ('m::slice(b"abcd", 0, 4)', b"abcd"),
        ('m::slice(b"abcd", 4, 0)', b""),
        ('m::slice(b"", 0, 0)', b""),
        ('m::equal(b"", b"")', True),
        ('m::equal(b"a", b"a")', True),
        ('m::equal(b"a", b"A")', False),
        ('m::starts_with(b"", b"")', True),
        ('m::starts_with(b"abc", b"abc")', True),
        ('m::starts_with(b"abc", b"abcd")', False),
        ('m::starts_with(b"abc", b"bc")', False),
        ('m::ends_with(b"", b"")', True),
        ('m::ends_with(b"abc", b"abc")', True),
        ('m::ends_with(b"bc", b"abc")', False),
        ('m::ends_with(b"abc", b"ab")', False),
    ]
    check("bytes", cases)


def test_index_of(check: Check) -> None:
    rows = [
        ("", "", 0),
        ("a", "", 0),
        ("", "a", -1),
        ("abc", "abcd", -1),
        ("abc", "c", 2),
        ("aab", "ab", 1),
        ("aaaab", "aab", 2),
        ("abababac", "ababac", 2),  # the match begins within one that fails late
        ("abcabcabd", "abcabd", 3),
        ("aabaabaaaa", "aabaaaa", 3),
        ("aabaabaab", "aabaaab", -1),
        ("\\x00\\xff\\x00", "\\xff", 1),
    ]
    check("bytes", [(f'm::index_of(b"{buf}", b"{needle}")', at) for buf, needle, at in rows])


def test_index_of_agrees_with_python_on_all_short_texts(evaluate: Evaluate) -> None:
    # every text of up to 6 and every needle of up to 4 bytes over two letters
    texts, needles = ([f"{n:b}"[1:] for n in range(1, 2 ** (size + 1))] for size in (6, 4))
    script = f"""let texts: [string] = {texts!r};
let needles: [string] = {needles!r};
use bytes;
for i in 0..texts.length {{
    for k in 0..needles.length {{
        m::index_of(bytes::from_utf8(&texts[i]), bytes::from_utf8(&needles[k]));
    }}
}}"""
    expected = [text.find(needle) for text in texts for needle in needles]
    assert evaluate(USE + script) == expected


def test_search_takes_linear_time(evaluate: Evaluate) -> None:
    # 2^17 times "a", searched for 2^16 times "a" and a "b": all pairs would take minutes
    script = """let mut half = b"a";
for i in 0..16 { half = half + half; }
m::index_of(half + half, half + b"b");
m::index_of(half + half + b"b", half + b"b");"""
    assert evaluate(USE + script) == [-1, 2**16]


def test_numbers(check: Check) -> None:
    cases: list[tuple[str, object]] = [
        ('m::push_u8(b"", 0)', b"\x00"),
        ('m::push_u8(b"a", 255)', b"a\xff"),
        ('m::read_u8(b"\\x00\\xff", 1)', 255),
        ('m::read_u16_be(b"\\x01\\x02", 0)', 0x0102),
        ('m::read_u16_le(b"\\x01\\x02", 0)', 0x0201),
        ('m::read_u16_be(b"\\x00\\xff\\xfe", 1)', 0xFFFE),
        ('m::read_u16_le(b"\\x00\\xff\\xfe", 1)', 0xFEFF),
        ("m::write_u16_be(0)", b"\x00\x00"),
        ("m::write_u16_be(258)", b"\x01\x02"),
        ("m::write_u16_le(258)", b"\x02\x01"),
        ("m::write_u16_be(65535)", b"\xff\xff"),
        ("m::write_u16_le(65280)", b"\x00\xff"),
    ]
    check("bytes", cases)


@pytest.mark.parametrize(
    "expression",
    [
        'm::slice(b"abc", -1, 1)',
        'm::slice(b"abc", 0, -1)',
        'm::slice(b"abc", 1, 3)',
        'm::slice(b"abc", 4, 0)',
        f'm::slice(b"abc", 1, {MAX})',  # the sum would wrap around
        'm::push_u8(b"", -1)',
        'm::push_u8(b"", 256)',
        'm::read_u8(b"", 0)',
        'm::read_u8(b"a", 1)',
        'm::read_u8(b"a", -1)',
        'm::read_u16_be(b"ab", 1)',
        'm::read_u16_be(b"ab", -1)',
        f'm::read_u16_be(b"ab", {MAX})',
        'm::read_u16_le(b"", 0)',
        'm::read_u16_le(b"ab", 1)',
        'm::read_u16_le(b"ab", -1)',
        "m::write_u16_be(-1)",
        "m::write_u16_be(65536)",
        "m::write_u16_le(-1)",
        "m::write_u16_le(65536)",
    ],
)
def test_what_does_not_fit_fails(evaluate: Evaluate, expression: str) -> None:
    with pytest.raises(HostError, match=r"(?m)\Ahost error: assertion failed$"):
        evaluate(USE + expression + ";")
