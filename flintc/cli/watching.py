"""`--watch`: build or run again whenever a script beside the given ones changes."""

from __future__ import annotations

import logging
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from watchfiles import Change

_SETTLED: Final = 200  # ms; an editor's writes within this time are one change


def watch(files: Sequence[str], build: Callable[[], int]) -> int:
    """Call `build` now and after every change, until interrupted; its last exit code."""
    if not _has_watchfiles():
        return 1
    from watchfiles import watch as changes

    code = build()
    seen = changes(
        *_folders(files), watch_filter=_is_script, debounce=_SETTLED, raise_interrupt=False
    )
    for _ in seen:
        code = build()
    return code


def watch_run(file: str, arguments: Sequence[str]) -> int:
    """Run `flintc run ARGUMENTS` now; after every change end that process and start another."""
    if not _has_watchfiles():
        return 1
    from watchfiles import run_process

    command = shlex.join([sys.executable, "-m", "flintc", "run", *arguments])
    run_process(
        *_folders([file]),
        target=command,
        target_type="command",
        watch_filter=_is_script,
        debounce=_SETTLED,
    )
    return 0


def _has_watchfiles() -> bool:
    from importlib.util import find_spec

    if find_spec("watchfiles") is not None:
        logging.getLogger("watchfiles").setLevel(
            logging.ERROR
        )  # it warns of Ctrl-C, and of the end
        return True
    print("error: `--watch` needs the package watchfiles, which is not installed", file=sys.stderr)
    print("help: pip install 'flintc[watch]'", file=sys.stderr)
    return False


def _folders(files: Sequence[str]) -> list[str]:
    """The folders of the scripts, whose modules usually lie in them or below."""
    return list(dict.fromkeys(os.path.dirname(os.path.abspath(file)) for file in files))


def _is_script(change: Change, path: str) -> bool:
    return path.endswith(".rss")
