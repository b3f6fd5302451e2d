"""Which architectures can be converted, by ggml's names."""

from __future__ import annotations

from collections.abc import Callable

from flint.convert import lfm2, llama
from flint.convert.layout import Layout
from flint.convert.source import GgufModel
from flint.report import UserError

_LAYOUTS: dict[str, Callable[[GgufModel], Layout]] = {"llama": llama.layout, "lfm2": lfm2.layout}


def layout_of(model: GgufModel) -> Layout:
    """The layout of a model; `UserError` for architectures and variants that are not known."""
    make = _LAYOUTS.get(model.architecture)
    if make is None:
        raise UserError(
            f"{model.path}: a model of the architecture {model.architecture!r}; "
            f"flint convert knows {' and '.join(_LAYOUTS)}"
        )
    return make(model)
