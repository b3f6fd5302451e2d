"""Execute every program that misuses `flint::sd`, each in a process of its own.

Run as a script with the folder of a tiny model and a scratch folder. The processes are forked, so
that imports and the model are paid once; the outcomes are printed as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from flint.runtime.context import current, run
from tests.runtime.hostile import outcome
from tests.sd import (  # noqa: F401  they register their programs
    hostile_files,
    hostile_handles,
    hostile_settings,
)
from tests.sd.hostile import CASES, context, places


def load() -> None:
    """Keep a context beyond this run, for the programs that need one."""
    places.loaded = context()
    current().forget(places.loaded)


if __name__ == "__main__":
    places.model, places.scratch = Path(sys.argv[1]), Path(sys.argv[2])
    run(load)
    print(json.dumps({name: outcome(case) for name, case in CASES.items()}))
