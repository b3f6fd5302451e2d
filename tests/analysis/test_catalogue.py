"""Signatures of host functions, read from Python source."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintc.analysis.type_names import type_name
from flintc.catalogue import Catalogue, HostFunction, load
from tests.analysis.support import catalogue

PROJECT = Path(__file__).resolve().parents[2]


def function(path: str) -> HostFunction:
    found = catalogue().find(path)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("path", "params", "result"),
    [
        ("flint::llama::load", ["string"], "llama.Model"),
        ("flint::llama::size", ["llama.Model", "int"], "int"),
        ("flint::llama::twin", ["llama.Model", "llama.Model?"], "llama.Model?"),
        (
            "flint::tensor::linear",
            ["torch.Tensor", "torch.Tensor", "torch.Tensor?"],
            "torch.Tensor",
        ),
        ("flint::tensor::shape", ["torch.Tensor"], "array<int>"),
        ("flint::tensor::of", ["llama.Model"], "torch.Tensor"),
        ("flint::tensor::anything", ["unknown"], "unknown"),
        ("math::sqrt", ["number"], "float"),
        ("re::find", ["string", "string", "string"], "string?"),
        ("re::match", ["string", "string"], "bool"),
    ],
)
def test_signature(path: str, params: list[str], result: str) -> None:
    found = function(path)
    assert [type_name(param.type) for param in found.params] == params
    assert type_name(found.result) == result


def test_call_goes_to_the_module_that_scripts_see() -> None:
    assert (function("flint::llama::load").module, function("flint::llama::load").name) == (
        "flint.runtime.llama",
        "load",
    )
    assert function("flint::tensor::zeros").module == "flint.runtime.tensors"
    assert function("re::match").name == "match_"
    assert function("flint::llama::load").doc == "Read a model file."


def test_default_makes_an_argument_optional() -> None:
    assert function("re::find").required == 2


@pytest.mark.parametrize(
    "path",
    [
        "flint::llama::hidden",
        "flint::llama::_private",
        "flint::llama::Model",
        "flint::vl::load",
        "x",
    ],
)
def test_not_a_host_function(path: str) -> None:
    assert catalogue().find(path) is None


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("flint::llama::laod", "flint::llama::load"),
        ("flint::lama::load", "flint::llama::load"),
        ("math::sqr", "math::sqrt"),
        ("flint::llama::quantise", None),
    ],
)
def test_suggestion(wrong: str, right: str | None) -> None:
    assert catalogue().suggest(wrong) == right


@pytest.fixture(scope="module")
def real() -> Catalogue:
    return load(PROJECT / "runtime")


def test_every_namespace_of_the_runtime_has_typed_functions(real: Catalogue) -> None:
    assert {"flint::runtime", "flint::llama", "math", "re"} <= set(real.modules)
    for namespace in real.modules:
        members = real.namespace_members(namespace)
        assert members, namespace
        for name in members:
            found = real.find(f"{namespace}::{name}")
            assert found is not None
            assert found.doc


def test_real_handles(real: Catalogue) -> None:
    load_model = real.find("flint::llama::model_load")
    assert load_model is not None
    assert type_name(load_model.result) == "llama.Model"
    assert "llama.Backend" in [type_name(param.type) for param in load_model.params]
