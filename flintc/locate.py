"""Where the run-time package is, found without importing it or the compiler."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path


class FlintNotFound(Exception):
    """The package `flint` (ours) is not importable, so there are no host functions."""


@cache
def runtime_root() -> Path:
    """The folder that holds the package `flint`, found without importing it."""
    spec = find_spec("flint")
    root = Path(spec.origin).parent.parent if spec is not None and spec.origin else None
    if root is None or not (root / "flint" / "runtime" / "__init__.py").is_file():
        raise FlintNotFound(
            "flintc needs its own runtime package `flint`; another package of that name "
            "(python-flint) hides it, or flintc is not installed completely"
        )
    return root
