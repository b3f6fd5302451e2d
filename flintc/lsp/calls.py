"""Signature help: the call around the cursor and the argument that is being written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from flintc.analysis.symbols import FunctionSymbol, Variable
from flintc.analysis.types import Callable
from flintc.catalogue import HostFunction
from flintc.lsp import describe
from flintc.lsp.scope import Callee, Names
from flintc.problems import Problems
from flintc.source import SourceFile
from flintc.syntax.lexer import tokenize
from flintc.syntax.tokens import NAME, Token

_STATEMENT: Final = re.compile(r"^(?=[^\s/})\]])", re.MULTILINE)  # where one may begin at top level


class OpenCall(NamedTuple):
    """A call that is being written: its callee's path, and the number of the argument."""

    path: tuple[str, ...]
    argument: int


class Signature(NamedTuple):
    """A signature, the parts of it that are parameters, the one to highlight, documentation."""

    label: str
    params: list[str]
    active: int
    documentation: str


def signature_help(text: str, offset: int, names: Names, place: int) -> Signature | None:
    """The signature of the call around `offset`; `place` is that offset in the names' own text."""
    call = open_call(text, offset)
    callee = None if call is None else names.callee(call.path, place)
    if call is None or callee is None:
        return None
    return _signature(callee, call)


def _signature(callee: Callee, call: OpenCall) -> Signature | None:
    match callee:
        case FunctionSymbol() | HostFunction():
            label, params = describe.signature(callee)
            return Signature(label, params, call.argument, describe.documentation(callee))
        case Variable(name=name, type=Callable() as type_):
            return Signature(*describe.callable_signature(name, type_), call.argument, "")
        case _:
            return None


def open_call(text: str, offset: int) -> OpenCall | None:
    """The innermost call whose arguments contain `offset`, read from the text before it."""
    start = max((found.start() for found in _STATEMENT.finditer(text, 0, offset)), default=0)
    tokens, _ = tokenize(SourceFile("", text[start:offset]), Problems())
    depth = commas = 0
    for at in range(len(tokens) - 2, -1, -1):  # the last one is the end
        kind = tokens[at].kind
        if kind in (")", "]", "}"):
            depth += 1
        elif kind in ("(", "[", "{"):
            if depth == 0:
                path = _path(tokens, at) if kind == "(" else ()
                return OpenCall(path, commas) if path else None
            depth -= 1
        elif depth == 0 and kind in (",", ";"):
            if kind == ";":
                return None
            commas += 1
    return None


def _path(tokens: Sequence[Token], opener: int) -> tuple[str, ...]:
    """The names `a::b::c` before an opening parenthesis."""
    names: list[str] = []
    at = opener - 1
    while at >= 0 and tokens[at].kind == NAME:
        names.append(tokens[at].text)
        if at < 3 or (tokens[at - 1].kind, tokens[at - 2].kind) != (":", ":"):
            break
        at -= 3
    is_declared = at > 0 and tokens[at - 1].kind == "fn"
    return () if is_declared else tuple(reversed(names))
