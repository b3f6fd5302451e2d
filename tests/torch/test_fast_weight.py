"""What ggml computes with weights, against numpy's numbers."""

from __future__ import annotations

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor
from torch._subclasses import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from flint.runtime import fast_weight, ggml_graph, nn, weights
from flint.runtime.fast_weight import attach, norm_of, product_of
from flint.runtime.int8_weight import plain, quantized
from flint.runtime.session import Session
from tests.torch.support import TOLERANCE, in_run, random

FLOATS = (torch.float32, torch.bfloat16, torch.float16)
LARGE = (1024, 512)


def served(weight: Tensor) -> Tensor:
    attach(weight)
    assert product_of(weight) is not None
    return weight


def exact(tensor: Tensor, weight: Tensor) -> Tensor:
    product = np.asarray(tensor.double()) @ np.asarray(weight.double()).T
    return torch.from_numpy(product)


def assert_close(result: Tensor, expected: Tensor, dtype: torch.dtype) -> None:
    assert result.dtype == dtype
    error = (result.double() - expected).abs().max() / expected.abs().max()
    assert error < TOLERANCE[dtype]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [LARGE, (523, 1031), (70000, 8), (8, 70000)])
@pytest.mark.parametrize("rows", [1, 2, 40])
def test_product(shape: tuple[int, int], rows: int, dtype: torch.dtype) -> None:
    weight = served(random(*shape, dtype=dtype))
    tensor = random(1, rows, shape[1], dtype=dtype, seed=1)
    product = product_of(weight)
    assert product is not None
    result = product(tensor)
    assert result.shape == (1, rows, shape[0])
    assert_close(result, exact(tensor, weight), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(1, 1, 1024), (1, 1024)])
def test_gated_product(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    weight = served(random(*LARGE, dtype=dtype))
    tensor = random(*shape, dtype=dtype, seed=1)
    gate, value = tensor.double().chunk(2, dim=-1)
    result = nn.swiglu_linear(tensor, weight, None)
    assert result.shape == (*shape[:-1], 1024)
    assert_close(result, exact(gate * torch.sigmoid(gate) * value, weight), dtype)


def normed(tensor: Tensor, weight: Tensor, eps: float) -> Tensor:
    values = np.asarray(tensor.double())
    root = np.sqrt(np.mean(values**2, axis=-1, keepdims=True) + eps)
    return torch.from_numpy(values / root * np.asarray(weight.double()))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(257,), (1, 257), (1, 1, 16, 64), (2, 16, 5), (1, 33, 8)])
@pytest.mark.parametrize("eps", [1e-5, 0.3])
def test_norm(shape: tuple[int, ...], eps: float, dtype: torch.dtype) -> None:
    weight = random(shape[-1], dtype=dtype)
    attach(weight)
    norm = norm_of(weight)
    assert norm is not None
    tensor, other = random(*shape, dtype=dtype, seed=1), random(*shape, dtype=dtype, seed=2)
    assert norm.serves(tensor, eps) == (shape != (1, 33, 8))  # too many rows
    assert_close(nn.rms_norm(tensor, weight, eps), normed(tensor, weight, eps), dtype)
    assert_close(nn.rms_norm(other, weight, eps), normed(other, weight, eps), dtype)
    both = nn.add_rms_norm(tensor, other, weight, eps)
    assert torch.equal(both.local, tensor + other)
    assert_close(both.global_, normed(tensor + other, weight, eps), dtype)


@pytest.mark.parametrize("eps", [-1.0, float("nan")])
def test_norm_with_an_impossible_eps(eps: float) -> None:
    weight = random(8)
    attach(weight)
    assert nn.rms_norm(torch.full((1, 8), 0.5), weight, eps).isnan().all()
    assert nn.add_rms_norm(random(1, 8), random(1, 8, seed=1), weight, -99.0).global_.isnan().all()


def test_norm_of_nothing_and_of_other_sizes() -> None:
    weight = random(8)
    attach(weight)
    assert nn.rms_norm(random(0, 8), weight, 1e-5).shape == (0, 8)
    for tensor in (random(7), torch.tensor(1.0)):
        with pytest.raises(Exception, match="flint::nn::rms_norm: "):
            nn.rms_norm(tensor, weight, 1e-5)


