"""Exit with an explanation when python-flint, whose import name is also `flint`, is installed."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version

OTHER = "python-flint"


def clash() -> str | None:
    """What is wrong with this environment, or None."""
    try:
        found = version(OTHER)
    except PackageNotFoundError:
        return None
    return (
        f"{OTHER} {found} is installed here; its import name is `flint`, as is ours, and the two\n"
        f"       cannot share an environment. Remove it (pip uninstall {OTHER}) or use another one."
    )


if __name__ == "__main__":
    if problem := clash():
        sys.exit(f"error: {problem}")
