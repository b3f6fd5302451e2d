"""The only module that touches stable-diffusion-cpp-python: its C API behind Python values.

Nothing here checks what a program passes; callers do, since the library ends the process on much
of what it cannot do. Pointers are ints. The library is loaded at the first call, not at import.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flint.runtime.c_stdout import c_stdout_dropped
from flint.runtime.ggml_library import Device, GgmlLibrary, prepare_environment
from flint.runtime.host import Refused
from flint.runtime.interrupts import interruptible
from flint.runtime.native_log import NativeLog
from flint.runtime.sd.settings import ContextSettings, ImageSettings, Pixels

Listener = Callable[[int, int, float], None]
"""Told the step, how many there are, and the seconds of one step."""

_one_at_a_time = threading.Lock()
_LEVELS = ("debug", "info", "warn", "error")
_LEVEL_ERROR = 3


@functools.cache
def _c() -> Any:
    """The binding's module of C functions, with log and progress under our control."""
    prepare_environment()
    try:
        from stable_diffusion_cpp import stable_diffusion_cpp
    except ImportError as error:
        raise Refused(
            "stable-diffusion-cpp-python is not installed: pip install 'flintc[sd]', "
            "or `make setup-sd` in the project's folder"
        ) from error
    except (OSError, RuntimeError) as error:
        raise Refused("the library of stable-diffusion-cpp-python cannot be loaded") from error
    _listen_to(stable_diffusion_cpp)
    return stable_diffusion_cpp


def _listen_to(c: Any) -> None:
    nobody = ctypes.c_void_p(0)
    c.sd_set_log_callback(_log_callback(c), nobody)
    # Without a callback the library draws its own bars, on stdout.
    c.sd_set_progress_callback(_progress_callback(c), nobody)
    # Neither may be called once the interpreter is going down.
    atexit.register(c.sd_set_log_callback, None, nobody)
    atexit.register(c.sd_set_progress_callback, None, nobody)


def _plain(name: str, result: Any, *arguments: Any) -> Any:
    """A function that the library exports and the binding does not wrap."""
    function = getattr(_c()._lib, name)
    function.restype, function.argtypes = result, list(arguments)
    return function


# ---- log and progress ---------------------------------------------------------------------------

_listener: Listener | None = None
_raised: BaseException | None = None


@functools.cache
def _log() -> NativeLog:
    return NativeLog()


@functools.cache
def _log_callback(c: Any) -> Any:
    log = _log()

    def add(level: int, text: bytes, _user_data: object) -> None:
        # Each line begins with its place in the source, `model.cpp:219  - `.
        line = text.decode("utf-8", "replace").partition(" - ")[2].rstrip()
        title = _LEVELS[min(level, _LEVEL_ERROR)]
        log.add(f"{line}\n", f"{title}: {line}\n", is_error=level >= _LEVEL_ERROR)

    return c.sd_log_callback(add)


def complaints() -> list[str]:
    """The error lines that the library logged since the last call."""
    return _log().complaints()


@functools.cache
def _progress_callback(c: Any) -> Any:
    def progress(step: int, steps: int, seconds: float, _user_data: object) -> None:
        global _raised
        try:
            if _listener is not None:
                _listener(step, steps, seconds)
        except BaseException as error:  # such as Ctrl-C: C++ cannot pass it on
            _raised = _raised or error

    return c.sd_progress_callback(progress)


@contextmanager
def _told(listener: Listener | None) -> Iterator[None]:
    """Progress goes to `listener` inside the block; what it raised is raised at the end."""
    global _listener, _raised
    _listener, _raised = listener, None
    try:
        yield
    finally:
        _listener, error = None, _raised
        _raised = None
        if error is not None:
            raise error


@contextmanager
def _alone(listener: Listener | None) -> Iterator[None]:
    """A long call of the library, whose log, progress and output are the whole process's."""
    with _one_at_a_time, _told(listener), c_stdout_dropped(), interruptible():
        yield


# ---- what the installed library is and knows ----------------------------------------------------


def ggml() -> GgmlLibrary:
    """The ggml inside the library."""
    return GgmlLibrary(_c()._lib)


def devices() -> list[Device]:
    """What the library can compute on; builds with plugins register theirs first."""
    library = ggml()
    if not any(library.devices()):
        library.load_plugins(str(library_folder()))
    return list(library.devices())


def library_folder() -> Path:
    """The folder of the library."""
    return Path(_c()._lib._name).resolve().parent


def sample_method(name: str) -> int | None:
    """The library's number of a sample method, None if it has no such method."""
    found: int = _plain("str_to_sample_method", ctypes.c_int, ctypes.c_char_p)(name.encode())
    return None if found == _c().SampleMethod.SAMPLE_METHOD_COUNT else found


