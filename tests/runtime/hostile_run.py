"""Execute every program that misuses host functions, each in a process of its own.

Run as a script with a model's path and a scratch folder. The processes are forked, so that imports
are paid once; the outcomes are printed as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from flint.runtime.llama.native import library
from tests.runtime import (  # noqa: F401  they register their programs
    hostile_decoding,
    hostile_handles,
    hostile_models,
    hostile_texts,
)
from tests.runtime.hostile import CASES, outcome, places

if __name__ == "__main__":
    places.model, places.scratch = Path(sys.argv[1]), Path(sys.argv[2])
    library.supports_gpu_offload()  # loads the library, before the forks
    print(json.dumps({name: outcome(case) for name, case in CASES.items()}))
