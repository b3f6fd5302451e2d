"""`flintc map`: from a place in a generated module to the script, and back."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from flintc import map_files, source_map
from flintc.cli.output import show_problems
from flintc.excerpt import excerpt, visible
from flintc.map_files import MappedModule, MapRefused
from flintc.problems import Phase, Problem
from flintc.source import SourceFile
from flintc.source_map import Piece

_PLACE = re.compile(r"(?P<path>.+?\.(?P<kind>py|rss)):(?P<line>\d+)(?::(?P<column>\d+))?")


@dataclass(frozen=True, slots=True)
class Place:
    """What the command line names: line and column from 1, the column in code points."""

    path: str
    is_script: bool
    line: int
    column: int | None


def place(text: str) -> Place:
    """Read `FILE.py:LINE[:COLUMN]`; a usage error for anything else."""
    match = _PLACE.fullmatch(text)
    if match is None or int(match["line"]) == 0:
        message = f"`{visible(text)}` is no FILE.py:LINE[:COLUMN] or FILE.rss:LINE[:COLUMN]"
        raise click.BadParameter(message, param_hint="PLACE")
    column = int(match["column"] or 0) or None
    return Place(match["path"], match["kind"] == "rss", int(match["line"]), column)


def show(places: Sequence[Place], output: str) -> int:
    """Print where each place comes from or went to; 1 if one cannot be told."""
    problems = []
    for asked in places:
        try:
            print("\n".join(_answers(asked, output)))
        except MapRefused as error:
            problems.append(_problem("E_SOURCE_MAP", str(error), error.help))
        except (OSError, ValueError) as error:
            problems.append(_problem("E_FILE", _unreadable(asked, error), None))
    sys.stdout.flush()
    show_problems(problems, "text")
    return int(bool(problems))


def _answers(asked: Place, output: str) -> Iterator[str]:
    if not asked.is_script:
        found = map_files.read(asked.path)
        column = _bytes(found.module, asked)
        for piece in found.map.to_script(asked.line, column):
            yield _shown(found.script_path, found.script, piece)
        return
    modules = map_files.maps_of(asked.path, output)
    if not modules:
        title = f"no module below {visible(output)} was built from {visible(asked.path)}"
        raise MapRefused(title, "build it with `flintc build`, or name the folder with `-o`")
    for module in modules:
        yield from _in_module(module, asked)


def _in_module(module: MappedModule, asked: Place) -> Iterator[str]:
    column = None if module.script is None else _bytes(module.script, asked)
    for piece in module.map.to_output(asked.line, column):
        yield _shown(module.module.path, module.module, piece)


def _bytes(file: SourceFile, asked: Place) -> int | None:
    """The column that is asked for, as maps count; `MapRefused` beyond the file's last line."""
    last = file.text.count("\n") + (not file.text.endswith("\n"))
    if asked.line > last:
        title = f"{visible(file.path)} has {last} lines, there is no line {asked.line}"
        raise MapRefused(title, "lines count from 1")
    if asked.column is None:
        return None
    return source_map.utf8_bytes(file.line_text(asked.line), asked.column - 1)


def _shown(path: str, file: SourceFile | None, piece: Piece) -> str:
    """`path:line:column: text of the line`."""
    if file is None:
        return f"{visible(path)}:{piece.line}:{piece.column + 1}"
    text = file.line_text(piece.line)
    column = source_map.code_points(text, piece.column)
    return f"{visible(path)}:{piece.line}:{column + 1}: {excerpt(text, column).text.strip()}"


def _problem(code: str, title: str, help: str | None) -> Problem:
    return Problem(code, title, None, Phase.LOAD, help=help)


def _unreadable(asked: Place, error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
    return f"cannot read `{visible(asked.path)}`: {reason}"
