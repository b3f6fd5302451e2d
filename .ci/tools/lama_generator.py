"""The generator of LaMa as a PyTorch module: what `scripts/lama.rss` is tested against.

Not made from the script: written from the paper's description (Suvorov et al. 2021, 2.1 and 2.2)
and the names of the tensors in published checkpoints.
"""

from __future__ import annotations

from typing import TypeAlias

import torch
from torch import Tensor, nn

Parts: TypeAlias = tuple[Tensor, Tensor]
"""Local and global features."""

GLOBAL_SHARE = 0.75


class FourierUnit(nn.Module):
    """A convolution, norm and activation over frequencies."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv_layer = nn.Conv2d(2 * channels, 2 * channels, 1, bias=False)
        self.bn = nn.BatchNorm2d(2 * channels)

    def forward(self, x: Tensor) -> Tensor:
        batch, channels, height, width = x.shape
        frequencies = torch.view_as_real(torch.fft.rfft2(x, norm="ortho"))
        y = frequencies.permute(0, 1, 4, 2, 3).reshape(batch, 2 * channels, height, -1)
        y = torch.relu_(self.bn(self.conv_layer(y)))
        y = y.view(batch, channels, 2, height, -1).permute(0, 1, 3, 4, 2).contiguous()
        signal: Tensor = torch.fft.irfft2(torch.view_as_complex(y), (height, width), norm="ortho")
        return signal


class SpectralTransform(nn.Module):
    """Global features to global features."""

    def __init__(self, channels_in: int, channels_out: int) -> None:
        super().__init__()
        inner = channels_out // 2
        self.conv1 = nn.Sequential(
            nn.Conv2d(channels_in, inner, 1, bias=False), nn.BatchNorm2d(inner), nn.ReLU(True)
        )
        self.fu = FourierUnit(inner)
        self.conv2 = nn.Conv2d(inner, channels_out, 1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        y = self.conv1(x)
        result: Tensor = self.conv2(y + self.fu(y))
        return result


class Local(nn.Module):
    """A convolution, norm and activation of local features only."""

    def __init__(self, channels_in: int, channels_out: int, kernel: int, **options: int) -> None:
        super().__init__()
        self.ffc = nn.ModuleDict()
        self.ffc["convl2l"] = _reflecting(channels_in, channels_out, kernel, **options)
        self.bn_l = nn.BatchNorm2d(channels_out)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu_(self.bn_l(self.ffc["convl2l"](x)))


class Split(nn.Module):
    """From local features to both kinds, at half the size."""

    def __init__(self, channels_in: int, channels_out: int) -> None:
        super().__init__()
        far = int(channels_out * GLOBAL_SHARE)
        self.ffc = nn.ModuleDict()
        self.ffc["convl2l"] = _reflecting(channels_in, channels_out - far, 3, stride=2, padding=1)
        self.ffc["convl2g"] = _reflecting(channels_in, far, 3, stride=2, padding=1)
        self.bn_l, self.bn_g = nn.BatchNorm2d(channels_out - far), nn.BatchNorm2d(far)

    def forward(self, x: Tensor) -> Parts:
        near, far = self.bn_l(self.ffc["convl2l"](x)), self.bn_g(self.ffc["convl2g"](x))
        return torch.relu_(near), torch.relu_(far)


class Mixed(nn.Module):
    """A fast Fourier convolution from both kinds of features to both kinds."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        far = int(channels * GLOBAL_SHARE)
        near = channels - far
        self.ffc = nn.ModuleDict()
        self.ffc["convl2l"] = _reflecting(near, near, 3, padding=1)
        self.ffc["convl2g"] = _reflecting(near, far, 3, padding=1)
        self.ffc["convg2l"] = _reflecting(far, near, 3, padding=1)
        self.ffc["convg2g"] = SpectralTransform(far, far)
        self.bn_l, self.bn_g = nn.BatchNorm2d(near), nn.BatchNorm2d(far)

    def forward(self, parts: Parts) -> Parts:
        near, far = parts
        new_near = self.ffc["convl2l"](near) + self.ffc["convg2l"](far)
        new_far = self.ffc["convl2g"](near) + self.ffc["convg2g"](far)
        return torch.relu_(self.bn_l(new_near)), torch.relu_(self.bn_g(new_far))


class ResidualBlock(nn.Module):
    """Two fast Fourier convolutions beside the identity."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1, self.conv2 = Mixed(channels), Mixed(channels)

    def forward(self, parts: Parts) -> Parts:
        near, far = self.conv2(self.conv1(parts))
        return parts[0] + near, parts[1] + far


class Joined(nn.Module):
    """Both kinds of features side by side as channels."""

    def forward(self, parts: Parts) -> Tensor:
        return torch.cat(parts, dim=1)


class Generator(nn.Module):
    """`width` is the number of channels at full size; the published model has 64, and 18 blocks."""

    def __init__(self, width: int = 64, blocks: int = 18) -> None:
        super().__init__()
        self.model = nn.Sequential(
            nn.ReflectionPad2d(3),
            Local(4, width, 7),
            Local(width, 2 * width, 3, stride=2, padding=1),
            Local(2 * width, 4 * width, 3, stride=2, padding=1),
            Split(4 * width, 8 * width),
            *(ResidualBlock(8 * width) for _ in range(blocks)),
            Joined(),
            *_doubling(8 * width),
            *_doubling(4 * width),
            *_doubling(2 * width),
            nn.ReflectionPad2d(3),
            nn.Conv2d(width, 3, 7),
            nn.Sigmoid(),
        )

    def forward(self, image: Tensor, mask: Tensor) -> Tensor:
        """`[B, 3, H, W]` in 0 … 1 with what `[B, 1, H, W]` marks by 1 painted anew."""
        known = 1 - mask
        painted: Tensor = self.model(torch.cat([image * known, mask], dim=1))
        return painted * mask + image * known


def random_generator(seed: int, **sizes: int) -> Generator:
    """A generator ready to use, whose weights and statistics are all random."""
    torch.manual_seed(seed)
    generator = Generator(**sizes).eval().requires_grad_(False)
    for module in generator.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.weight.uniform_(0.5, 1.5)
            module.bias.uniform_(-0.3, 0.3)
            module.get_buffer("running_mean").uniform_(-0.3, 0.3)
            module.get_buffer("running_var").uniform_(0.2, 2.0)
    return generator


def _reflecting(channels_in: int, channels_out: int, kernel: int, **options: int) -> nn.Conv2d:
    return nn.Conv2d(
        channels_in,
        channels_out,
        kernel,
        stride=options.get("stride", 1),
        padding=options.get("padding", 0),
        padding_mode="reflect",
        bias=False,
    )


def _doubling(channels: int) -> list[nn.Module]:
    """Twice the size, half the channels."""
    return [
        nn.ConvTranspose2d(channels, channels // 2, 3, stride=2, padding=1, output_padding=1),
        nn.BatchNorm2d(channels // 2),
        nn.ReLU(True),
    ]
