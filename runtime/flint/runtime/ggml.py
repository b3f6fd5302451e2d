"""`flint::ggml`: the compute devices of a folder with ggml libraries (host-functions.md 2)."""

from __future__ import annotations

import ctypes
import functools
import sys
from pathlib import Path

from flint.runtime.ggml_library import GgmlLibrary
from flint.runtime.host import Refused, host

_LIBRARY_NAMES = {"win32": "ggml.dll", "darwin": "libggml.dylib"}


@host
def load_backends(path: str) -> bool:
    """Register every backend plugin in the folder `path` (or in the folder of the file `path`)."""
    _loaded(path, "loading ggml backends failed")
    return True


@host
def list_devices(path: str) -> str:
    """As `load_backends`, then the devices: one line `name TAB description` each."""
    library = _loaded(path, "listing ggml devices failed")
    return "".join(f"{device.name}\t{device.description}\n" for device in library.devices())


def _loaded(path: str, failure: str) -> GgmlLibrary:
    try:
        directory = _directory(path)
        library = _open(directory / _LIBRARY_NAMES.get(sys.platform, "libggml.so"))
        library.load_plugins(str(directory))
    except (OSError, ValueError, AttributeError) as error:
        raise Refused(f"{failure}: {error}") from None
    return library


def _directory(path: str) -> Path:
    """The canonical folder meant by `path`; `OSError` if there is no such file or folder."""
    resolved = Path(path).resolve(strict=True)
    return resolved if resolved.is_dir() else resolved.parent


@functools.cache
def _open(library: Path) -> GgmlLibrary:
    if not library.is_file():
        raise FileNotFoundError(f"no ggml library at {library}")
    try:
        return GgmlLibrary(ctypes.CDLL(str(library)))
    except OSError as error:
        raise OSError(f"the library cannot be opened: {error}") from None
