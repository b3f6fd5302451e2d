"""`flintc fmt`: format scripts in place, or say which ones would change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from flintc.cli.output import show_problems
from flintc.cli.writing import cannot_write, write_atomically
from flintc.excerpt import visible
from flintc.files import DiskFiles
from flintc.problems import Phase, Problems
from flintc.source import SourceFile
from flintc.syntax.format import format_source


def format_files(files: Sequence[str], check: bool) -> int:
    """Format every file that consists of tokens; 1 if one has problems or would change."""
    problems = Problems()
    would_change = False
    for file in files:
        would_change |= _format(file, check, problems)
    show_problems(problems.items, "text")
    return int(would_change or problems.has_errors)


def _format(path: str, check: bool, problems: Problems) -> bool:
    """Format one file; whether it would change, had it not been for `check`."""
    source = _read(path, problems)
    text = None if source is None else format_source(source, problems)
    if source is None or text is None:
        return False
    if text == source.text:
        print(f"already formatted {visible(path)}")
        return False
    if check:
        print(f"would reformat {visible(path)}")
        return True
    try:
        write_atomically(Path(path), text)
    except OSError as error:
        problems.add(cannot_write(error, path))
    else:
        print(f"formatted {visible(path)}")
    return False


def _read(path: str, problems: Problems) -> SourceFile | None:
    if not path.endswith(".rss"):
        title = f"`{visible(path)}` is not a RustScript file (`.rss`)"
        problems.error("E_FILE", title, None, Phase.LOAD)
        return None
    try:
        return SourceFile(path, DiskFiles().read(path))
    except FileNotFoundError:
        problems.error("E_FILE_NOT_FOUND", f"cannot find {visible(path)}", None, Phase.LOAD)
    except OSError as error:
        title = f"cannot read `{visible(path)}`: {error.strerror or error}"
        problems.error("E_FILE", title, None, Phase.LOAD)
    except UnicodeDecodeError:
        problems.error("E_FILE", f"`{visible(path)}` is not UTF-8 text", None, Phase.LOAD)
    return None
