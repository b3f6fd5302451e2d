"""Convolutions (host-functions.md 10); the two-dimensional ones name their weights."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from flint.runtime.checkpoint import loaded_weight
from flint.runtime.host import Refused
from flint.runtime.op import op
from flint.runtime.pair import Pair

_STEP_SHAPES = "conv1d_step wants state [B, C, 2], input [B, C, 1], weight [C, 1, 3]"


@op
def conv1d(
    tensor: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: int,
    padding: int,
    dilation: int,
    groups: int,
) -> Tensor:
    """Return the cross-correlation of `[B, C, L]` with `weight` `[O, C / groups, K]`.

    `bias` is `[O]` or 0; zeros are padded on both sides. The result has the dtype of the input.
    """
    try:
        result = F.conv1d(tensor, weight, bias, stride, padding, dilation, groups)
    except RuntimeError:
        is_complex = any(x is not None and x.is_complex() for x in (tensor, weight, bias))
        if (
            (stride, dilation) != (1, 1)
            or is_complex
            or not _has_three_taps(tensor, weight, groups)
            or not (padding >= 0 and tensor.shape[-1] + 2 * padding >= 3)
            or not (bias is None or bias.shape == (groups,))
        ):
            raise
        result = _three_taps(F.pad(tensor.float(), (padding, padding)), weight.float())
        if bias is not None:
            result = result + bias.float()[:, None]
    return result.to(tensor.dtype)


@op
def conv1d_step(state: Tensor, input: Tensor, weight: Tensor) -> Pair:
    """One step of a causal depthwise convolution of width 3, without bias.

    `state` `[B, C, 2]` holds the two inputs before `input` `[B, C, 1]`; `weight` is `[C, 1, 3]`.
    Returns a pair: local = output `[B, C, 1]`, global = the next state.
    """
    if state.dim() != 3 or input.dim() != 3 or weight.shape[1:] != (1, 3):
        raise Refused(_STEP_SHAPES)
    batch, channels = input.shape[0], len(weight)
    if state.shape != (batch, channels, 2) or input.shape != (batch, channels, 1):
        raise Refused(
            f"conv1d_step: state {list(state.shape)} and input {list(input.shape)} do not fit"
            f" weight {list(weight.shape)}"
        )
    window = torch.cat((state, input), dim=-1)
    if batch == 1 and window.dtype == weight.dtype:
        mixed = torch.bmm(weight, window.view(channels, 3, 1)).view(1, channels, 1)
    else:
        mixed = _three_taps(window, weight)
    return Pair(mixed, window[..., 1:])


@op
def conv2d(
    tensor: Tensor, prefix: str, stride: int, padding: int, reflect: bool, bias: bool
) -> Tensor:
    """Return the cross-correlation of `[B, C, H, W]` with the weight `{prefix}.weight`.

    Stride and padding are the same both ways; `reflect` pads by reflection instead of zeros;
    `bias` adds `{prefix}.bias`.
    """
    weight = loaded_weight(f"{prefix}.weight")
    offset = loaded_weight(f"{prefix}.bias") if bias else None
    if reflect and padding > 0:
        tensor, padding = F.pad(tensor, (padding,) * 4, mode="reflect"), 0
    return F.conv2d(tensor, weight, offset, stride, padding)


@op
def conv_transpose2d(tensor: Tensor, prefix: str) -> Tensor:
    """Return the transposed convolution of stride 2, padding 1 and output padding 1.

    Weights: `{prefix}.weight` `[in, out, k, k]` and `{prefix}.bias`; k = 3 doubles H and W.
    """
    weight, bias = loaded_weight(f"{prefix}.weight"), loaded_weight(f"{prefix}.bias")
    return F.conv_transpose2d(tensor, weight, bias, stride=2, padding=1, output_padding=1)


def _has_three_taps(tensor: Tensor, weight: Tensor, groups: int) -> bool:
    return tensor.dim() == 3 and tensor.shape[1] == groups and weight.shape == (groups, 1, 3)


def _three_taps(window: Tensor, weight: Tensor) -> Tensor:
    """`[B, C, L + 2]` by `[C, 1, 3]` → `[B, C, L]`."""
    oldest, middle, newest = weight.unbind(-1)
    return window[..., :-2] * oldest + window[..., 1:-1] * middle + window[..., 2:] * newest
