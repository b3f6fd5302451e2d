"""llama-cpp-python's module of C functions, its log, and the one backend of the process."""

from __future__ import annotations

import atexit
import ctypes
import functools
from typing import Any

from flint.runtime.ggml_library import GgmlLibrary, prepare_environment
from flint.runtime.host import Refused
from flint.runtime.native_log import NativeLog

_LEVEL_ERROR, _LEVEL_CONTINUE = 4, 5


@functools.cache
def c() -> Any:
    """llama-cpp-python's module of C functions, with its log under our control."""
    prepare_environment()
    try:
        from llama_cpp import llama_cpp
    except ImportError as error:
        raise Refused("llama-cpp-python is not installed: pip install 'flintc[llama]'") from error
    except (OSError, RuntimeError) as error:
        raise Refused("the library of llama-cpp-python cannot be loaded") from error
    llama_cpp.llama_log_set(_log_callback(llama_cpp), ctypes.c_void_p(0))
    # The callback must not be called once the interpreter is going down.
    no_callback = ctypes.cast(0, llama_cpp.llama_log_callback)
    atexit.register(llama_cpp.llama_log_set, no_callback, ctypes.c_void_p(0))
    return llama_cpp


# ---- log ----------------------------------------------------------------------------------------

_last_level = 0


@functools.cache
def _log() -> NativeLog:
    return NativeLog()


@functools.cache
def _log_callback(llama_cpp: Any) -> Any:
    log = _log()

    def add(level: int, text: bytes, _user_data: object) -> None:
        global _last_level
        _last_level = _last_level if level == _LEVEL_CONTINUE else level
        line = text.decode("utf-8", "replace")
        log.add(line, line, is_error=_last_level == _LEVEL_ERROR)

    return llama_cpp.llama_log_callback(add)


def complaints() -> list[str]:
    """The error lines that llama.cpp logged since the last call."""
    return _log().complaints()


# ---- backend ------------------------------------------------------------------------------------


def backend_init() -> None:
    c().llama_backend_init()


def backend_free() -> None:
    c().llama_backend_free()


def ggml() -> GgmlLibrary:
    """The ggml inside llama.cpp's own library."""
    return GgmlLibrary(c()._lib)


def supports_gpu_offload() -> bool:
    return bool(c().llama_supports_gpu_offload())
