"""The open files: their current texts, and the analyses from which requests are answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from flintc.files import DiskFiles
from flintc.lsp.snapshot import Snapshot
from flintc.problems import Problem


class OverlaidFiles(DiskFiles):
    """Files on disk, where open ones have the text of the editor."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}  # by canonical path

    def read(self, path: str) -> str:
        """The text of a file; OSError or UnicodeDecodeError where it cannot be read."""
        text = self.texts.get(self.canonical(path))
        return super().read(path) if text is None else text

    def exists(self, path: str) -> bool:
        return self.canonical(path) in self.texts or super().exists(path)


class Answer(NamedTuple):
    """A snapshot to answer from, and the requested place in its text."""

    snapshot: Snapshot
    place: int


class Findings(NamedTuple):
    """What an analysis says about one text of a file."""

    text: str
    problems: list[Problem]


@dataclass(eq=False, slots=True)
class Document:
    """An open file. `latest` may be of an older text; `sound` is the last that could be parsed.

    `seconds`: how long the last analysis took.
    """

    uri: str
    path: str
    text: str
    version: int | None
    latest: Snapshot | None = None
    sound: Snapshot | None = None
    seconds: float = 0.0
    findings: dict[str, Findings] = field(default_factory=dict)  # of its program, by file

    @property
    def is_current(self) -> bool:
        """Whether the latest analysis is of the text as it is now."""
        return self.latest is not None and self.latest.text == self.text

    def accept(self, snapshot: Snapshot, seconds: float) -> None:
        """Take over a new analysis and how long it took."""
        self.latest, self.seconds = snapshot, seconds
        if snapshot.is_sound:
            self.sound = snapshot

    def answers(self, offset: int) -> Iterator[Answer]:
        """The snapshots to ask about a place, the best first."""
        for snapshot in dict.fromkeys((self.latest, self.sound)):
            if snapshot is not None:
                place = moved(offset, self.text, snapshot.text)
                if place is not None:
                    yield Answer(snapshot, place)

    def nearest(self, offset: int) -> Iterator[Answer]:
        """As `answers`; a place in text that is new is taken for the place where it was put in."""
        for snapshot in dict.fromkeys((self.latest, self.sound)):
            if snapshot is not None:
                place = moved(offset, self.text, snapshot.text)
                before = common_prefix(self.text, snapshot.text)
                yield Answer(snapshot, before if place is None else place)


def moved(offset: int, text: str, other: str) -> int | None:
    """Where `offset` is in `other`, another version of `text`; None in a part that changed."""
    if text == other:
        return offset
    prefix = common_prefix(text, other)
    if offset <= prefix:
        return offset
    shift = len(other) - len(text)
    limit = min(len(text), len(other)) - prefix
    suffix = common_prefix(text[::-1][:limit], other[::-1][:limit])
    return offset + shift if offset >= len(text) - suffix else None


def common_prefix(left: str, right: str) -> int:
    """How many characters two texts have in common at their start."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
