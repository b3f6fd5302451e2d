"""Running compiled programs in tests."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

from flint.runtime.context import run
from flintc import execute
from flintc.driver import Compiled


def printed(compiled: Compiled) -> str:
    """What a program writes to stdout."""
    output = io.StringIO()
    with redirect_stdout(output):
        run(execute.load(compiled).main())
    return output.getvalue()
