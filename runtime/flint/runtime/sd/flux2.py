"""What a FLUX.2 transformer consists of.

stable-diffusion.cpp takes its sizes from some of the tensors and asserts on what does not fit them,
so a file has to have exactly these.
"""

from __future__ import annotations

from collections.abc import Iterator

from flint.runtime.sd.family import Tensors

HEAD = 128  # its rotary embedding has four axes of 32
_LATENT = 128
_TIME = 256
_MLP_RATIO = 3
_MOST_BLOCKS = 64  # of both kinds: the library's computation graph has room for 10,240 nodes
Shape = tuple[int, ...]


class Misfit(Exception):
    """How the tensors differ from a FLUX.2 transformer."""


def require_flux2(tensors: Tensors) -> None:
    """Raise `Misfit` unless the tensors are those of one FLUX.2 transformer, all and no other."""
    text = tensors.get("txt_in.weight")
    if text is None or len(text.shape) != 2:
        raise Misfit("it has no matrix txt_in.weight")
    width, context = text.shape
    if width % HEAD:
        raise Misfit(f"its width {width} is not a multiple of {HEAD}, the size of a head")
    double, single = _blocks(tensors, "double"), _blocks(tensors, "single")
    if double + single > _MOST_BLOCKS:
        raise Misfit(f"it has {double + single} blocks, at most {_MOST_BLOCKS} are possible")
    guided = "guidance_in.in_layer.weight" in tensors
    expected = dict(_shapes(width, context, double, single, guided))
    for name, shape in expected.items():
        if name not in tensors:
            raise Misfit(f"the tensor {name} is missing")
        if tensors[name].shape != shape:
            found = list(tensors[name].shape)
            raise Misfit(f"the tensor {name} is {found}, it should be {list(shape)}")
    for name in tensors:
        if name not in expected:
            raise Misfit(f"the tensor {name} does not belong to it{_why(name)}")


def _why(name: str) -> str:
    scaled = name.endswith(("_scale", ".scale_weight", ".scale_input", "scaled_fp8"))
    return " (a file with scaled FP8 weights; take one in BF16 or GGUF)" if scaled else ""


def _blocks(tensors: Tensors, kind: str) -> int:
    """How many blocks of that kind there are."""
    prefix = f"{kind}_blocks."
    return len({name.split(".", 2)[1] for name in tensors if name.startswith(prefix)})


def _shapes(
    width: int, context: int, double: int, single: int, guided: bool
) -> Iterator[tuple[str, Shape]]:
    """Names and shapes; `context` is the width of the text features."""
    inner = _MLP_RATIO * width
    yield "img_in.weight", (width, _LATENT)
    yield "txt_in.weight", (width, context)
    for source in ("time_in", "guidance_in")[: 2 if guided else 1]:
        yield f"{source}.in_layer.weight", (width, _TIME)
        yield f"{source}.out_layer.weight", (width, width)
    for name, parts in (("double_stream_modulation_img", 6), ("double_stream_modulation_txt", 6)):
        yield f"{name}.lin.weight", (parts * width, width)
    yield "single_stream_modulation.lin.weight", (3 * width, width)
    for number in range(double):
        for stream in ("img", "txt"):
            block = f"double_blocks.{number}.{stream}"
            yield f"{block}_attn.qkv.weight", (3 * width, width)
            yield f"{block}_attn.proj.weight", (width, width)
            yield f"{block}_mlp.0.weight", (2 * inner, width)
            yield f"{block}_mlp.2.weight", (width, inner)
            yield from _norms(f"{block}_attn")
    for number in range(single):
        block = f"single_blocks.{number}"
        yield f"{block}.linear1.weight", (3 * width + 2 * inner, width)
        yield f"{block}.linear2.weight", (width, width + inner)
        yield from _norms(block)
    yield "final_layer.adaLN_modulation.1.weight", (2 * width, width)
    yield "final_layer.linear.weight", (_LATENT, width)


def _norms(block: str) -> Iterator[tuple[str, Shape]]:
    for part in ("query", "key"):
        yield f"{block}.norm.{part}_norm.scale", (HEAD,)
