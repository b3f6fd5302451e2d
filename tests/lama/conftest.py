"""A small LaMa of random weights, the same as a PyTorch module, and images to fill."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from PIL import Image
from safetensors.torch import save_file

import flint
from lama_generator import Generator, random_generator

WIDTH, BLOCKS = 8, 2


def save(generator: Generator, path: Path, prefix: str = "") -> str:
    """Write the tensors as published checkpoints have them; the path."""
    tensors = {prefix + name: tensor for name, tensor in generator.state_dict().items()}
    save_file({n: t for n, t in tensors.items() if "num_batches" not in n}, path)
    return str(path)


def picture(height: int, width: int, seed: int = 0) -> NDArray[np.uint8]:
    """Random pixels `[h, w, 3]`."""
    random = np.random.default_rng(seed)
    return random.integers(0, 256, (height, width, 3), np.uint8)


def masked(height: int, width: int, *boxes: tuple[int, int, int, int]) -> NDArray[np.uint8]:
    """White in the boxes left, top, right, bottom."""
    mask = np.zeros((height, width), np.uint8)
    for left, top, right, bottom in boxes:
        mask[top:bottom, left:right] = 255
    return mask


@pytest.fixture(scope="session")
def generator() -> Generator:
    return random_generator(1, width=WIDTH, blocks=BLOCKS)


@pytest.fixture(scope="session")
def weights(generator: Generator, tmp_path_factory: pytest.TempPathFactory) -> str:
    return save(generator, tmp_path_factory.mktemp("lama") / "lama.safetensors")


@pytest.fixture(scope="session")
def lama() -> flint.LamaRustScript:
    return flint.LamaRustScript("cpu")


class Fill:
    """Fills arrays by the small model; what the model gave stays in `outputs`."""

    def __init__(self, lama: flint.LamaRustScript, weights: str) -> None:
        self.lama, self.weights = lama, weights
        self.outputs: list[torch.Tensor] = []

    def __call__(self, image: NDArray[np.uint8], mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
        pictures = Image.fromarray(image), Image.fromarray(mask)
        return np.asarray(self.lama.inference(self.weights, *pictures))


@pytest.fixture
def fill(lama: flint.LamaRustScript, weights: str, monkeypatch: pytest.MonkeyPatch) -> Fill:
    from flint.lama import pixels

    filling, original = Fill(lama, weights), pixels.tensor_pixels

    def watched(image: torch.Tensor, height: int, width: int) -> NDArray[np.uint8]:
        filling.outputs.append(image[..., :height, :width])
        return original(image, height, width)

    monkeypatch.setattr(pixels, "tensor_pixels", watched)
    return filling
