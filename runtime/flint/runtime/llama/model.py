"""Models and their load parameters (host-functions.md 4.2)."""

from __future__ import annotations

import os
from typing import ClassVar

from flint.progress import Progress
from flint.runtime.c_values import INT32_MAX, c_text, int32, uint32
from flint.runtime.gguf_file import DamagedFile, Header
from flint.runtime.host import Count, Refused, host
from flint.runtime.llama.backend import Backend
from flint.runtime.llama.gguf import read_header
from flint.runtime.llama.handles import LlamaResource
from flint.runtime.llama.native import library, models, vocabularies
from flint.runtime.llama.spelling import Spelling
from flint.runtime.llama.tokens import Tokens
from flint.runtime.llama.values import library_error


class ModelParams(LlamaResource):
    """How to load a model; `gpu_layers` None is llama.cpp's default, all of them."""

    kind: ClassVar[str] = "model params"

    def __init__(self) -> None:
        super().__init__()
        self.gpu_layers: int | None = None
        self.main_gpu = 0
        self.mmap = True
        self.mlock = False


class Weights:
    """A loaded model's memory, which lives until its handle and all its contexts are gone."""

    def __init__(self, pointer: int, header: Header) -> None:
        self.pointer = pointer
        self.vocab = models.vocabulary(pointer)
        self.vocabulary_size = vocabularies.vocabulary_size(self.vocab)
        self.has_tokenizer = vocabularies.has_tokenizer(self.vocab)
        self.spelling = (
            Spelling(header.words()) if vocabularies.spells_by_bytes(self.vocab) else None
        )
        self._users = 1

    def share(self) -> Weights:
        """One more user."""
        self._users += 1
        return self

    def drop(self) -> None:
        """One user less; the last one frees the memory."""
        self._users -= 1
        if self._users == 0:
            models.free_model(self.pointer)


class Model(LlamaResource):
    """A loaded GGUF model."""

    kind: ClassVar[str] = "model"

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        self.weights = weights

    def _release(self) -> None:
        self.weights.drop()


@host
def model_params_init(backend: Backend) -> ModelParams:
    """Return load parameters with llama.cpp's defaults: memory-mapped, not locked, main GPU 0."""
    return ModelParams()


@host
def model_params_set_gpu_layers(params: ModelParams, layers: int) -> bool:
    """Set how many layers go to the GPU, from 0 to 2^32 - 1; more than there are means all."""
    params.gpu_layers = min(uint32("gpu layers", layers), INT32_MAX)
    return True


@host
def model_params_set_main_gpu(params: ModelParams, main_gpu: int) -> bool:
    """Set the number of the GPU to use where only one is used."""
    params.main_gpu = int32("main_gpu", main_gpu)
    return True


@host
def model_params_set_memory(params: ModelParams, use_mmap: bool, use_mlock: bool) -> bool:
    """Set whether the file is memory-mapped, and whether its memory is locked."""
    params.mmap, params.mlock = use_mmap, use_mlock
    return True


@host
def model_load(backend: Backend, params: ModelParams, path: str) -> Model:
    """Load the GGUF file `path`. Consumes `params`, also when it fails."""
    params.close("consumed by model_load")
    encoded_path = c_text("path", path)
    try:
        header = read_header(path)
    except DamagedFile as error:
        raise library_error(f"model not loaded: {error}") from None
    library.complaints()
    progress = Progress("model", os.path.getsize(path))
    try:
        pointer = models.load_model(
            encoded_path,
            gpu_layers=params.gpu_layers,
            main_gpu=params.main_gpu,
            mmap=params.mmap,
            mlock=params.mlock,
            cpu_only=backend.cpu_only,
            on_progress=progress.reach if progress.visible else None,
        )
    finally:
        progress.hide()
    if pointer is None:
        raise library_error(f"model not loaded: {path}", library.complaints())
    return Model(Weights(pointer, header))


@host
def model_free(model: Model) -> bool:
    """Free the model; its memory stays while a context of it lives."""
    model.close()
    return True


@host
def model_n_ctx_train(model: Model) -> Count:
    """Return the context length, in tokens, that the model was trained with."""
    return models.n_ctx_train(model.weights.pointer)


@host
def model_n_vocab(model: Model) -> Count:
    """Return the number of tokens in the vocabulary."""
    return model.weights.vocabulary_size


@host
def model_tokenize(model: Model, text: str, add_bos: bool) -> Tokens:
    """Return the tokens of `text`, in which special tokens are recognised.

    `add_bos` adds the special tokens that the vocabulary asks for at the start (and end).
    """
    encoded = c_text("text", text)
    weights = model.weights
    require_tokenizer(weights)
    if add_bos and vocabularies.lacks_token_it_adds(weights.vocab):
        raise library_error("the vocabulary asks for a special token that it does not have")
    unknown = weights.spelling and weights.spelling.unspellable(text)
    if unknown:
        raise library_error(f"the vocabulary has no tokens for {unknown!r}")
    return Tokens(vocabularies.tokenize(weights.vocab, encoded, add_bos))


@host
def model_is_eog(model: Model, token: int) -> bool:
    """Return whether `token` ends a generation; the model may have several such tokens."""
    return vocabularies.is_eog(model.weights.vocab, int32("token", token))


def require_token(weights: Weights, token: int) -> int:
    """The token if the model's vocabulary has it."""
    if not 0 <= token < weights.vocabulary_size:
        raise Refused(f"token {token} is not in the vocabulary of {weights.vocabulary_size}")
    return token


def require_tokenizer(weights: Weights) -> None:
    """Refuse models of numbers only, on which llama.cpp would abort."""
    if not weights.has_tokenizer:
        raise library_error("the model has no tokenizer")