def scheduler(name: str) -> int | None:
    """The library's number of a scheduler, None if it has no such scheduler."""
    found: int = _plain("str_to_scheduler", ctypes.c_int, ctypes.c_char_p)(name.encode())
    return None if found == _c().Scheduler.SCHEDULER_COUNT else found


def sample_method_name(number: int) -> str:
    name: bytes = _plain("sd_sample_method_name", ctypes.c_char_p, ctypes.c_int)(number)
    return name.decode()


def scheduler_name(number: int) -> str:
    name: bytes = _plain("sd_scheduler_name", ctypes.c_char_p, ctypes.c_int)(number)
    return name.decode()


def weight_type(name: str) -> int | None:
    """The library's number of a weight type, None if it has no such type."""
    member = getattr(_c().GGMLType, f"SD_TYPE_{name.upper()}", None)
    return None if member is None else int(member)


def weight_layout(number: int) -> tuple[str, int, int] | None:
    """Name, numbers in a block and bytes of a block; None if there is no such type."""
    c = _c()
    try:
        name = c.GGMLType(number).name.removeprefix("SD_TYPE_").lower()
    except ValueError:
        return None
    block = _plain("ggml_blck_size", ctypes.c_int64, ctypes.c_int)(number)
    size = _plain("ggml_type_size", ctypes.c_size_t, ctypes.c_int)(number)
    return (name, block, size) if block and size else None


# ---- contexts and images ------------------------------------------------------------------------


def new_context(settings: ContextSettings, listener: Listener | None) -> int | None:
    """Load a model; None if the library refuses it."""
    c = _c()
    params = c.sd_ctx_params_t()
    _plain("sd_ctx_params_init", None, ctypes.c_void_p)(ctypes.addressof(params))
    params.model_path = settings.model_path
    params.diffusion_model_path = settings.diffusion_model_path
    params.vae_path = settings.vae_path
    params.llm_path = settings.llm_path
    if settings.weight_type is not None:
        params.wtype = settings.weight_type
    params.n_threads = settings.threads
    params.free_params_immediately = False  # or the second image would find no weights
    params.enable_mmap = settings.memory_map
    params.flash_attn = settings.flash_attention
    params.diffusion_flash_attn = settings.diffusion_flash_attention
    params.keep_clip_on_cpu = settings.text_encoder_on_cpu
    params.keep_vae_on_cpu = settings.vae_on_cpu
    params.offload_params_to_cpu = settings.weights_in_ram
    params.max_vram = settings.vram_gib
    with _alone(listener):
        pointer = c.new_sd_ctx(ctypes.byref(params))
    return ctypes.cast(pointer, ctypes.c_void_p).value


def free_context(context: int) -> None:
    _c().free_sd_ctx(_context(context))


def makes_images(context: int) -> bool:
    """False for models that make videos only."""
    return bool(_c().sd_ctx_supports_image_generation(_context(context)))


def default_sample_method(context: int) -> int:
    return int(_c().sd_get_default_sample_method(_context(context)))


def default_scheduler(context: int, method: int | None) -> int:
    c = _c()
    chosen = c.SampleMethod.SAMPLE_METHOD_COUNT if method is None else method
    return int(c.sd_get_default_scheduler(_context(context), chosen))


def generate(context: int, settings: ImageSettings, listener: Listener | None) -> Pixels | None:
    """Make one image; None if the library fails."""
    c = _c()
    params = c.sd_img_gen_params_t()
    _plain("sd_img_gen_params_init", None, ctypes.c_void_p)(ctypes.addressof(params))
    params.prompt, params.negative_prompt = settings.prompt, settings.negative_prompt
    params.width, params.height = settings.width, settings.height
    params.seed, params.batch_count = settings.seed, 1
    sampling = params.sample_params
    sampling.sample_steps = settings.steps
    sampling.guidance.txt_cfg = settings.cfg_scale
    if settings.sample_method is not None:
        sampling.sample_method = settings.sample_method
    if settings.scheduler is not None:
        sampling.scheduler = settings.scheduler
    with _alone(listener):
        images = c.generate_image(_context(context), ctypes.byref(params))
    return _taken(images) if images else None


def _context(pointer: int) -> Any:
    return ctypes.cast(pointer, _c().sd_ctx_t_p_ctypes)


def _taken(images: Any) -> Pixels | None:
    """A copy of the only image; the library's memory, which it got from malloc, is released."""
    free = ctypes.CDLL(None).free
    free.restype, free.argtypes = None, [ctypes.c_void_p]
    image = images[0]
    pixels = None
    if image.data:
        size = image.width * image.height * image.channel
        data = ctypes.string_at(image.data, size)
        pixels = Pixels(image.width, image.height, image.channel, data)
        free(ctypes.cast(image.data, ctypes.c_void_p))
    free(ctypes.cast(images, ctypes.c_void_p))
    return pixels
