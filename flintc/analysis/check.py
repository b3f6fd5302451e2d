"""The type checker: strict, flow-sensitive, and deliberately shallow in places (reference 3).

It walks the top levels in the order in which they run, then the functions, each once. What
inference found serves for parameters without a declared type.
"""

from __future__ import annotations

from flintc.analysis import check_values as v
from flintc.analysis.check_report import Place, Report, one_type_for
from flintc.analysis.check_state import Bindings
from flintc.analysis.check_statements import StatementChecker
from flintc.analysis.check_values import Value
from flintc.analysis.lattice import inner_types
from flintc.analysis.symbols import FunctionSymbol, Resolution, Typing, Variable
from flintc.analysis.types import NUMBER, UNKNOWN, Callable, Type
from flintc.problems import Problems
from flintc.syntax import nodes


def check(resolution: Resolution, typing: Typing, problems: Problems) -> None:
    """Report the type errors of a program whose names are all known."""
    report = Report(problems)
    checker = _ProgramChecker(resolution, typing, report)
    for module in resolution.modules:
        checker.statements(module.program.statements)
    for symbol in resolution.functions.values():
        if symbol.node.body is not None:
            checker.result(symbol)
    _check_written_types(resolution, report)
    _check_concrete(resolution, checker, report)


class _ProgramChecker(StatementChecker):
    def function_body(self, function: FunctionSymbol) -> Value:
        body = function.node.body
        assert body is not None
        outer = (self.report.muted, self.state.unrecorded, self.lenient)
        with self.state.branch([]):
            values = [_parameter(param) for param in function.params]
            for param, value in zip(function.params, values, strict=True):
                self.state.bind(param, value, param.declared)
            # an unknown parameter is an error of its own, and what follows from it is none
            unsure = any(value == v.UNKNOWN_VALUE for value in values)
            self.report.muted = self.state.unrecorded = int(unsure)
            self.lenient = bool(function.node.type_params)
            result = self.value(body)
            self._check_result(function, body, result)
        self.report.muted, self.state.unrecorded, self.lenient = outer
        return result

    def _check_result(
        self, function: FunctionSymbol, body: nodes.ValueBlock, result: Value
    ) -> None:
        declared = self.resolution.annotation(function.node.result)
        if declared is not None:
            written = function.node.result
            place = Place(f"the result of `{function.name}`", written.span if written else None)
            self.check(body, result, declared, place)
        elif result.kind == v.ANY and result.schema is None and not self.lenient:
            title = f"the result type of `{function.name}` cannot be inferred"
            help = f"declare it: `fn {function.name}(…) -> int`"
            with self.report.explaining(function):
                self.report.error("E_RESULT_UNKNOWN", title, body.value.span, help)


def _parameter(param: Variable) -> Value:
    """A parameter's value: of its declared type, or of the type that all calls agree on."""
    if param.declared is not None:
        return v.of(param.declared, declared=True)
    type_ = v.erase(param.type)
    if type_ in (UNKNOWN, NUMBER):  # calls with ints and floats do not agree (3.2)
        return v.UNKNOWN_VALUE
    value = v.of(type_)
    concrete = value.schema is None or v.is_concrete(value.schema)
    return value if concrete else Value(value.kind, None, value.optional)


def _check_written_types(resolution: Resolution, report: Report) -> None:
    """Structs and results must be concrete (3.15)."""
    for module in resolution.modules:
        for struct in module.structs.values():
            for field in struct.fields:
                _check_written(resolution, field.type, f"field `{field.name.name}`", report)
    for symbol in resolution.functions.values():
        if symbol.node.result is not None:
            _check_written(resolution, symbol.node.result, f"result of `{symbol.name}`", report)


def _check_written(
    resolution: Resolution, written: nodes.TypeExpr, what: str, report: Report
) -> None:
    if not v.is_concrete(resolution.annotation(written) or UNKNOWN):
        title = f"the type of the {what} is not concrete"
        help = "name the type of the elements, as in `array<int>` or `map<string>`"
        report.error("E_NOT_CONCRETE", title, written.span, help)


def _check_concrete(resolution: Resolution, checker: StatementChecker, report: Report) -> None:
    """Every named local and parameter must have a concrete type (3.5).

    Where a function's own type is in doubt, so are the variables that its results reach.
    """
    in_doubt = any(isinstance(known, FunctionSymbol) for known in report.explained)
    for scope in resolution.scopes.values():
        owner = scope.owner
        is_generic = isinstance(owner, nodes.Function) and bool(owner.type_params)
        for variable in scope.variables:
            bindings = checker.state.bindings.get(variable)
            if bindings is None or bindings.concrete or is_generic:
                continue
            if variable.kind not in ("let", "loop", "param") or variable in report.explained:
                continue
            if bindings.mixture or not in_doubt:
                _not_concrete(variable, bindings, report)


def _not_concrete(variable: Variable, bindings: Bindings, report: Report) -> None:
    what = "parameter" if variable.kind == "param" else "local"
    if bindings.mixture is not None:
        first, second = bindings.mixture
        title = f"{what} `{variable.name}` is first of type {first}, later of type {second}"
        help = one_type_for(variable, first, second)
        report.error("E_NOT_CONCRETE", title, variable.span, help)
        return
    title = f"{what} `{variable.name}` has no concrete type"
    help = f"declare what it is, as in `{variable.name}: {_example(bindings)}`"
    report.error("E_NOT_CONCRETE", title, variable.span, help)


def _example(bindings: Bindings) -> str:
    """A type that may be the one of a variable about which little is known."""
    schema = bindings.schema
    if isinstance(schema, Callable):
        return "fn(int) -> int"
    if schema is None or schema is UNKNOWN:
        return "number" if bindings.is_number else "int"
    item = "fn(int) -> int" if any(_is_callable(part) for part in inner_types(schema)) else "int"
    return {"array": f"array<{item}>", "map": f"map<{item}>"}.get(v.kind_of(schema).name, "int")


def _is_callable(type_: Type) -> bool:
    return isinstance(type_, Callable)
