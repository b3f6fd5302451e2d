"""`flint::vl`: what joins a vision model and a language model (host-functions.md 11)."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from flint.runtime.host import Refused
from flint.runtime.op import op
from flint.runtime.tensor.create import real_part
from flint.runtime.tensor_size import require_room


@op
def siglip2_position_embedding(weight: Tensor, height: int, width: int, max_len: int) -> Tensor:
    """Return SigLIP 2's positions for `height` x `width` patches by rows: `[1, max_len, D]`.

    `weight` `[s * s, D]` holds those of a square. They are interpolated bilinearly, in float32,
    between the centres of patches. Copies of the first position fill up to `max_len`.
    """
    side = _side(weight)
    if min(height, width) < 1 or max_len < height * width:
        raise Refused(f"bad target size: {height} x {width} patches in {max_len} places")
    columns = weight.shape[1]
    require_room((max_len, columns), 4, weight.device)
    square = real_part(weight).float().view(1, side, side, columns).permute(0, 3, 1, 2)
    resized = F.interpolate(square, (height, width), mode="bilinear", align_corners=False)
    rows = resized.to(weight.dtype).flatten(2).transpose(1, 2)
    padding = rows[:, :1].expand(1, max_len - height * width, columns)
    return torch.cat((rows, padding), dim=1)


@op
def pixel_unshuffle2(tensor: Tensor) -> Tensor:
    """Return `[N, H, W, C]` with H and W even as `[N, H / 2, W / 2, 4C]`.

    The four places of a 2 x 2 square are joined: upper left, upper right, lower left, lower right.
    """
    if tensor.dim() != 4 or tensor.shape[1] % 2 or tensor.shape[2] % 2:
        raise Refused(f"pixel_unshuffle2 wants [N, H, W, C], H and W even, not {[*tensor.shape]}")
    batch, height, width, channels = tensor.shape
    squares = tensor.reshape(batch, height // 2, 2, width // 2, 2, channels).transpose(2, 3)
    return squares.reshape(batch, height // 2, width // 2, 4 * channels)


@op
def scatter_image_embeddings(
    input_ids: Tensor, inputs_embeds: Tensor, image_features: Tensor, image_token_id: int
) -> Tensor:
    """Return `inputs_embeds` `[B, S, D]` with the rows of images in it.

    Where `input_ids` `[B, S]` is `image_token_id`, the rows of `image_features` `[…, D]` follow in
    order, in the dtype of `inputs_embeds`; rows left over are ignored.
    """
    features = real_part(image_features).to(inputs_embeds.dtype)
    features = features.reshape(-1, features.shape[-1])
    places = input_ids == image_token_id
    _require_rows(features, inputs_embeds, int(places.sum()))
    return inputs_embeds.masked_scatter(places[..., None], features)


def _side(weight: Tensor) -> int:
    """Of the square that has as many places as `weight` has rows."""
    if weight.dim() != 2:
        raise Refused(f"the position table has to be 2-D, not {[*weight.shape]}")
    side = math.isqrt(len(weight))
    if side * side != len(weight):
        raise Refused(f"the position table's row count {len(weight)} is not a square")
    return side


def _require_rows(features: Tensor, embeds: Tensor, places: int) -> None:
    """Torch would mix rows of another width; on a GPU too few of them end all use of it."""
    if features.shape[-1] != embeds.shape[-1]:
        wanted = f"{embeds.shape[-1]} wide, as the embeddings are"
        raise Refused(f"image features have to be {wanted}, not {features.shape[-1]}")
    if len(features) < places:
        raise Refused(f"{places} places for an image, but {len(features)} rows of image features")
