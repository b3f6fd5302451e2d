"""`scripts/lama.rss` against a PyTorch module that was written from the paper."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

import flint
from flint.runtime.context import run_for_tensor
from flint.runtime.session import Session
from generated import lama
from lama_generator import Generator, random_generator
from tests.lama.conftest import save


def published(weights: str, image: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return run_for_tensor(lama.main, [weights], [image, mask], Session("cpu"))


def example(height: int, width: int, seed: int = 3) -> tuple[torch.Tensor, torch.Tensor]:
    random = torch.Generator().manual_seed(seed)
    image = torch.rand(1, 3, height, width, generator=random)
    mask = (torch.rand(1, 1, height, width, generator=random) > 0.6).float()
    return image, mask


@pytest.mark.parametrize(("height", "width"), [(16, 16), (40, 24), (64, 104)])
def test_script_is_the_module(height: int, width: int, generator: Generator, weights: str) -> None:
    image, mask = example(height, width)
    ours, theirs = published(weights, image, mask), generator(image, mask)
    assert (ours - theirs).abs().max() < 1e-4
    # the weights are such that the model paints something
    assert theirs[mask.expand_as(theirs) > 0].std() > 0.02
    kept = mask.expand_as(image) == 0
    assert torch.equal(ours[kept], image[kept])


@pytest.mark.parametrize("blocks", [0, 1, 3])
def test_the_number_of_blocks_is_that_of_the_weights(blocks: int, tmp_path: Path) -> None:
    generator = random_generator(2, width=4, blocks=blocks)
    image, mask = example(24, 16)
    ours = published(save(generator, tmp_path / "w.safetensors"), image, mask)
    assert (ours - generator(image, mask)).abs().max() < 1e-4


def test_checkpoints_of_the_whole_training(
    generator: Generator, weights: str, tmp_path: Path
) -> None:
    path = save(generator, tmp_path / "w.safetensors", "generator.")
    tensors = load_file(path) | {"discriminator.model0.0.weight": torch.zeros(1)}
    save_file(tensors, path)
    image, mask = example(16, 24)
    assert torch.equal(published(path, image, mask), published(weights, image, mask))


def test_the_module_has_the_published_tensors() -> None:
    """big-lama has 837 tensors, but for counts of batches, with 51.06 million values."""
    with torch.device("meta"):
        tensors = Generator().state_dict()
    sizes = {name: tensor.shape for name, tensor in tensors.items() if "num_batches" not in name}
    assert len(sizes) == 837
    assert round(sum(size.numel() for size in sizes.values()) / 1e6, 2) == 51.06
    assert sizes["model.1.ffc.convl2l.weight"] == (64, 4, 7, 7)
    assert sizes["model.22.conv2.ffc.convg2g.fu.conv_layer.weight"] == (384, 384, 1, 1)
    assert sizes["model.34.weight"] == (3, 64, 7, 7)


@pytest.mark.slow
def test_the_published_size(tmp_path: Path) -> None:
    generator = random_generator(4)
    image, mask = example(72, 56)
    ours = published(save(generator, tmp_path / "w.safetensors"), image, mask)
    assert (ours - generator(image, mask)).abs().max() < 1e-4


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        (
            "model.1.ffc.convl2l.weight",
            None,
            "flint::nn::conv2d: no weight named 'model.1.ffc.convl2l.weight' in ",
        ),
        ("model.4.bn_g.running_var", None, "no weight named 'model.4.bn_g.running_var' in "),
        ("model.2.ffc.convl2l.weight", [16, 9, 3, 3], "flint::nn::conv2d: "),
        ("model.2.bn_l.weight", [17], "flint::nn::batch_norm2d: "),
        ("model.8.weight", [64, 33, 3, 3], "flint::nn::conv_transpose2d: "),
        ("model.18.bias", None, "no weight named 'model.18.bias' in "),
    ],
)
def test_weights_that_do_not_fit(
    name: str, shape: list[int] | None, message: str, weights: str, tmp_path: Path
) -> None:
    tensors = load_file(weights)
    assert name in tensors
    if shape is None:
        del tensors[name]
    else:
        tensors[name] = torch.zeros(shape)
    path = tmp_path / "w.safetensors"
    save_file(tensors, path)
    with pytest.raises(flint.HostError, match=re.escape(message)):
        published(str(path), *example(16, 16))


def test_alone_the_script_has_no_image() -> None:
    with pytest.raises(flint.HostError, match="no script argument 0"):
        flint.TorchScriptRunner("cpu").run_text(lama)
