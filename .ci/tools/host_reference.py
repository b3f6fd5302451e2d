"""Write the reference part of docs/host-functions.md from the host functions' own docstrings.

python tools/host_reference.py          rewrite the page
python tools/host_reference.py --check  exit 1 when it is out of date
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from flintc import catalogue
from flintc.analysis import types

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "host-functions.md"
BEGIN = "<!-- Written by .ci/tools/host_reference.py from here on: edit the docstrings. -->\n"


def main() -> int:
    """Rewrite the page, or with `--check` only compare."""
    current = PAGE.read_text(encoding="utf-8")
    wanted = with_reference(current)
    if "--check" in sys.argv[1:]:
        return int(current != wanted)
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


def with_reference(page: str) -> str:
    """The page with its part below the mark written anew."""
    head, mark, _ = page.partition(BEGIN)
    return head + (mark or BEGIN) + "\n" + "\n".join(reference())


def reference() -> Iterator[str]:
    """The Markdown lines of all namespaces of `flint::`."""
    hosts = catalogue.load(ROOT / "runtime")
    prefix = f"{catalogue.ROOT}::"
    names = {module: namespace for namespace, module in hosts.modules.items()}
    for namespace in (name for name in hosts.modules if name.startswith(prefix)):
        yield f"## {namespace}\n"
        name_of_the_same = names[hosts.modules[namespace]]
        if name_of_the_same != namespace:
            yield f"Another name of `{name_of_the_same}`.\n"
            continue
        for name in sorted(hosts.namespace_members(namespace)):
            function = hosts.find(f"{namespace}::{name}")
            assert function is not None
            yield f"### {name}\n\n`{signature(name, function)}`\n\n{function.doc}\n"


def signature(name: str, function: catalogue.HostFunction) -> str:
    """`name(label: type, …) -> type` with RustScript's type words."""
    params = ", ".join(f"{param.name}: {shown(param.type)}" for param in function.params)
    return f"{name}({params}) -> {shown(function.result)}"


def shown(type_: types.Type) -> str:
    """A type as scripts write it; a host object by its kind, `any` where nothing is known."""
    match type_:
        case types.Primitive(name):
            return name
        case types.Array(element):
            return f"[{shown(element)}]"
        case types.Map(value):
            return f"map<{shown(value)}>"
        case types.Optional(inner):
            return f"{shown(inner)}?"
        case types.Callable(params, result):
            return f"fn({', '.join(map(shown, params or ()))}) -> {shown(result)}"
        case types.Handle(_, name, optional):
            return f"{name} or 0" if optional else name
        case _:
            return "any"


if __name__ == "__main__":
    sys.exit(main())
