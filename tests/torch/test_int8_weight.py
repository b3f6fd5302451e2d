"""Weights of 8 bits against the `gguf` package's quantisation and their own unpacked values."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import flint
from flint.runtime import nn, tensor, weights
from flint.runtime.int8_weight import Int8Weight, joined, quantized
from flint.runtime.session import Session
from generated import lfm2
from tests.torch import lfm2_model
from tests.torch.support import in_run, random, refusal

Q8_0 = gguf.GGMLQuantizationType.Q8_0


def matrix(*shape: int, seed: int = 0) -> Int8Weight:
    made = quantized(random(*shape, seed=seed))
    assert isinstance(made, Int8Weight)
    return made


@pytest.mark.parametrize("shape", [(1, 32), (5, 96), (7, 4096), (3000, 640)])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
def test_blocks_are_those_of_gguf(shape: tuple[int, int], scale: float) -> None:
    values = random(*shape) * scale
    made = quantized(values)
    assert isinstance(made, Int8Weight)
    expected = gguf.quants.quantize(values.numpy(), Q8_0)
    assert np.mean(made.blocks.numpy() != expected) < 1e-4  # halves are rounded either way
    assert np.array_equal(
        made.unpacked().numpy(), gguf.quants.dequantize(made.blocks.numpy(), Q8_0)
    )


def test_zeros_and_values_that_are_no_numbers() -> None:
    given = torch.zeros(2, 64)
    given[1, 40] = torch.nan
    made = quantized(given)
    assert isinstance(made, Int8Weight)
    values = made.unpacked()
    assert torch.equal(values[0], torch.zeros(64))
    assert torch.equal(values[1, :32], torch.zeros(32))
    assert values[1, 32:].isnan().all()


@pytest.mark.parametrize("shape", [(8,), (4, 33), (2, 3, 32), (0, 32)])
def test_everything_else_becomes_float32(shape: tuple[int, ...]) -> None:
    made = quantized(torch.ones(shape, dtype=torch.bfloat16))
    assert type(made) is torch.Tensor
    assert made.dtype == torch.float32


@pytest.mark.parametrize("rows", [1, 2, 33])
@pytest.mark.parametrize("bias", [False, True])
def test_linear(rows: int, bias: bool) -> None:
    weight, offset = matrix(300, 640), random(300, seed=2) if bias else None
    given = random(1, rows, 640, seed=1)
    result = nn.linear(given, weight, offset)
    expected = torch.nn.functional.linear(given, weight.unpacked(), offset)
    # ggml rounds the input to 8 bits as well
    assert (result - expected).abs().max() < 0.01 * expected.abs().max()
    assert nn.swiglu_linear(random(1, rows, 1280), weight, offset).shape == (1, rows, 300)


def test_embedding_and_sizes() -> None:
    weight = matrix(50, 64)
    indices = torch.tensor([[3, 49], [0, 3]])
    assert torch.equal(nn.embedding(indices, weight), weight.unpacked()[indices])
    assert tensor.size(weight, 1) == 64
    assert tensor.shape(weight) == "[50, 64]"
    assert refusal(lambda: nn.embedding(torch.tensor([50]), weight)).startswith(
        "flint::nn::embedding: index 50 out of range, the weight has 50 rows"
    )


def test_other_operations_see_the_values() -> None:
    weight = matrix(6, 32)
    assert torch.equal(tensor.mul_scalar(weight, 2.0), 2 * weight.unpacked())
    assert torch.equal(tensor.narrow(weight, 0, 2, 3), weight.unpacked()[2:5])
    assert repr(weight) == "Int8Weight(shape=[6, 32], device='cpu')"


def test_joined() -> None:
    upper, lower = matrix(4, 32), matrix(6, 32, seed=1)
    both = joined([upper, lower])
    assert isinstance(both, Int8Weight)
    assert torch.equal(both.unpacked(), torch.cat((upper.unpacked(), lower.unpacked())))


def test_a_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOHARU_TORCH_WEIGHT_KIND", "int8")
    path = str(tmp_path / "model.safetensors")
    large = random(1024, 1024)
    save_file({"matrix": random(4, 64).half(), "norm": random(64).bfloat16(), "large": large}, path)
    row = random(1, 1024, seed=1)

    def kinds() -> list[object]:
        weights.load(path)
        product = nn.linear(row, weights.get("large"), None)
        assert (product - row @ large.T).abs().max() < 0.02 * product.abs().max()
        return [type(weights.get("matrix")), weights.get("norm").dtype]

    assert in_run(kinds, session=Session("cpu")) == [Int8Weight, torch.float32]


def test_lfm2_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lfm2_model.save(tmp_path)
    arguments = [str(tmp_path), str(tmp_path / "tokenizer.json"), "Hi", "you", "12", "1"]
    runner = flint.TorchScriptRunner("cpu")
    expected = runner.run_text(lfm2, arguments)
    monkeypatch.setenv("KOHARU_TORCH_WEIGHT_KIND", "int8")
    output = runner.run_text(lfm2, arguments)
    assert output.generated_tokens == expected.generated_tokens == 12


def test_saved_with_its_values(tmp_path: Path) -> None:
    weight, path = matrix(6, 32), str(tmp_path / "saved.safetensors")
    assert tensor.save_safetensors(weight, path, "matrix")
    assert torch.equal(load_file(path)["matrix"], weight.unpacked())
