"""One version of an open file, analysed: what all requests are answered from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from flintc import driver
from flintc.analysis import lints
from flintc.analysis.symbols import Module
from flintc.analysis.walk import children
from flintc.catalogue import Catalogue
from flintc.driver import Analysis
from flintc.lsp.occurrences import Occurrences
from flintc.modules import Files
from flintc.problems import Problem, Problems
from flintc.source import SourceFile
from flintc.stack import with_room
from flintc.syntax import nodes
from flintc.syntax.brackets import match_brackets
from flintc.syntax.lexer import tokenize

_CLOSER: Final = {"(": ")", "[": "]", "{": "}"}
_BOUNDARIES: Final = (";", "{", "}")


@dataclass(eq=False, slots=True)
class Snapshot:
    """A text and what the compiler knows of it.

    `facts` are those of the text with the brackets closed that it leaves open, so that the function
    that is being written has variables and types; offsets are the same. `is_sound`: the parser
    could read all of it.
    """

    text: str
    problems: list[Problem]
    facts: Analysis
    catalogue: Catalogue
    is_sound: bool
    _occurrences: dict[Module, Occurrences] = field(default_factory=dict)

    @property
    def root(self) -> Module:
        return self.facts.resolution.root

    def occurrences(self, module: Module) -> Occurrences:
        """Every place of a module where a name stands for something."""
        if module not in self._occurrences:
            self._occurrences[module] = Occurrences(module, self.facts)
        return self._occurrences[module]


@with_room
def take(path: str, text: str, files: Files, catalogue: Catalogue) -> Snapshot:
    """Analyse a file; its `use` paths are relative to the folder of `path`."""
    problems = Problems()
    source = SourceFile(path, text)
    facts = _analyse(source, files, catalogue, problems)
    if not problems.has_errors:
        lints.lint(facts.resolution, facts.typing, problems)
    missing = missing_closers(source)
    if missing:
        facts = _analyse(SourceFile(path, text + missing), files, catalogue, Problems())
    is_sound = not missing and _is_sound(facts.resolution.root.program)
    snapshot = Snapshot(text, problems.items, facts, catalogue, is_sound)
    snapshot.occurrences(snapshot.root)
    return snapshot


def _analyse(
    source: SourceFile, files: Files, catalogue: Catalogue, problems: Problems
) -> Analysis:
    facts = driver.analyse(source, files, catalogue, problems)
    assert facts is not None  # only a root that has to be read can be missing
    return facts


def missing_closers(source: SourceFile) -> str:
    """The brackets that would close what a half-written text leaves open."""
    tokens, _ = tokenize(source, Problems())
    partners = match_brackets(tokens)
    last = max((at for at, token in enumerate(tokens) if token.kind in _BOUNDARIES), default=-1)
    unclosed = (at for at, token in enumerate(tokens) if token.kind in _CLOSER)
    kinds = [
        tokens[at].kind
        for at in unclosed
        if at not in partners and (tokens[at].kind == "{" or at > last)
    ]
    return "".join(_CLOSER[kind] for kind in reversed(kinds))


def _is_sound(program: nodes.Program) -> bool:
    stack: list[nodes.Node] = [program]
    while stack:
        node = stack.pop()
        if isinstance(node, (nodes.ErrorExpr, nodes.ErrorStatement)):
            return False
        stack.extend(children(node))
    return True
