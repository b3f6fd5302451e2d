"""Format templates (language.md 6.2); expected texts are those of Rust's `format!`."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flint.lang import HostError, format_template
from flint.lang.format import Count, Placeholder, TemplateError, parse_template


@pytest.mark.parametrize(
    ("template", "arguments", "text"),
    [
        ("{:05}", [42], "00042"),
        ("{:05}", [-42], "-0042"),
        ("{:+}", [7], "+7"),
        ("{:+06}", [42], "+00042"),
        ("{:#x}", [255], "0xff"),
        ("{:X}", [255], "FF"),
        ("{:#010x}", [255], "0x000000ff"),
        ("{:o} {:#b}", [8, 5], "10 0b101"),
        ("{:x}", [-1], "ffffffffffffffff"),
        ("{:+x}", [255], "+ff"),
        ("{:<05}", [42], "00042"),
        ("{:03}", [12345], "12345"),
        ("[{:^5}]", [42], "[ 42  ]"),
        ("{:.3}", [42], "42"),
        ("{:.2}", [3.14159], "3.14"),
        ("{:.0} {:.0} {:.1} {:.1}", [2.5, 3.5, 0.25, 0.35], "2 4 0.2 0.3"),
        ("{:8.3}", [2.5], "   2.500"),
        ("{:08.2}", [-1.5], "-0001.50"),
        ("{:+.1}", [1.25], "+1.2"),
        ("{:.1}", [-0.04], "-0.0"),
        ("{:.1}", [123456789012345680000.0], "123456789012345683968.0"),
        ("{:e} {:e} {:E}", [1500, 1500.0, 0.00015], "1.5e3 1.5e3 1.5E-4"),
        ("{:.1e} {:.0e}", [1234, 25], "1.2e3 2e1"),
        ("{:10.2e}|", [1500.0], "    1.50e3|"),
        ("[{:08}] [{:6}] {:+}", [math.inf, math.inf, math.inf], "[00000inf] [   inf] +inf"),
        ("{:+} {:.2}", [math.nan, math.nan], "NaN NaN"),
        ("{:>6}|{:<6}|{:^7}|{:1}", ["ab", "ab", "ab", "abc"], "    ab|ab    |  ab   |abc"),
        ("{:.2} [{:5.2}] {:.9}", ["abcdef", "abcdef", "abc"], "ab [ab   ] abc"),
        ("[{:>5}] [{:^5}]", ["\u65e5\u672c", "\U0001f5fc"], "[   \u65e5\u672c] [  \U0001f5fc  ]"),
        ("[{:06}]", ["ab"], "[ab    ]"),
        ("[{:6}] {:.2} [{:6?}]", [True, True, True], "[true  ] tr [true  ]"),
        (
            "[{:9}] [{:9}] [{:9}] [{:9}]",
            [None, [1], {}, b"a"],
            "[null] [[1]] [{}] [bytes[len=1 hex=61]]",
        ),
        ("{:?} {:9?}|", ["a\n", "b"], '"a\\n" "b"|'),
        ("{:?} {:.1?} {:6?}|", [2.0, 2.0, 1], "2.0 2.0      1|"),
        ("{:5?}", [[1, "a", True]], '[Int(    1), String("a"), Bool(true )]'),
        ("{:.1?}", [[1.25, 1]], "[Float(1.2), Int(1)]"),
        ("{:#?}", [[1]], "[\n    Int(\n        1,\n    ),\n]"),
        ("{:#?} {:#}", [1, 2], "1 2"),
        ("{} {1} {}", ["a", "b"], "a b b"),
        ("{1} {0}", ["a", "b"], "b a"),
        ("{{{}}}", [1], "{1}"),
        ("{:w$}".replace("w", "1"), [7, 4], "   7"),
        ("{:.*}|{}", [2, 1.0, "x"], "1.00|x"),
        ("{:.1$}", [1.0, 3], "1.000"),
        ("{:00$}", [5], "00005"),
        ("none", [1], "none"),
        ("", [], ""),
    ],
)
def test_templates(template: str, arguments: list, text: str) -> None:
    assert format_template(template, *arguments) == text


@given(
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.integers(0, 20),
    st.integers(0, 8),
    st.sampled_from(["<", "^", ">"]),
    st.booleans(),
    st.booleans(),
)
def test_fixed_floats_agree_with_python(value, width, precision, align, plus, zero) -> None:
    python = f"{'=' if zero else align}{'+' if plus else ''}{'0' if zero else ''}{width or ''}"
    template = f"{{:{align}{'+' if plus else ''}{'0' if zero else ''}{width or ''}.{precision}}}"
    assert format_template(template, value) == format(value, f"{python}.{precision}f")


@given(st.integers(-(2**63), 2**63 - 1), st.sampled_from("xXob"), st.integers(1, 70))
def test_radix_is_twos_complement(value: int, kind: str, width: int) -> None:
    text = format_template(f"{{:#0{width}{kind}}}", value)
    assert int(text, 0) == value % 2**64
    assert len(text) == max(width, len(format(value % 2**64, f"#{kind}")))


@pytest.mark.parametrize(
    ("template", "offset"),
    [
        ("{", 0),
        ("}", 0),
        ("ab}", 2),
        ("{ }", 0),
        ("{name}", 0),
        ("{:*>5}", 0),
        ("{:d}", 0),
        ("\u00e9{:d}", 2),
        ("{:>>5}", 0),
        ("{:w$}", 0),
        ("{:.}", 0),
        ("{:x?}", 0),
        ("{:99999}", 0),
        ("{{}", 2),
    ],
)
def test_malformed(template: str, offset: int) -> None:
    with pytest.raises(TemplateError) as caught:
        parse_template(template)
    assert caught.value.offset == offset


@pytest.mark.parametrize(
    ("template", "count", "offset"),
    [
        ("hello {}, bye {}", 1, 14),
        ("hello {}, bye {}", 2, None),
        ("\u00e9 {1}", 1, 3),
        ("{:1$}", 1, 0),
        ("{:.*}", 1, 0),
        ("{0} {0}", 1, None),
        ("{99999999999999999999999}", 5, 0),
    ],
)
def test_missing_arguments(template: str, count: int, offset: int | None) -> None:
    assert parse_template(template).missing(count) == offset


def test_parsed_form() -> None:
    template = parse_template("a{{{:>+#08.*e}")
    field = Placeholder(1, 3, ">", True, True, True, Count(8), Count(0, from_argument=True), "e")
    assert template.parts == ("a{", field)


@pytest.mark.parametrize(
    ("template", "arguments", "offset"),
    [
        ("ab {:x}", [True], 3),
        ("{:b}", [1.5], 0),
        ("v={:e}", ["abc"], 2),
        ("{:x}", [None], 0),
        ("\u00e9{:x}", [[1]], 2),
        ("{:1$}", [1, -1], 0),
        ("{:1$}", [1, "a"], 0),
        ("{:1$}", [1, 10**9], 0),
        ("{} {}", [1], 3),
        ("{:d}", [1], 0),
    ],
)
def test_run_time_errors(template: str, arguments: list, offset: int) -> None:
    with pytest.raises(HostError) as caught:
        format_template(template, *arguments)
    expected = f"format string and arguments are incompatible at byte {offset}: {template}"
    assert caught.value.message == expected
    assert str(caught.value) == f"host error: {expected}"
