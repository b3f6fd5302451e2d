"""What a converted model consists of: its configuration, and its weights with their sources.

Names and shapes are those of transformers' `LlamaForCausalLM` and `Lfm2ForCausalLM`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flint.convert.source import GgufModel, GgufTensor, gguf_package
from flint.report import UserError

EMBEDDING = "model.embed_tokens.weight"
HEAD = "lm_head.weight"
_END_IDS = ("eos", "eot", "eom")


@dataclass(frozen=True, slots=True)
class Weight:
    """A weight: name and shape in the result, the source and the order of the source's rows."""

    name: str
    shape: tuple[int, ...]
    source: GgufTensor
    order: Callable[[int], int] | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """`config.json` without the weights' dtype, and the weights."""

    config: dict[str, Any]
    weights: list[Weight]


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes that both architectures have."""

    hidden: int
    inner: int
    layers: int
    heads: int
    vocabulary: int

    @classmethod
    def of(cls, model: GgufModel) -> Sizes:
        """Those of a model; `UserError` for a mixture of experts, or if one is missing or 0."""
        experts = model.whole("expert_count", 0)
        if experts:
            raise UserError(f"{model.path}: a mixture of {experts} experts, which is not supported")
        if not model.tokens:
            raise UserError(f"{model.path}: it has no vocabulary")
        found = cls(
            hidden=model.whole("embedding_length"),
            inner=model.whole("feed_forward_length"),
            layers=_layers(model),
            heads=model.whole("attention.head_count"),
            vocabulary=len(model.tokens),
        )
        if not all((found.hidden, found.inner, found.heads)):
            raise UserError(f"{model.path}: one of its sizes is 0: {found}")
        return found


def end_token_ids(model: GgufModel) -> list[int]:
    """The ids that end a text, without repetition."""
    found = (model.token_id(name) for name in _END_IDS)
    return list(dict.fromkeys(each for each in found if each is not None))


class Weights:
    """Collects weights by their names in the result, and checks them against the file."""

    def __init__(self, model: GgufModel, layers: int) -> None:
        package = gguf_package()
        kinds = {name: kind for kind, name in package.MODEL_ARCH_NAMES.items()}
        self._names = package.get_tensor_name_map(kinds[model.architecture], layers)
        self._model = model
        self._left = dict(model.tensors)
        self.found: list[Weight] = []

    def has(self, name: str) -> bool:
        """Whether the file has the weight of that name in the result."""
        return self._source_name(name) in self._model.tensors

    def add(
        self, name: str, *shape: int, order: Callable[[int], int] | None = None, flat: bool = False
    ) -> None:
        """Take a weight; `flat` if the source lacks the dimensions of size 1."""
        source = self._left.pop(self._source_name(name), None)
        if source is None:
            raise UserError(f"{self._model.path}: no tensor {self._source_name(name)}")
        wanted = tuple(size for size in shape if size != 1) if flat else shape
        if source.shape != wanted:
            raise UserError(
                f"{self._model.path}: {source.name} is {list(source.shape)}, not {list(wanted)}"
            )
        self.found.append(Weight(name, shape, source, order))

    def drop(self, source_name: str) -> None:
        """Leave out a tensor whose contents are in the configuration."""
        self._left.pop(source_name, None)

    def finished(self) -> list[Weight]:
        """The weights; `UserError` if the file has more."""
        if self._left:
            names = ", ".join(sorted(self._left)[:3])
            raise UserError(f"{self._model.path}: no place for {len(self._left)} tensors: {names}")
        return self.found

    def _source_name(self, name: str) -> str:
        return str(self._names.get_name(name, try_suffixes=(".weight",)))


def common_config(model: GgufModel, sizes: Sizes) -> dict[str, Any]:
    """The entries of `config.json` that both architectures have."""
    return {
        "hidden_size": sizes.hidden,
        "intermediate_size": sizes.inner,
        "num_hidden_layers": sizes.layers,
        "num_attention_heads": sizes.heads,
        "max_position_embeddings": model.whole("context_length"),
        "vocab_size": sizes.vocabulary,
        "bos_token_id": model.token_id("bos"),
        "eos_token_id": end_token_ids(model),
        "pad_token_id": model.token_id("padding"),
    }


def _layers(model: GgufModel) -> int:
    """The number of layers, which is not above that of the tensors: loops depend on it."""
    layers = model.whole("block_count")
    if layers > len(model.tensors):
        raise UserError(f"{model.path}: {layers} layers with {len(model.tensors)} tensors")
    return layers
