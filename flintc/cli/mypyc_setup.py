"""A process of its own for mypyc and the C compiler, started by `mypyc_run`.

Reads what to do from `build.json` in the current folder; its exit code says which step failed.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

REFUSED = 3  # mypyc does not accept a module; it has printed why
NO_BINARY = 4  # the C compiler is missing or failed


def main() -> None:
    """Compile the groups of files in `build.json` and put the extensions below `out`."""
    from mypyc.build import mypycify
    from setuptools import setup

    plan = json.loads(Path("build.json").read_text(encoding="utf-8"))
    groups: list[tuple[list[str], str | None]] = [
        (files, f"flint_{name}") for name, files in plan["groups"].items()
    ]
    files = [file for files, _ in groups for file in files]
    try:
        extensions = mypycify(
            ["--config-file", "mypy.ini", *files],
            separate=groups,
            opt_level=plan["level"],
            debug_level="0",
        )
    except SystemExit:
        sys.exit(REFUSED)
    for extension in extensions:
        # warnings about C that nobody wrote must not be errors
        extension.extra_compile_args += [] if os.name == "nt" else ["-w", "-Wno-error"]
    sys.argv = ["setup.py", "--quiet", "build_ext", "--build-lib", "out"]
    sys.argv += ["-j", str(os.cpu_count() or 1)]
    try:
        setup(name="programs", packages=[], ext_modules=extensions)
    except SystemExit as failure:
        print(failure.code, file=sys.stderr)
        sys.exit(NO_BINARY)


if __name__ == "__main__":
    main()
