"""Columns in the units of the protocol, line ends, and places that move when a text changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintc.lsp.documents import moved
from flintc.lsp.positions import Encoding, Positions
from flintc.lsp.snapshot import missing_closers
from flintc.lsp.stops import stop_line
from flintc.source import SourceFile


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 6), ("utf-16", 3), ("utf-32", 2)])
def test_columns_count_the_units_of_the_encoding(encoding: Encoding, column: int) -> None:
    positions = Positions("x\né😀z", encoding)  # 2 and 4 bytes, 1 and 2 UTF-16 units
    assert positions.position(4) == (1, column)
    assert positions.offset(1, column) == 4


def test_lines_end_as_the_protocol_says() -> None:
    positions = Positions("a\r\nb\rc\nd")
    assert [positions.position(at)[0] for at in (0, 3, 5, 7)] == [0, 1, 2, 3]
    assert positions.offset(0, 99) == 1
    assert positions.offset(9, 0) == 8


@given(st.text(alphabet="a😀\n\ré"), st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_every_offset_comes_back(text: str, encoding: Encoding) -> None:
    positions = Positions(text, encoding)
    for at in range(len(text) + 1):
        line, column = positions.position(at)
        if text[max(at - 1, 0) : at + 1] != "\r\n":  # no client asks for a place inside a line end
            assert positions.offset(line, column) == at


def test_places_move_with_the_text_around_them() -> None:
    old, new = "let a = 1; let b = 2;", "let a = 100; let b = 2;"
    assert moved(4, new, old) == 4
    assert moved(new.index("b"), new, old) == old.index("b")
    assert moved(new.index("00") + 1, new, old) is None


@pytest.mark.parametrize(
    ("text", "closers"),
    [
        ("fn f() {\n  let a = g(1, [2", "])}"),
        ("let a = g(1; let b = 2;", ""),
        ("let a = (1);", ""),
        ("fn f() { if a { b(", ")}}"),
    ],
)
def test_brackets_that_close_a_half_written_text(text: str, closers: str) -> None:
    assert missing_closers(SourceFile("a.rss", text)) == closers


STOPS = """\
// a comment

/* and
more */ let a = [
    1,
];
fn f(n: int) -> int {
    if n > 1 {
        2
    } else {
        let s = "
// no comment";
        s.length
    }
}
"""


@pytest.mark.parametrize(
    ("line", "stop"),
    [(0, 3), (1, 3), (3, 3), (4, 4), (5, 6), (9, 10), (11, 12), (13, None), (99, None)],
)
def test_a_breakpoint_belongs_to_the_next_line_with_code(line: int, stop: int | None) -> None:
    assert stop_line(STOPS, line) == stop
