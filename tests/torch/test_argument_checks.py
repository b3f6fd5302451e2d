"""Arguments of another type, and missing ones: every host function says which one it was."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

import pytest
import torch

import flint
from flint.runtime.absent import AbsentWeight
from flint.runtime.pair import Pair
from flint.runtime.resources import Resource
from flintc.analysis.types import UNKNOWN, Array, Callable, Handle, Primitive
from tests.torch.case import described, implementation
from tests.torch.host_list import NAMES
from tests.torch.support import in_run

# These say in the words of the language what they got instead.
STATIC = ("runtime", "cache", "pair", "graph", "ggml", "llama", "sd", "cli")
NATIVE = ("llama", "sd", "cli")


def kind_of(name: str, handle: Handle) -> type:
    """The class of what a function of `flint::llama`, `sd` or `cli` takes."""
    kind: type = getattr(importlib.import_module(described(name).module), handle.name)
    return kind


def made(kind: type) -> Any:
    """An object with nothing native behind it; refused calls do not get that far."""
    value: Any = object.__new__(kind)
    if issubclass(kind, Resource):
        value.handle, value.gone = 1, None
    return value


def fitting(name: str, type_: Any) -> object:
    """Some argument of that type."""
    match type_:
        case Primitive(primitive):
            return {"int": 1, "float": 1.0, "bool": True, "string": "text"}[primitive]
        case Array(element):
            return [fitting(name, element)]
        case Handle(_, "Pair"):
            return Pair(torch.ones(1), None)
        case Handle() if name.startswith(NATIVE):
            return made(kind_of(name, type_))
        case _:
            return torch.ones(1)


def values_for(name: str) -> list[object]:
    return [fitting(name, param.type) for param in described(name).params]


def named(type_: Any) -> str:
    """How a message names the type: handles are ints to scripts."""
    match type_:
        case Primitive(primitive):
            return primitive
        case Array():
            return "array"
        case Callable():
            return "callable"
        case _:
            return "int"


# compact2 takes anything: what is no tensor is ignored; so does the first value of an option
WRONG_ARGUMENTS = [
    (name, at)
    for name in NAMES
    for at, param in enumerate(described(name).params)
    if name != "runtime::compact2" and param.type != UNKNOWN
]


@pytest.mark.parametrize(("name", "at"), WRONG_ARGUMENTS)
def test_an_argument_of_another_type(name: str, at: int) -> None:
    function = described(name)
    expected = named(function.params[at].type)
    values = values_for(name)
    values[at] = None if expected == "string" else "text"
    kind = "null" if expected == "string" else "string"
    label = function.params[at].name.removesuffix("_")
    text = (
        f"type mismatch: expected {expected}"
        if name.startswith(STATIC)
        else f"host error: flint::{name}: {label} has to be {expected} but is {kind}"
    )
    with pytest.raises(flint.ScriptError) as caught:
        in_run(lambda: implementation(name)(*values))
    assert str(caught.value) == text


@pytest.mark.parametrize("name", [name for name in NAMES if described(name).params])
def test_a_missing_argument(name: str) -> None:
    values = values_for(name)[:-1]
    label = described(name).params[-1].name.removesuffix("_")
    with pytest.raises(flint.HostError) as caught:
        in_run(lambda: implementation(name)(*values))
    assert caught.value.message == f"flint::{name}: argument {label} not given"


HANDLES = [
    (name, at, param.type)
    for name in NAMES
    for at, param in enumerate(described(name).params)
    if isinstance(param.type, Handle) and name != "runtime::compact2"
]
PAIR = Handle("pair", "Pair")
Wrong = list[tuple[object, str]]


def no_tensor() -> Wrong:
    """What is given, and what is said of it."""
    return [
        (77, "no tensor with handle 77"),
        (-1, "no tensor with"),
        (AbsentWeight(-1, "w"), "optional weight w is not in the checkpoint"),
        (Pair(torch.ones(1), None), "a Pair is no tensor"),
    ]


def no_pair() -> Wrong:
    return [
        (77, "no pair with handle 77"),
        (None, "no pair with handle 0"),
        (torch.ones(1), "a Tensor is no pair"),
    ]


def no_option(kind: type) -> Wrong:
    word = kind.__name__.lower()
    return [
        (7, f"no {word} with handle 7"),
        (None, f"no {word} with handle 0"),
        (Pair(torch.ones(1), None), f"a Pair is no {word}"),
    ]


def no_resource(kind: type[Resource]) -> Wrong:
    other, freed, consumed = made(_Stranger), made(kind), made(kind)
    freed.gone, consumed.gone = "already freed", "consumed by a call"
    return [
        (7, f"no {kind.title()} with handle 7 (a plain number is none; pass the value that"),
        (None, f"no {kind.title()} with handle 0 (a plain number is none"),
        (other, f"no {kind.title()} with handle 1 (it is a strange thing)"),
        (freed, f"no {kind.title()} with handle 1 (already freed)"),
        (consumed, f"no {kind.title()} with handle 1 (consumed by a call)"),
        (torch.ones(1), f"a Tensor is no {kind.title()}"),
    ]


class _Stranger(Resource):
    """A resource of no kind that a function takes."""

    family, kind = "strange", "thing"


def wrong_for(name: str, type_: Handle) -> Wrong:
    if type_ == PAIR:
        return no_pair()
    if not name.startswith(NATIVE):
        return no_tensor()
    kind = kind_of(name, type_)
    return no_resource(kind) if issubclass(kind, Resource) else no_option(kind)


@pytest.mark.parametrize(("name", "at", "type_"), HANDLES)
def test_what_is_no_such_thing(name: str, at: int, type_: Handle) -> None:
    label = described(name).params[at].name.removesuffix("_")
    for value, text in wrong_for(name, type_):
        values = values_for(name)
        values[at] = value
        with pytest.raises(flint.HostError) as caught:
            in_run(partial(implementation(name), *values))
        assert caught.value.message.startswith(f"flint::{name}: {label}: {text}")


def test_int_is_no_bool_and_no_float_is_an_int() -> None:
    from flint.runtime import tensor

    untyped: Any = tensor
    for call, text in (
        (lambda: untyped.mean_dim(torch.ones(1), 0, 1), "keepdim has to be bool but is int"),
        (lambda: untyped.narrow(torch.ones(1), 0.0, 0, 1), "dim has to be int but is float"),
        (lambda: untyped.arange(True), "end has to be int but is bool"),
        (lambda: untyped.add(torch.ones(1), 3), "no tensor with handle 3"),
        (lambda: untyped.add(torch.ones(1), [1]), "right has to be int but is array"),
    ):
        with pytest.raises(flint.HostError, match=text):
            in_run(call)


def test_surplus_arguments_are_ignored() -> None:
    from flint.runtime import tensor

    untyped: Any = tensor
    assert untyped.neg(torch.ones(1), 5, "more").tolist() == [-1]
