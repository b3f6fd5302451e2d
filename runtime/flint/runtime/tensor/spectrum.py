"""Complex tensors and two-dimensional FFT (host-functions.md 9.7)."""

from __future__ import annotations

import torch
from torch import Tensor

from flint.runtime.op import op
from flint.runtime.tensor_size import require_room


@op
def real(tensor: Tensor) -> Tensor:
    """Return the real part of every element; a real tensor is returned as it is."""
    return tensor.real


@op
def imag(tensor: Tensor) -> Tensor:
    """Return the imaginary part of every element; a real tensor has none, which is an error."""
    return tensor.imag


@op
def complex(real: Tensor, imag: Tensor) -> Tensor:
    """Return real + i * imag, broadcast; both have the same float dtype, and not bfloat16."""
    return torch.complex(real, imag)


@op
def fft_rfftn2(tensor: Tensor) -> Tensor:
    """Return the FFT of a real tensor over its last two dimensions, orthonormal.

    `[…, h, w]` → complex `[…, h, w / 2 + 1]`.
    """
    spectrum: Tensor = torch.fft.rfftn(tensor, dim=(-2, -1), norm="ortho")
    return spectrum


@op
def fft_irfftn2(tensor: Tensor, height: int, width: int) -> Tensor:
    """Return the inverse of `fft_rfftn2`: complex `[…, h, w]` → real `[…, height, width]`."""
    require_room((*tensor.shape[:-2], height, width), tensor.element_size() // 2, tensor.device)
    signal: Tensor = torch.fft.irfftn(tensor, s=(height, width), dim=(-2, -1), norm="ortho")
    return signal
