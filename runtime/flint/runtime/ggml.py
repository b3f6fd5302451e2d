"""`flint::ggml`: the compute devices that ggml libraries find (host-functions.md 2)."""

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
    return _listed(_loaded(path, "listing ggml devices failed"))


@host
def stable_diffusion_package_dir(backend: str) -> str:
    """Return the folder of the installed stable-diffusion.cpp library.

    It is one build: `cuda…` and `vulkan…` need such a device in it, everything else is that build.
    """
    return str(_stable_diffusion(backend, "choosing the ggml package failed")[0])


@host
def load_stable_diffusion_backends(backend: str) -> bool:
    """Register the backend plugins beside the stable-diffusion.cpp library, if it has some."""
    _stable_diffusion(backend, "loading ggml backends failed")
    return True


@host
def list_stable_diffusion_devices(backend: str) -> str:
    """As `load_stable_diffusion_backends`, then the devices that stable-diffusion.cpp knows.

    One line `name TAB description` each.
    """
    return _listed(_stable_diffusion(backend, "listing ggml devices failed")[1])


def _stable_diffusion(backend: str, failure: str) -> tuple[Path, GgmlLibrary]:
    """The library's folder, and its ggml with all plugins that lie there."""
    from flint.runtime.sd import native

    library, folder = native.ggml(), native.library_folder()
    library.load_plugins(str(folder))
    wanted = backend.lower()
    kind = next((kind for kind in ("cuda", "vulkan") if wanted.startswith(kind)), None)
    if kind and not any(kind in device.backend.lower() for device in library.devices()):
        raise Refused(f"{failure}: no {kind} device in the installed stable-diffusion.cpp")
    return folder, library


def _listed(library: GgmlLibrary) -> str:
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
