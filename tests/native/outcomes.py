"""Run compiled programs of a package: `outcomes.py FOLDER NAME…` prints what each did, as JSON."""

from __future__ import annotations

import importlib
import io
import json
import sys
from contextlib import redirect_stdout

from flint.lang import ScriptError
from flint.runtime.context import run


def outcome(name: str) -> tuple[str, str | None]:
    """What a program printed, and the text of its error."""
    printed = io.StringIO()
    module = importlib.import_module(f"generated.{name}")
    assert module.__file__ is not None
    assert "__native__" in module.__file__
    try:
        with redirect_stdout(printed):
            run(module.main)
    except ScriptError as error:
        return printed.getvalue(), str(error)
    return printed.getvalue(), None


if __name__ == "__main__":
    folder, *names = sys.argv[1:]
    sys.path.insert(0, folder)
    print(json.dumps({name: outcome(name) for name in names}))
