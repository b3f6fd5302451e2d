"""Format templates that the reference accepts and rejects (language reference 6.2)."""

from __future__ import annotations

import pytest

from flintc.analysis.templates import find_fault


@pytest.mark.parametrize(
    ("template", "arguments"),
    [
        ("plain", 0),
        ("{}", 1),
        ("{} {1} {}", 2),
        ("{{}}", 0),
        ("{:>8.2}|{:<4}|{:^5}", 3),
        ("{:+}{:#x}{:#010x}{:08.2}{:e}{:?}{:#?}", 7),
        ("{:.*}", 2),
        ("{:1$}", 2),
        ("{:.0$}", 1),
        ("{0:5}", 1),
        ("}}{{", 0),
    ],
)
def test_valid(template: str, arguments: int) -> None:
    assert find_fault(template, arguments) is None


@pytest.mark.parametrize(
    ("template", "arguments", "at"),
    [
        ("{:*>5}", 1, 0),
        ("a {", 1, 2),
        ("a }", 1, 2),
        ("{name}", 1, 0),
        ("{ }", 1, 0),
        ("{:q}", 1, 0),
        ("{} {} {}", 2, 6),
        ("{2}", 2, 0),
        ("{:.*}", 1, 0),
        ("{:3$}", 2, 0),
        ("é{", 0, 2),  # bytes, not characters
        ("{" + "9" * 5000 + "}", 1, 0),
        ("{{}", 1, 2),
    ],
)
def test_fault(template: str, arguments: int, at: int) -> None:
    fault = find_fault(template, arguments)
    assert fault is not None
    assert fault.offset == at


@pytest.mark.parametrize(
    ("template", "arguments", "placeholder", "needed"),
    [("{} {}", 1, "{}", 2), ("{3:>4}", 2, "{3:>4}", 4), ("{:.*}", 1, "{:.*}", 2)],
)
def test_a_missing_argument(template: str, arguments: int, placeholder: str, needed: int) -> None:
    fault = find_fault(template, arguments)
    assert fault is not None
    assert (fault.placeholder, fault.needed) == (placeholder, needed)


def test_long_template_takes_linear_time() -> None:
    assert find_fault("{{" * 200_000, 0) is None
