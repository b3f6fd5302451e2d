"""All tables of cases, from every module `cases_*.py` beside this one."""

from __future__ import annotations

import importlib
from pathlib import Path

from tests.torch.case import Case, Exempt, Refusal

_MODULES = [
    importlib.import_module(f"tests.torch.{path.stem}")
    for path in sorted(Path(__file__).parent.glob("cases_*.py"))
]

CASES: list[Case] = [case for module in _MODULES for case in module.CASES]
REFUSALS: list[Refusal] = [case for module in _MODULES for case in module.REFUSALS]

_EXEMPT: list[Exempt] = [module.EXEMPT for module in _MODULES]
EXEMPT = Exempt(
    values={name: why for table in _EXEMPT for name, why in table.values.items()},
    torch={name: why for table in _EXEMPT for name, why in table.torch.items()},
    floats={name: why for table in _EXEMPT for name, why in table.floats.items()},
)
