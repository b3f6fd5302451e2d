"""Labelled tokens as spans of the text they came from (host-functions.md 6.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate

from flint.runtime.host import Refused

_NO_SPAN = "O\n"


def label_lines(text: str, offsets: list[tuple[int, int]], ids: list[int], label_names: str) -> str:
    """One line a span: label, start byte, end byte, surface. `offsets` count characters."""
    names = [name.strip() for name in label_names.split(",")]
    # byte position of every character, and of the end
    positions = list(accumulate((len(character.encode()) for character in text), initial=0))
    lines = [
        f"{label}\t{positions[start]}\t{positions[end]}\t{text[start:end]}\n"
        for label, start, end in _joined(_labelled(offsets, ids, names))
    ]
    return "".join(lines) or _NO_SPAN


def _labelled(
    offsets: list[tuple[int, int]], ids: list[int], names: list[str]
) -> Iterator[tuple[str, int, int]]:
    """The tokens that carry a label; special tokens cover no text, and id 0 is no label."""
    for (start, end), label in zip(offsets, ids, strict=False):
        if start != end and label != 0:
            yield _name(names, label), start, end


def _name(names: list[str], label: int) -> str:
    if label < 0:
        raise Refused(f"negative label id {label}")
    if label >= len(names):
        raise Refused(f"no name for label {label}; there are {len(names)}")
    return names[label]


def _joined(tokens: Iterable[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """Tokens of one label that touch or overlap become one span."""
    spans: list[tuple[str, int, int]] = []
    for label, start, end in tokens:
        if spans and spans[-1][0] == label and start <= spans[-1][2]:
            _, first, last = spans.pop()
            start, end = first, max(last, end)
        spans.append((label, start, end))
    return spans
