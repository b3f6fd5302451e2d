"""Python names for RustScript names.

Names survive unless Python or the emitted module needs them; then they get a trailing underscore.
The reserved list is frozen here on purpose: names in generated code must not change when the Python
that runs flintc does (field report 6).
"""

from __future__ import annotations

from collections.abc import Container, Iterable

_KEYWORDS = """
False None True and as assert async await break class continue def del elif else except finally for
from global if import in is lambda nonlocal not or pass raise return try while with yield
_ case match type
"""

_BUILTINS = """
abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile
complex copyright credits delattr dict dir divmod enumerate eval exec exit filter float format
frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len license
list locals map max memoryview min next object oct open ord pow print property quit range repr
reversed round set setattr slice sorted staticmethod str sum super tuple vars zip
__build_class__ __debug__ __doc__ __import__ __loader__ __name__ __package__ __spec__ __file__
__builtins__ NotImplemented Ellipsis
"""

_IMPORTED = """
Any Callable Final NotRequired Tensor TypedDict annotations flint lang torch main record self
"""

PYTHON_NAMES: frozenset[str] = frozenset(f"{_KEYWORDS} {_BUILTINS}".split())
RESERVED: frozenset[str] = PYTHON_NAMES | frozenset(_IMPORTED.split())


class Either(Container[str]):
    """What is in one of two sets, without making a third."""

    def __init__(self, first: Container[str], second: Container[str]) -> None:
        self.first = first
        self.second = second

    def __contains__(self, name: object) -> bool:
        return name in self.first or name in self.second


def python_name(name: str, taken: Container[str] = (), number: int = 2) -> str:
    """The Python identifier for a script's name: `list` → `list_`, `class` → `class_`.

    `taken` holds the identifiers that mean something else in the same scope; `number` is the first
    one to be tried where there are many of a name.
    """
    candidate = name
    if candidate in RESERVED or candidate in taken:
        candidate = f"{name}_"
    while candidate in RESERVED or candidate in taken:
        candidate = f"{name}_{number}"
        number += 1
    return candidate


def python_names(
    names: Iterable[str], taken: Container[str] = (), *, in_class: bool = False
) -> dict[str, str]:
    """A different identifier for each name: `list_` keeps its own, `list` beside it is `list_2`.

    `in_class`: the identifiers are also used in class bodies, where Python mangles `__private`.
    """
    bases = {name: _unmangled(name) if in_class else name for name in names}
    kept = {n for n, base in bases.items() if n == base and n not in RESERVED and n not in taken}
    used = set(kept)
    chosen: dict[str, str] = {}
    for name, base in bases.items():
        chosen[name] = name if name in kept else python_name(base, Either(taken, used))
        used.add(chosen[name])
    return chosen


def is_mangled(name: str) -> bool:
    """Whether Python gives the name another spelling in a class body."""
    return name.startswith("__") and not name.endswith("__")


def _unmangled(name: str) -> str:
    return f"_{name.lstrip('_')}" if is_mangled(name) else name
