"""Arguments of another type, and missing ones: every torch host function says which one it was."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import flint
from flint.runtime.absent import AbsentWeight
from flint.runtime.pair import Pair
from flintc.analysis.types import Handle, Primitive
from tests.torch.case import described, implementation
from tests.torch.host_list import NAMES
from tests.torch.support import in_run

FAMILIES = ("runtime", "cache", "tokenizer", "weights", "pair", "tensor", "nn")
FUNCTIONS = [name for name in NAMES if name.startswith(FAMILIES)]
STATIC = ("runtime", "cache", "pair")


def fitting(type_: Any) -> object:
    """Some argument of that type."""
    match type_:
        case Primitive(name):
            return {"int": 1, "float": 1.0, "bool": True, "string": "text"}[name]
        case Handle(_, "Pair"):
            return Pair(torch.ones(1), None)
        case _:
            return torch.ones(1)


# compact2 takes anything: what is no tensor is ignored
WRONG_ARGUMENTS = [
    (name, at)
    for name in FUNCTIONS
    for at in range(len(described(name).params))
    if name != "runtime::compact2"
]


@pytest.mark.parametrize(("name", "at"), WRONG_ARGUMENTS)
def test_an_argument_of_another_type(name: str, at: int) -> None:
    function = described(name)
    wanted = function.params[at].type
    expected = wanted.name if isinstance(wanted, Primitive) else "int"
    values = [fitting(param.type) for param in function.params]
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


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if described(name).params])
def test_a_missing_argument(name: str) -> None:
    function = described(name)
    values = [fitting(param.type) for param in function.params[:-1]]
    label = function.params[-1].name.removesuffix("_")
    with pytest.raises(flint.HostError) as caught:
        in_run(lambda: implementation(name)(*values))
    assert caught.value.message == f"flint::{name}: argument {label} not given"


HANDLES = [
    (name, at)
    for name in FUNCTIONS
    for at, param in enumerate(described(name).params)
    if isinstance(param.type, Handle) and name != "runtime::compact2"
]


@pytest.mark.parametrize(("name", "at"), HANDLES)
def test_what_is_no_tensor_or_no_pair(name: str, at: int) -> None:
    function = described(name)
    values = [fitting(param.type) for param in function.params]
    label = function.params[at].name.removesuffix("_")
    kind = function.params[at].type
    wrong: list[tuple[object, str]] = [(77, "no tensor with handle 77"), (-1, "no tensor with")]
    wrong += [(AbsentWeight(-1, "w"), "optional weight w is not in the checkpoint")]
    wrong += [(Pair(torch.ones(1), None), "a Pair is no tensor")]
    if kind == Handle("pair", "Pair"):
        wrong = [(77, "no pair with handle 77"), (None, "no pair"), (torch.ones(1), "a Tensor is")]
    for value, text in wrong:
        values[at] = value
        with pytest.raises(flint.HostError) as caught:
            in_run(lambda: implementation(name)(*values))
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
