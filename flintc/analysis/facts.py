"""What inference knows so far, and which bodies must be looked at again when that changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from flintc.analysis.declared import coerce, substitute
from flintc.analysis.lattice import BOTTOM, MIXED, join, map_value
from flintc.analysis.symbols import FunctionSymbol, Resolution, Scope, StructSchema, Variable
from flintc.analysis.types import UNKNOWN, Map, Object, StructRef, Type

# A type that keeps changing is given up after so many changes.
_MAX_CHANGES: Final = 12
# A body is given up after so many visits: only long chains of assignments that run against the
# order of the text need more than a few.
_MAX_VISITS: Final = 24


@dataclass(frozen=True, slots=True)
class FieldKey:
    """A field of a struct (with certain types as its arguments), in all its values together."""

    struct: StructRef
    field: str


@dataclass(frozen=True, slots=True)
class PoolKey:
    """The arguments at one place of all calls of function values with this many arguments."""

    arity: int
    place: int


@dataclass(frozen=True, slots=True)
class DemandKey:
    """The handle that uses of something ask for, where it is only known to be `0`."""

    of: Variable | FunctionSymbol | FieldKey


Key: TypeAlias = Variable | FunctionSymbol | FieldKey | PoolKey | DemandKey


class Facts:
    """Types that only grow, and the bodies (`Scope`s of files and functions) that read them."""

    def __init__(self, resolution: Resolution, bodies: Iterable[Scope]) -> None:
        self.resolution = resolution
        self.known: dict[Key, Type] = {}
        self.changes: dict[Key, int] = {}
        self.readers: dict[Key, dict[Scope, int]] = {}  # with their latest visit that read it
        # Files first, as their calls say what parameters are; then again when functions are done.
        self.queue: deque[Scope] = deque(sorted(bodies, key=_is_function))
        self.files: deque[Scope] = deque()
        self.queued: set[Scope] = set(self.queue)
        self.visits: dict[Scope, int] = {}
        self.current: Scope | None = None
        self.visit = 0
        self.trusted: set[StructRef] = set()
        self.storing: set[tuple[StructRef, Type]] = set()

    def next_body(self) -> Scope | None:
        """The next body to look at, or None when nothing changes any more."""
        queue = self.queue or self.files
        if not queue:
            return None
        body = queue.popleft()
        self.queued.discard(body)
        self.current = body
        self.visit += 1
        self.visits[body] = self.visits.get(body, 0) + 1
        if self.visits[body] == _MAX_VISITS:
            self._give_up(body)
        return body

    def read(self, key: Key) -> Type:
        """What is known of `key`; the current body is looked at again when that changes."""
        if self.current is not None:
            readers = self.readers.get(key)
            if readers is None:
                readers = self.readers[key] = {}
            readers[self.current] = self.visit
        return self.known.get(key, BOTTOM)

    def add(self, key: Key, type_: Type) -> None:
        """One more type of value has reached `key`."""
        old = self.known.get(key, BOTTOM)
        new = join(old, type_)
        if new is old or new == old:
            return
        self.changes[key] = self.changes.get(key, 0) + 1
        self.known[key] = MIXED if self.changes[key] > _MAX_CHANGES else new
        for body, visit in self.readers.get(key, {}).items():
            # a body that has not read it yet in this visit will read what it is now
            is_early = body is self.current and visit != self.visit
            if body not in self.queued and not is_early:
                self.queued.add(body)
                (self.queue if _is_function(body) else self.files).append(body)

    def _give_up(self, body: Scope) -> None:
        stack = [body]
        while stack:
            scope = stack.pop()
            for variable in scope.variables:
                self.add(variable, MIXED)
            stack.extend(self.resolution.scopes[closure] for closure in scope.closures)

    # -- structs -------------------------------------------------------------------------

    def schema(self, struct: StructRef) -> StructSchema | None:
        return self.resolution.structs.get(struct.name)

    def store(self, struct: StructRef, value: Type) -> None:
        """A value has been declared to be this struct: its fields hold what the value holds."""
        schema = self.schema(struct)
        if schema is None or (struct, value) in self.storing:
            return  # a recursive struct that is being stored already
        self.storing.add((struct, value))
        self._store(struct, schema, value)
        self.storing.discard((struct, value))

    def _store(self, struct: StructRef, schema: StructSchema, value: Type) -> None:
        if value is UNKNOWN:
            if struct in self.trusted:
                return
            self.trusted.add(struct)
        held = self.expand(value) if isinstance(value, StructRef) else value
        for name, declared in self.declared_fields(struct, schema).items():
            if isinstance(held, Object):
                actual = held.field(name) or BOTTOM
            else:
                actual = map_value(held) if isinstance(held, Map) else UNKNOWN
            self.add(FieldKey(struct, name), coerce(actual, declared, self))

    def store_field(self, struct: StructRef, field: str | None, value: Type) -> None:
        """An assignment to a field, or with None to any of them; nothing checks its type."""
        schema = self.schema(struct)
        for name, declared in self.declared_fields(struct, schema).items() if schema else ():
            if field in (None, name):
                self.add(FieldKey(struct, name), coerce(value, declared, self))

    def expand(self, struct: StructRef) -> Object:
        """The fields of a struct with the types of their values so far."""
        schema = self.schema(struct)
        names = schema.fields if schema is not None else ()
        return Object(tuple((name, self.field(struct, name)) for name in names))

    def field(self, struct: StructRef, name: str) -> Type:
        """The type of a field of a struct value."""
        schema = self.schema(struct)
        if schema is None or name not in schema.fields:
            return MIXED
        args = dict(zip(schema.params, struct.args, strict=False))
        declared = substitute(schema.fields[name], args)
        return coerce(self.read(FieldKey(struct, name)), declared, self)

    @staticmethod
    def declared_fields(struct: StructRef, schema: StructSchema) -> dict[str, Type]:
        args = dict(zip(schema.params, struct.args, strict=False))
        return {name: substitute(type_, args) for name, type_ in schema.fields.items()}


def _is_function(body: Scope) -> bool:
    return body.parent is not None
