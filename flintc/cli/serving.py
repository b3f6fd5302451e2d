"""`flintc lsp`: start the language server."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from flintc import compiler
from flintc.cli.output import show_problems
from flintc.host_modules import look_here
from flintc.problems import Problems


def serve(hosts: Sequence[str]) -> int:
    """Serve until the client ends the session; 1 if that cannot begin."""
    try:
        from flintc.lsp.server import serve as answer
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("pygls", "lsprotocol"):
            raise
        print(
            "error: `flintc lsp` needs the package pygls, which is not installed", file=sys.stderr
        )
        print("help: pip install 'flintc[lsp]'", file=sys.stderr)
        return 1
    look_here(hosts)
    problems = Problems()
    modules = compiler.try_host_modules(hosts, problems)
    show_problems(problems.items, "text")
    if modules is None:
        return 1
    answer(compiler.catalogue_with(modules))
    return 0
