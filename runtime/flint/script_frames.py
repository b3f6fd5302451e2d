"""Where in the scripts an error happened: a note for every frame that runs code of a script.

Code compiled in memory carries the script's positions; a generated module has its source map. Notes
(PEP 678) leave Python's own traceback as it is. `FLINT_TRACEBACK=full` keeps our frames in it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from types import FrameType, TracebackType
from typing import TYPE_CHECKING

from flint.lang.indexing import TREE
from flint.native import LANGUAGE
from flint.report import UserError

if TYPE_CHECKING:
    from flintc.map_files import MappedModule, MapRefused
    from flintc.source_map import Piece

_FIRST, _LAST = 8, 2  # frames shown of a deep stack
_INDENT = "    "


def _wants_everything() -> bool:
    return os.environ.get("FLINT_TRACEBACK") == "full"


def add_script_notes(error: BaseException) -> None:
    """Add a note for each script frame of the error's traceback, the innermost first.

    A full disk or a device that does not exist has no place in a script.
    """
    if isinstance(error, UserError | OSError):
        return
    frames = list(_script_frames(error.__traceback__))
    frames.reverse()
    places = _Places()
    hidden = len(frames) - _FIRST - _LAST
    if hidden <= 1:
        shown, rest = frames, []
    else:
        shown, rest = frames[:_FIRST], frames[-_LAST:]
    for step in shown:
        error.add_note(places.note(step))
    if rest:
        error.add_note(f"… {hidden} more calls")
    for step in rest:
        error.add_note(places.note(step))


def program_frames(trace: TracebackType | None) -> TracebackType | None:
    """The traceback without the frames of our packages, unless everything is wanted."""
    if _wants_everything():
        return trace
    kept: TracebackType | None = None
    for step in reversed(list(_steps(trace))):
        if not _is_ours(step.tb_frame):
            kept = TracebackType(kept, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return kept or trace


def _is_ours(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__"))
    return name.partition(".")[0] in ("flint", "flintc") or LANGUAGE in name


def _steps(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _script_frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    return (
        step
        for step in _steps(trace)
        if step.tb_frame.f_code.co_name != "<module>"
        and (TREE in step.tb_frame.f_globals or _has_map(step.tb_frame))
    )


def _has_map(frame: FrameType) -> bool:
    path = _file(frame)
    return path.endswith(".py") and not _is_ours(frame) and os.path.isfile(f"{path}.map")


def _file(frame: FrameType) -> str:
    """The module's file; the code of a compiled one has a path relative to where it was built."""
    return str(frame.f_globals.get("__file__") or frame.f_code.co_filename)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a script (None where its file is not here) with the byte columns of a piece."""

    path: str
    text: str | None
    piece: Piece


class _Places:
    """The notes of one error; every map is read once."""

    def __init__(self) -> None:
        self.maps: dict[str, MappedModule | MapRefused] = {}

    def note(self, step: TracebackType) -> str:
        """`at scripts/x.rss:57:5 in mlp`, then the line with carets under the failing part."""
        from flintc.files import shown_path
        from flintc.map_files import MapRefused

        frame = step.tb_frame
        name = frame.f_code.co_name
        if TREE in frame.f_globals:
            return _shown(_in_memory(step), name, "")
        path = _file(frame)
        python = f"{shown_path(path)}:{step.tb_lineno}"
        found = self._map(path)
        if isinstance(found, MapRefused):
            return f"at {python} in {name} ({found}; {found.help})"
        return _shown(_mapped(found, step), name, f" ({python})")

    def _map(self, path: str) -> MappedModule | MapRefused:
        from flintc import map_files

        if path not in self.maps:
            try:
                self.maps[path] = map_files.read(path)
            except map_files.MapRefused as error:
                self.maps[path] = error
            except (OSError, ValueError) as error:
                self.maps[path] = map_files.MapRefused(f"the map cannot be read: {error}", "")
        return self.maps[path]


def _in_memory(step: TracebackType) -> _Line:
    from flintc.files import shown_path

    names = step.tb_frame.f_globals
    piece = _python_piece(step)
    lines: Sequence[str] = names["__loader__"].get_source(names["__name__"]).split("\n")
    text = lines[piece.line - 1] if piece.line <= len(lines) else ""
    return _Line(shown_path(step.tb_frame.f_code.co_filename), text, piece)


def _mapped(found: MappedModule, step: TracebackType) -> _Line:
    at = _python_piece(step)
    piece = found.map.of_piece(at)
    text = None if found.script is None else found.script.line_text(piece.line)
    return _Line(found.script_path, text, piece)


def _python_piece(step: TracebackType) -> Piece:
    """The part of the frame's file that was running; without columns just the line (PEP 657)."""
    from flintc.source_map import Piece

    positions = step.tb_frame.f_code.co_positions()
    found = next(islice(positions, step.tb_lasti // 2, None), None)
    line, end_line, column, end_column = found or (None, None, None, None)
    if line is None or end_line is None or column is None or end_column is None:
        return Piece(step.tb_lineno, 0, step.tb_lineno, 0)
    return Piece(line, column, end_line, end_column)


def _shown(line: _Line, name: str, python: str) -> str:
    from flintc.excerpt import excerpt, visible
    from flintc.source_map import code_points

    path, piece = visible(line.path), line.piece
    if line.text is None:
        return f"at {path}:{piece.line}:{piece.column + 1} in {name}{python}"
    start = code_points(line.text, piece.column)
    one_line = piece.end_line == piece.line
    end = code_points(line.text, piece.end_column) if one_line else len(line.text.rstrip())
    shown = excerpt(line.text, start)
    column, width = shown.columns_of(start, end)
    lead = len(shown.text) - len(shown.text.lstrip())
    head = f"at {path}:{piece.line}:{start + 1} in {name}{python}"
    if piece.is_empty and not piece.column:
        return f"{head}\n{_INDENT}{shown.text.strip()}"
    return f"{head}\n{_INDENT}{shown.text.strip()}\n{_INDENT}{' ' * (column - lead)}{'^' * width}"