@pytest.mark.parametrize("dtype", FLOATS)
def test_weight_that_begins_anywhere_in_memory(dtype: torch.dtype) -> None:
    out, width = LARGE
    memory = random(out * width + 5, dtype=dtype)
    weight = served(memory[5:].view(LARGE))
    row = random(1, width, dtype=dtype, seed=1)
    assert_close(nn.linear(row, weight, None), exact(row, weight), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("native", [False, True])
def test_rows_that_torch_multiplies(
    dtype: torch.dtype, native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All in float32 and where the processor knows the dtype, none where it does not."""
    known = dict.fromkeys((torch.bfloat16, torch.float16), lambda: native)
    monkeypatch.setattr(fast_weight, "_MULTIPLIED_NATIVELY", known)
    weight, bias = served(random(*LARGE, dtype=dtype)), random(1024, dtype=dtype, seed=2)
    product = product_of(weight)
    assert product is not None
    many = random(1, 17, 512, dtype=dtype, seed=1)
    assert product.serves(many[:, :16])
    assert product.serves(many) == (dtype is not torch.float32 and not native)
    assert_close(nn.linear(many, weight, bias), exact(many, weight) + bias.double(), dtype)
    assert not product.serves(many[:, :0])
    assert nn.linear(many[:, :0], weight, bias).shape == (1, 0, 1024)


def test_results_are_tensors_of_their_own() -> None:
    weight = served(random(*LARGE))
    first = nn.linear(random(1, 512, seed=1), weight, None)
    kept = first.clone()
    nn.linear(random(1, 512, seed=2), weight, None)
    assert torch.equal(first, kept)


def test_several_threads() -> None:
    weight = served(random(*LARGE))
    rows = [random(1, 512, seed=seed) for seed in range(40)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda row: nn.linear(row, weight, None), rows))
    for row, result in zip(rows, results, strict=True):
        assert_close(result, exact(row, weight), torch.float32)


def test_memory_of_a_weight_is_free_with_its_last_name() -> None:
    weight = served(random(*LARGE))
    nn.linear(random(1, 512), weight, None)
    gone: list[bool] = []
    weakref.finalize(weight, gone.append, True)
    gc.disable()
    del weight
    gc.enable()
    assert gone == [True]


def test_weights_of_a_checkpoint_are_served(tmp_path: Path) -> None:
    path = str(tmp_path / "model.safetensors")
    save_file({"large": random(*LARGE), "small": random(4, 4), "norm": random(512)}, path)

    def products() -> list[bool]:
        weights.load(path)
        return [product_of(weights.get(name)) is not None for name in ("large", "small", "norm")]

    assert in_run(products, session=Session("cpu")) == [True, False, False]


def test_wrong_sizes_and_dtypes_are_left_to_torch() -> None:
    weight = served(random(*LARGE))
    for tensor in (random(1, 511), random(1, 512).double()):
        with pytest.raises(Exception, match="flint::nn::linear: "):
            nn.linear(tensor, weight, None)


def test_gradients_are_not_lost() -> None:
    weight = served(random(*LARGE))
    row = random(1, 512).requires_grad_()
    nn.linear(row, weight, None).sum().backward()
    assert row.grad is not None
    assert torch.allclose(row.grad, weight.sum(0, keepdim=True), rtol=1e-4, atol=1e-4)


def test_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ggml_graph, "ENABLED", False)
    weight = random(*LARGE)
    attach(weight)
    assert product_of(weight) is None


def test_without_llama_cpp_torch_multiplies(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ggml_graph, "_library", ggml_graph._library.__wrapped__)
    monkeypatch.setenv("LLAMA_CPP_LIB_PATH", str(tmp_path))
    assert not ggml_graph.available()


def test_compiled_graphs_hold_torch_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    weight = served(random(*LARGE))
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    assert product_of(weight) is None


@pytest.mark.parametrize("default", [torch.float64, torch.float16])
@pytest.mark.parametrize("dtype", FLOATS)
def test_default_dtypes_and_devices_change_nothing(
    default: torch.dtype, dtype: torch.dtype
) -> None:
    weight, scale = served(random(*LARGE, dtype=dtype)), random(512, dtype=dtype)
    row = random(1, 512, dtype=dtype, seed=1)
    torch.set_default_dtype(default)
    try:
        attach(scale)
        with torch.device("meta"):
            result, norm = nn.linear(row, weight, None), nn.rms_norm(row, scale, 1e-5)
    finally:
        torch.set_default_dtype(torch.float32)
    assert_close(result, exact(row, weight), dtype)
    assert_close(norm, normed(row, scale, 1e-5), dtype)


def test_tensors_without_memory_of_their_own_are_left_to_torch() -> None:
    weight, scale = served(random(*LARGE)), random(64)
    attach(scale)
    matrix = quantized(random(2, 512))
    assert_close(nn.linear(matrix, weight, None), exact(plain(matrix), weight), torch.float32)
    short = quantized(random(2, 64))
    assert_close(nn.rms_norm(short, scale, 1e-5), normed(plain(short), scale, 1e-5), torch.float32)
    negated = torch._neg_view(random(1, 512))
    assert_close(nn.linear(negated, weight, None), -exact(random(1, 512), weight), torch.float32)
    empty = random(1, 512)
    empty.untyped_storage().resize_(0)
    with pytest.raises(Exception, match="a tensor without memory"):
        nn.linear(empty, weight, None)


def test_recorded_graphs_hold_torch_operations() -> None:
    weight, row = served(random(*LARGE)), random(1, 512, seed=1)
    graph = make_fx(lambda tensor: nn.linear(tensor, weight, None))(random(1, 512))
    assert_close(graph(row), exact(row, weight), torch.float32)
    rows = torch.func.vmap(lambda tensor: nn.linear(tensor, weight, None))(row[None])
    assert_close(rows[0], exact(row, weight), torch.float32)
    with FakeTensorMode(allow_non_fake_inputs=True):
        assert nn.linear(row, weight, None).shape == (1, 1024)


def test_a_bias_that_does_not_fit_is_told() -> None:
    weight = served(random(*LARGE))
    for bias in (random(3, 1024), random(1024).double()):
        with pytest.raises(Exception, match=r"flint::nn::linear: .*bias: "):
            nn.linear(random(1, 1, 512), weight, bias)


def test_graphs_of_many_rows_are_not_kept() -> None:
    weight = random(4096)
    attach(weight)
    norm = norm_of(weight)
    assert norm is not None
    for rows in range(1, 33):
        nn.rms_norm(random(rows, 4096), weight, 1e-5)
    assert len(norm._graphs) == 4


def test_one_thread_while_other_programs_want_the_processors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for busy, threads in ((False, torch.get_num_threads()), (True, 1)):
        monkeypatch.setattr(fast_weight, "is_overloaded", lambda busy=busy: busy)
        assert fast_weight._Threads()() == threads
