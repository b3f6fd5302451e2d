"""Written types as `Type`s, with the checks that need only names (language reference 2.6, 2.8)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Final

from flintc.analysis import types as t
from flintc.analysis.suggest import did_you_mean
from flintc.analysis.symbols import Module, Resolution, StructSchema
from flintc.problems import Label, Phase, Problems
from flintc.syntax import nodes

_PRIMITIVES: Final[dict[str, t.Type]] = {
    "int": t.INT,
    "float": t.FLOAT,
    "number": t.NUMBER,
    "bool": t.BOOL,
    "string": t.STRING,
    "bytes": t.BYTES,
    "null": t.NULL,
}
TYPE_WORDS: Final = (*_PRIMITIVES, "array", "map")


@dataclass(slots=True)
class TypeReader:
    """Reads the types of one module and keeps what each means in `Resolution.annotations`."""

    module: Module
    resolution: Resolution
    problems: Problems

    def read(self, written: nodes.TypeExpr, params: Iterable[str] = ()) -> t.Type:
        """The type; UNKNOWN where a problem is reported. `params` are type parameters in scope."""
        type_ = self._read(written, frozenset(params))
        self.resolution.annotations[written] = type_
        return type_

    def _read(self, written: nodes.TypeExpr, params: frozenset[str]) -> t.Type:
        if isinstance(written, nodes.NamedType):
            args = tuple(self._read(arg, params) for arg in written.args)
            return self._named(written, args, params)
        if isinstance(written, nodes.OptionalType):
            return t.Optional(self._read(written.inner, params))
        if isinstance(written, nodes.FunctionType):
            inner = tuple(self._read(param, params) for param in written.params)
            return t.Callable(inner, self._read(written.result, params))
        items = tuple(self._read(item, params) for item in written.items)
        rest = None if written.rest is None else self._read(written.rest, params)
        return t.Tuple(items, rest)

    def _named(
        self, written: nodes.NamedType, args: tuple[t.Type, ...], params: frozenset[str]
    ) -> t.Type:
        name = written.name
        if name in params:
            if args:
                self._error("E_TYPE_ARGUMENTS", f"type parameter `{name}` takes no types", written)
            return t.TypeParameter(name)
        if name in _PRIMITIVES:
            return _PRIMITIVES[name]
        if name == "array":
            return t.Array(args[0] if args else t.UNKNOWN)
        if name == "map":
            return t.Map(args[0] if args else t.UNKNOWN)
        if name == "unknown":  # the parser has reported it
            return t.UNKNOWN
        return self._struct(written, args, params)

    def _struct(
        self, written: nodes.NamedType, args: tuple[t.Type, ...], params: frozenset[str]
    ) -> t.Type:
        struct = self.module.structs.get(written.name)
        if struct is None:
            known = chain(self.module.structs, params, TYPE_WORDS)
            help = did_you_mean(written.name, known, self.problems)
            self._error("E_UNKNOWN_TYPE", f"unknown type `{written.name}`", written, help)
            return t.UNKNOWN
        if len(args) != len(struct.type_params):
            count = len(struct.type_params)
            title = f"struct `{written.name}` takes {count} types, {len(args)} given"
            self._error("E_TYPE_ARGUMENTS", title, written)
            return t.UNKNOWN
        return t.StructRef(written.name, args)

    def _error(self, code: str, title: str, at: nodes.Node, help: str | None = None) -> None:
        self.problems.error(code, title, at.span, Phase.PARSE, help=help)


def read_structs(reader: TypeReader, structs: Iterable[nodes.Struct]) -> None:
    """Read the fields of a module's structs into the program's schemas."""
    for struct in structs:
        names = tuple(param.name for param in struct.type_params)
        fields = {field.name.name: reader.read(field.type, names) for field in struct.fields}
        schema = StructSchema(struct.name.name, names, fields)
        known = reader.resolution.structs.setdefault(schema.name, schema)
        if known != schema and reader.module.structs.get(schema.name) is struct:
            _conflict(reader, struct)


def _conflict(reader: TypeReader, struct: nodes.Struct) -> None:
    name = struct.name.name
    others = (module.structs.get(name) for module in reader.resolution.modules)
    first = next((other for other in others if other is not None and other is not struct), struct)
    reader.problems.error(
        "E_STRUCT_CONFLICT",
        f"struct `{name}` differs from its declaration in another file",
        struct.name.span,
        Phase.IMPORT,
        Label(first.name.span, "declared differently here"),
        help="one name must mean the same fields in the whole program",
    )
