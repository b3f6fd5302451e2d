"""The text that mypyc compiles in the place of a generated module (`flintc build --native`)."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import Final

from flintc.emit.context import LANGUAGE

# a call costs less than a look-up in a module's dictionary
_FUNCTION_FOR: Final = {"DEEPER": "deeper"}


def compiled_form(text: str, language: str, compiled: Collection[str]) -> str:
    """Take those names of `flint.lang` that are `compiled` from the module `language`.

    Lines stay where they are, so the module's source map still gives their places.
    """
    lines = text.split("\n")
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.module == LANGUAGE:
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            statements = "; ".join(_imports(node.names, language, compiled))
            lines[first:last] = [statements, *[""] * (last - first - 1)]
            for alias in node.names:
                if alias.name in _FUNCTION_FOR:
                    lines = [_called(line, alias.asname or alias.name) for line in lines]
    return "\n".join(lines)


def _imports(names: list[ast.alias], language: str, compiled: Collection[str]) -> Iterator[str]:
    for alias in names:
        name = _FUNCTION_FOR.get(alias.name, alias.name)
        module = language if name in compiled else LANGUAGE
        local = alias.asname or alias.name
        yield f"from {module} import {name}" + ("" if name == local else f" as {local}")


def _called(line: str, name: str) -> str:
    """`DEEPER[depth]` as a call."""
    return re.sub(rf"\b{name}\[(\w+)\]", rf"{name}(\1)", line)
