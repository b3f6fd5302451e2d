"""Ownership and lifetimes: rejects programs that use what is unbound, moved or shared.

A flow analysis of each body in the order in which bodies are created (language reference 4). It
reports problems and changes nothing: at run time all values are values.

    ownership_facts     what is known of a variable
    ownership_store     of all variables, along branches and where paths meet
    ownership_calls     which functions consume or give back a parameter
    ownership_captures  how a body uses the variables around it
    ownership_uses      uses of variables and their fields
    ownership_values    expressions
    ownership_flow      statements and loops
    ownership_report    the words
"""

from __future__ import annotations

from collections.abc import Mapping

from flintc.analysis.ownership_calls import Calls
from flintc.analysis.ownership_facts import Facts
from flintc.analysis.ownership_flow import BodyOwnership
from flintc.analysis.ownership_report import Place
from flintc.analysis.ownership_uses import Shared
from flintc.analysis.symbols import Resolution, Scope, Typing, Variable
from flintc.problems import Problems


def check(resolution: Resolution, typing: Typing, problems: Problems) -> None:
    """Report all ownership problems of a program; a body's inner bodies come before it.

    Types play no part in ownership yet (4.3: what counts is how a variable was last bound).
    """
    checker = _Checker(Shared(resolution, Calls(resolution)), problems)
    for module in resolution.modules:
        checker.body(module.top, {})
    for scope in resolution.scopes.values():
        if scope not in checker.visited:  # declared where control never comes
            checker.body(scope, {})


class _Checker:
    def __init__(self, shared: Shared, problems: Problems) -> None:
        self.shared = shared
        self.problems = problems
        self.visited: set[Scope] = set()
        self.reported: set[Place] = set()

    def body(self, scope: Scope, inherited: Mapping[Variable, Facts]) -> None:
        self.visited.add(scope)
        body = BodyOwnership(self.shared, scope, inherited)
        body.run()
        for inner, facts in body.inner:
            self.body(inner, facts)
        for place, problem in body.findings.items():
            if not self.reported & {place, (place[0], None)}:
                self.reported.add(place)
                self.problems.add(problem)
