"""A whole module: docstring, imports, functions, `main`, and the way to run it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from flintc.analysis.symbols import FunctionSymbol, HostTarget, Module
from flintc.emit import expressions, functions, statements, structs, tree, typehints
from flintc.emit.body import Body
from flintc.emit.context import Facts, ModuleContext, Options, import_section
from flintc.emit.hosts import bindings
from flintc.emit.printer import Printer, fold
from flintc.source import SourceFile, Span
from flintc.syntax import nodes

_SILENT = (nodes.Use, nodes.Struct, nodes.Function)


@dataclass(frozen=True, slots=True)
class EmittedModule:
    """One Python module: its dotted name below the package, its tree (positions are the script's),
    and its text before formatting.
    """

    name: str
    path: str  # of the script
    shown_path: str  # of the script, as the generated text names it
    source: str
    tree: ast.Module
    text: str


class NestingTooDeep(Exception):
    """Python cannot be indented as deep as a line of the script is nested."""

    def __init__(self, file: SourceFile, line: int) -> None:
        super().__init__("this is nested too deeply for Python")
        start = file.line_start(line)
        self.span = Span(file, start, start + len(file.line_text(line)))


def emit_module(facts: Facts, module: Module, options: Options) -> EmittedModule:
    """Lower one module of a program."""
    context = ModuleContext(facts, module, options)
    emitter = _ModuleEmitter(context)
    body = emitter.module_body()
    printed = Printer(context.comments)
    printed.block(body, "")
    if printed.too_deep is not None:
        raise NestingTooDeep(module.file, printed.too_deep.lineno)
    return EmittedModule(
        name=module.name,
        path=module.file.path,
        shown_path=options.shown_path(module.file.path),
        source=module.file.text,
        tree=ast.Module(body, []),
        text=printed.text(),
    )


class _ModuleEmitter:
    def __init__(self, context: ModuleContext) -> None:
        self.context = context
        self.module = context.module
        self.is_root = context.facts.resolution.root is context.module
        file = context.module.file
        self.span = Span(file, 0, 0)

    def body(self) -> Body:
        scope = self.context.facts.resolution.scopes[self.module.program]
        return Body(self.context, scope, expressions.lower, statements.lower_all)

    def module_body(self) -> list[ast.stmt]:
        defs = [functions.define(self.body(), symbol) for symbol in self._module_level()]
        main = self._main()
        classes = structs.definitions(self.context)
        exports = self._exports()
        parts: list[ast.stmt] = [self._docstring()]
        if structs.have_forward_references(classes):
            names = [ast.alias("annotations")]
            parts.append(tree.at(ast.ImportFrom("__future__", names, 0), self.span))
        type_variables = self._type_variables()
        hosts = bindings(self.context.imports, self.span)
        imports = self._imports(main is not None)
        self.context.comments.spaced.update([*imports[:1], *hosts[:1]])
        parts.extend([*imports, *hosts, *type_variables, *classes, *exports])
        parts.extend(defs)
        if main is not None:
            parts.append(main)
        if self.is_root:
            parts.append(self._guard())
        return parts

    # -- functions ---------------------------------------------------------------------------

    def _symbols(self) -> list[FunctionSymbol]:
        symbols = [s for s in self.module.functions.values() if s.scope is not None]
        return sorted(symbols, key=lambda symbol: symbol.node.span.start)

    def _module_level(self) -> list[FunctionSymbol]:
        homes = self.context.placement.homes
        return [symbol for symbol in self._symbols() if symbol not in homes]

    def _exported(self) -> list[FunctionSymbol]:
        """Functions of an imported module that live in its main and are called from elsewhere."""
        return [symbol for symbol in self._symbols() if self.context.is_exported(symbol)]

    def _exports(self) -> list[ast.stmt]:
        declared: list[ast.stmt] = []
        for symbol in self._exported():
            target = tree.store(self.context.names.functions[symbol], self.span)
            kind = typehints.of_function(self.context, symbol)
            declared.append(tree.at(ast.AnnAssign(target, kind, None, 1), self.span))
        return declared

    # -- main --------------------------------------------------------------------------------

    def _main(self) -> ast.stmt | None:
        body = self.body()
        with body.block() as code:
            self._open_main(body)
            functions.define_hoisted(body)
            body.lower_all(body, self.module.program.statements)
            self.context.comments.attach_tail(self.module.program, body.statements)
        if not code and not self.is_root and not has_main(self.context, self.module):
            return None
        arguments = tree.parameters([], [], self.span)
        returns = tree.constant(None, self.span)
        lines = code or [tree.at(ast.Pass(), self.span)]
        main = ast.FunctionDef("main", arguments, lines, [], returns, None)
        return tree.at(main, self.span)

    def _open_main(self, body: Body) -> None:
        exported = [self.context.names.functions[symbol] for symbol in self._exported()]
        if exported:
            body.emit(tree.at(ast.Global(exported), self.span))
        if not self.is_root:
            return
        for name in self._unbound_hosts():
            missing = body.helper("unbound", self.span, tree.constant(name, self.span))
            body.emit(tree.expression(missing, self.span))
        for module in self.context.facts.resolution.modules[:-1]:
            if has_main(self.context, module):
                alias = self.context.import_module(module)
                called = tree.call(
                    tree.attribute(tree.name(alias, self.span), "main", self.span), [], self.span
                )
                body.emit(tree.expression(called, self.span))

    def _unbound_hosts(self) -> list[str]:
        """Host functions that nothing registers: running the program must fail before it starts
        (8.6).
        """
        names: dict[str, None] = {}
        for target in self.context.facts.resolution.targets.values():
            if isinstance(target, HostTarget) and target.function is None:
                names[target.name] = None
        for symbol in self.context.facts.resolution.functions.values():
            if symbol.scope is None and symbol.name not in ("print", "println"):
                names[symbol.name] = None
        return list(names)[:1]

    # -- the rest ----------------------------------------------------------------------------

    def _docstring(self) -> ast.stmt:
        path = self.context.options.shown_path(self.module.file.path)
        generated = f"Generated by flintc from {path}; edit that, then run `flintc build`."
        title = fold(self.context.comments.title, "")
        text = "\n".join([*title, "", generated, ""]) if title else generated
        return tree.expression(tree.constant(text, self.span), self.span)

    def _imports(self, has_main: bool) -> list[ast.stmt]:
        if self.is_root and has_main:
            self.run_name = self.context.imports.use("flint.runtime", "program")
        imports: list[ast.stmt] = []
        section = ""
        for module, aliases in self._grouped_aliases():
            found = ast.ImportFrom(module, aliases, 0) if module else ast.Import(aliases)
            statement = tree.at(found, self.span)
            if section and import_section(module) != section:
                self.context.comments.spaced.add(statement)
            section = import_section(module)
            imports.append(statement)
        return imports

    def _grouped_aliases(self) -> Iterator[tuple[str, list[ast.alias]]]:
        """What each import statement takes: a renamed thing has a statement of its own."""
        for module, names in self.context.imports.sorted_items():
            plain = [ast.alias(name) for name, alias in names if alias == name]
            renamed = [[ast.alias(name, alias)] for name, alias in names if alias != name]
            groups = [plain, *renamed] if plain else renamed
            for aliases in sorted(groups, key=lambda group: group[0].name):
                yield module, aliases

    def _type_variables(self) -> list[ast.stmt]:
        """`T = TypeVar("T")` for each type parameter that an annotation names."""
        definitions: list[ast.stmt] = []
        for name in sorted(self.context.names.used_type_variables):
            made = tree.name(self.context.imports.use("typing", "TypeVar"), self.span)
            value = tree.call(made, [tree.constant(name, self.span)], self.span)
            definitions.append(tree.assign(tree.store(name, self.span), value, self.span))
        self.context.comments.spaced.update(definitions[:1])
        return definitions

    def _guard(self) -> ast.stmt:
        """`if __name__ == "__main__": raise SystemExit(program.run_main(main))`"""
        span = self.span
        main = tree.constant("__main__", span)
        test = tree.compare(tree.name("__name__", span), ast.Eq(), main, span)
        run = tree.attribute(tree.name(self.run_name, span), "run_main", span)
        code = tree.call(run, [tree.name("main", span)], span)
        leave = tree.call(tree.name("SystemExit", span), [code], span)
        return tree.at(ast.If(test, [tree.at(ast.Raise(leave, None), span)], []), span)


def has_main(context: ModuleContext, module: Module) -> bool:
    """Whether a module has statements to run (or functions that live among them)."""
    if any(not isinstance(statement, _SILENT) for statement in module.program.statements):
        return True
    symbols = module.functions.values()
    return any(symbol.scope is not None and symbol.scope.captures for symbol in symbols)
