"""The llama.cpp backend: one at a time in a process (host-functions.md 4.1)."""

from __future__ import annotations

import os
from typing import ClassVar

from flint.runtime.host import host
from flint.runtime.llama.handles import LlamaResource
from flint.runtime.llama.native import library
from flint.runtime.llama.values import library_error


class Backend(LlamaResource):
    """The initialised library; `cpu_only` keeps models off other devices."""

    kind: ClassVar[str] = "backend"
    live: ClassVar[Backend | None] = None

    def __init__(self, cpu_only: bool) -> None:
        super().__init__()
        self.cpu_only = cpu_only
        Backend.live = self

    def _release(self) -> None:
        Backend.live = None
        library.backend_free()


@host
def backend_init(kind: str) -> Backend:
    """Initialise llama.cpp for `auto` (or an empty text), `cpu`, `cuda…`, `vulkan…` or a folder.

    A folder is one with backend plugins to load. llama-cpp-python is one fixed build: `cpu` keeps
    every layer on the CPU, and `vulkan` needs a Vulkan device in that build. Fails while another
    backend lives.
    """
    if Backend.live is not None:
        raise library_error(f"backend already initialised, with handle {Backend.live}")
    directory = kind if kind and "\0" not in kind and os.path.isdir(kind) else None
    name = "" if directory else kind.lower()
    if not _is_known(name):
        raise library_error(f"no backend {name!r} on this platform")
    library.ggml().load_plugins(directory)
    if name.startswith("vulkan") and not _has_vulkan_device():
        raise library_error(f"no backend {name!r} on this platform: no Vulkan device is listed")
    library.backend_init()
    return Backend(cpu_only=name == "cpu")


@host
def backend_supports_gpu_offload(backend: Backend) -> bool:
    """Return whether this build of llama.cpp can put layers on a GPU."""
    return library.supports_gpu_offload()


@host
def backend_list_devices(backend: Backend) -> str:
    """Return one line a device: index, name, backend, description, free bytes, split by TAB.

    Lines are joined by LF, without one at the end.
    """
    return "\n".join(
        f"{index}\t{device.name}\t{device.backend}\t{device.description}\t{device.free_memory}"
        for index, device in enumerate(library.ggml().devices())
    )


@host
def backend_free(backend: Backend) -> bool:
    """Shut the backend down; another `backend_init` is then possible."""
    backend.close()
    return True


def _is_known(name: str) -> bool:
    return name in ("", "auto", "cpu") or name.startswith(("cuda", "vulkan"))


def _has_vulkan_device() -> bool:
    return any("vulkan" in device.backend.lower() for device in library.ggml().devices())
