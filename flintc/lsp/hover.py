"""Hover: the type of what is under the cursor, and its documentation."""

from __future__ import annotations

from typing import NamedTuple

from flintc.analysis.type_names import type_name
from flintc.analysis.types import UNKNOWN
from flintc.analysis.walk import children
from flintc.lsp import describe
from flintc.lsp.snapshot import Snapshot
from flintc.syntax import nodes


class Hover(NamedTuple):
    """Markdown about the text from `start` to `end`."""

    markdown: str
    start: int
    end: int


def hover(snapshot: Snapshot, offset: int) -> Hover | None:
    """What to show at a place; None where there is nothing to say."""
    name = snapshot.occurrences(snapshot.root).at(offset)
    if name is not None:
        return Hover(describe.markdown(name.symbol), name.start, name.end)
    node = innermost(snapshot, offset)
    if node is None:
        return None
    shown = type_name(snapshot.facts.typing.of(node))
    return Hover(f"```rustscript\n{shown}\n```", node.span.start, node.span.end)


def innermost(snapshot: Snapshot, offset: int) -> nodes.Node | None:
    """The smallest expression around `offset` whose type is known."""
    typing = snapshot.facts.typing
    found = None
    node: nodes.Node | None = snapshot.root.program
    while node is not None:
        if typing.of(node) is not UNKNOWN:
            found = node
        parts = (part for part in children(node) if part.span.start <= offset < part.span.end)
        node = next(parts, None)
    return found
