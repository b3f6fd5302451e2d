"""Every host function of the torch families: there, typed, documented, checking its arguments."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import flint
from flint.runtime.pair import Pair
from flintc import catalogue
from flintc.analysis.types import UNKNOWN, Handle, Primitive
from tests.torch.support import in_run

CATALOGUE = catalogue.load(Path(flint.__file__).parent.parent)

NAMES = {
    "runtime": "arg arg_or arg_int arg_int_or arg_float_or input set_output set_text_output"
    " compact2 start_timer start_decode_timer set_token_count set_decode_token_count args",
    "cache": "clear has get set",
    "tokenizer": "load encode_chat encode_padded format_token_labels decode_generated append_token"
    " append_token_tensor clear_generated_tokens push_generated_token_tensor"
    " decode_generated_tokens single_token is_eos encode_vl_chat",
    "weights": "load get get_indexed get_or get_optional",
    "pair": "new local global",
    "tensor": "size shape save_safetensors load_safetensors to_float to_bfloat16 ones_like"
    " zeros_like zeros_like_int arange arange_start causal_mask padding_mask causal_padding_mask"
    " rope_cos rope_sin rope_cos_at rope_sin_at add sub mul add_scalar mul_scalar div_scalar"
    " pow_scalar mean_dim rsqrt neg cos sin matmul softmax masked_fill cat2 stack2 chunk narrow"
    " tail transpose unsqueeze select repeat_interleave contiguous permute3 permute4 permute5"
    " view2 view3 view4 view5 argmax argmax_int argmax_token relu sigmoid silu swiglu"
    " pad_reflect2d real imag complex fft_rfftn2 fft_irfftn2 avg_pool2d_2 gelu",
    "nn": "embedding linear swiglu_linear rms_norm add_rms_norm apply_rope apply_rope_pair"
    " scaled_dot_product_attention scaled_dot_product_attention_masked conv1d conv1d_step conv2d"
    " conv_transpose2d batch_norm2d layer_norm",
}
OURS = {"tokenizer": {"encode", "apply_chat_template", "is_end_token"}, "weights": {"has"}}
STATIC = ("runtime", "cache", "pair")


def functions() -> Iterator[catalogue.HostFunction]:
    for namespace in NAMES:
        for name in CATALOGUE.namespace_members(f"flint::{namespace}"):
            function = CATALOGUE.find(f"flint::{namespace}::{name}")
            assert function is not None
            yield function


FUNCTIONS = {function.path: function for function in functions()}


def test_the_names() -> None:
    for namespace, names in NAMES.items():
        members = set(CATALOGUE.namespace_members(f"flint::{namespace}"))
        assert members == set(names.split()) | OURS.get(namespace, set()), namespace


@pytest.mark.parametrize("path", FUNCTIONS)
def test_signature_and_text(path: str) -> None:
    function = FUNCTIONS[path]
    assert UNKNOWN not in [function.result, *(param.type for param in function.params)]
    assert function.doc
    assert function.doc.splitlines()[0].endswith((".", ":", ";"))


def implementation(function: catalogue.HostFunction) -> Any:
    return getattr(importlib.import_module(function.module), function.name)


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
CHECKED = [path for path in FUNCTIONS if path != "flint::runtime::compact2"]
WRONG_ARGUMENTS = [(path, at) for path in CHECKED for at in range(len(FUNCTIONS[path].params))]


@pytest.mark.parametrize(("path", "at"), WRONG_ARGUMENTS)
def test_an_argument_of_another_type(path: str, at: int) -> None:
    function = FUNCTIONS[path]
    wanted = function.params[at].type
    expected = wanted.name if isinstance(wanted, Primitive) else "int"
    values = [fitting(param.type) for param in function.params]
    values[at] = None if expected == "string" else "text"
    kind = "null" if expected == "string" else "string"
    namespace = path.split("::")[1]
    label = function.params[at].name.removesuffix("_")
    text = (
        f"type mismatch: expected {expected}"
        if namespace in STATIC
        else f"host error: {path}: {label} has to be {expected} but is {kind}"
    )
    with pytest.raises(flint.ScriptError) as caught:
        in_run(lambda: implementation(function)(*values))
    assert str(caught.value) == text


@pytest.mark.parametrize("path", [path for path in CHECKED if FUNCTIONS[path].params])
def test_a_missing_argument(path: str) -> None:
    function = FUNCTIONS[path]
    values = [fitting(param.type) for param in function.params[:-1]]
    label = function.params[-1].name.removesuffix("_")
    with pytest.raises(flint.HostError) as caught:
        in_run(lambda: implementation(function)(*values))
    assert caught.value.message == f"{path}: argument {label} not given"


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
