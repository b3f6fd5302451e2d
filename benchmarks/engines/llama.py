"""llama.cpp through its C interface: a bare greedy loop."""

from __future__ import annotations

import time
from typing import Any

import llama_cpp.llama_cpp as C

from benchmarks.models import WORD_ID
from benchmarks.noise import THREADS


class Model:
    """Defaults of the library, but for the length of the context and the threads."""

    def __init__(self, path: str, longest: int) -> None:
        C.llama_log_set(_SILENT, None)
        C.llama_backend_init()
        parameters = C.llama_model_default_params()
        parameters.n_gpu_layers = 0
        self._model = C.llama_model_load_from_file(path.encode(), parameters)
        if not self._model:
            raise RuntimeError(f"llama.cpp does not load {path}")
        self._context = C.llama_init_from_model(self._model, _context_parameters(longest))
        self._batch_size = C.llama_n_batch(self._context)
        self._sampler = C.llama_sampler_init_greedy()

    def decode(self, prompt: int, tokens: int) -> float:
        self._prefill(prompt)
        token = self._choice()
        started = time.perf_counter()
        for _ in range(tokens):
            self._feed([token])
            token = self._choice()
        return time.perf_counter() - started

    def prefill(self, tokens: int) -> float:
        started = time.perf_counter()
        self._prefill(tokens)
        self._choice()
        return time.perf_counter() - started

    def answer(self, prompt: int, tokens: int) -> list[int]:
        """The tokens themselves, for tests."""
        self._prefill(prompt)
        chosen = [self._choice()]
        while len(chosen) < tokens:
            self._feed(chosen[-1:])
            chosen.append(self._choice())
        return chosen

    def _prefill(self, tokens: int) -> None:
        C.llama_memory_clear(C.llama_get_memory(self._context), True)
        for start in range(0, tokens, self._batch_size):
            self._feed([WORD_ID] * min(self._batch_size, tokens - start))

    def _feed(self, tokens: list[int]) -> None:
        ids = (C.llama_token * len(tokens))(*tokens)
        if C.llama_decode(self._context, C.llama_batch_get_one(ids, len(tokens))) != 0:
            raise RuntimeError("llama_decode failed")

    def _choice(self) -> int:
        return int(C.llama_sampler_sample(self._sampler, self._context, -1))


def _context_parameters(longest: int) -> Any:
    parameters = C.llama_context_default_params()
    parameters.n_ctx = longest
    parameters.n_threads = parameters.n_threads_batch = THREADS
    return parameters


_SILENT = C.llama_log_callback(lambda _level, _text, _data: None)


def load(path: str, dtype: str, longest: int) -> Model:
    """The file decides the dtype."""
    return Model(path, longest)
