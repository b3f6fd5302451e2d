"""Which device computes what (host-functions.md 2, 3.1).

stable-diffusion-cpp-python is one fixed build that computes on its first GPU, or on the CPU where
there is none. Of the backend grammar it can keep the text encoder and the VAE on the CPU, and the
weights in RAM; what else a script asks for has to be what it does anyway.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from flint.runtime.ggml_library import Device
from flint.runtime.host import Refused

_AUTOMATIC = ("", "auto")
_ALIASES = {"cuda12": "cuda"}
_MODULES = ("te", "vae", "diffusion")


@dataclass(frozen=True, slots=True)
class Placement:
    """What is kept off the main device."""

    text_encoder_on_cpu: bool = False
    vae_on_cpu: bool = False
    weights_in_ram: bool = False
    vram_gib: float = 0.0


def placement(backend: str, weights: str, max_vram: str, devices: list[Device]) -> Placement:
    """The placement that a script asks for; refused if the installed build cannot do it."""
    main = next((device for device in devices if device.is_gpu), devices[0])
    wanted = _assignments(backend)
    _require(wanted.get("diffusion", ""), main, devices)
    for module in ("te", "vae"):
        if not _is_cpu(wanted.get(module, "")):
            _require(wanted.get(module, ""), main, devices)
    _require_weights(weights, main, devices)
    return Placement(
        text_encoder_on_cpu=main.is_gpu and _is_cpu(wanted.get("te", "")),
        vae_on_cpu=main.is_gpu and _is_cpu(wanted.get("vae", "")),
        weights_in_ram=main.is_gpu and _is_cpu(weights),
        vram_gib=_gib(max_vram),
    )


def _assignments(backend: str) -> dict[str, str]:
    """The device of each module: one for all, or `module=device,…`."""
    if "=" not in backend:
        return dict.fromkeys(_MODULES, backend)
    pairs = [part.partition("=") for part in backend.split(",")]
    for module, _, device in pairs:
        if module not in _MODULES or not device:
            raise _unknown(backend, f"modules are {', '.join(_MODULES)}, as in te=cpu,vae=cpu")
    return {module: device for module, _, device in pairs}


def _require(wanted: str, main: Device, devices: list[Device]) -> None:
    name = wanted.lower()
    if name in _AUTOMATIC:
        return
    kind = _ALIASES.get(name, name)
    if not (main.name.lower() == name or main.backend.lower() == kind):
        listed = ", ".join(device.name for device in devices)
        problem = f"the installed build has {listed} and computes on {main.name}"
        raise _unknown(wanted, problem)


def _require_weights(wanted: str, main: Device, devices: list[Device]) -> None:
    if not _is_cpu(wanted):
        _require(wanted, main, devices)


def _is_cpu(wanted: str) -> bool:
    return wanted.lower() == "cpu"


def _unknown(wanted: str, why: str) -> Refused:
    return Refused(f"choosing the sd backend failed: no backend {wanted!r}; {why}")


def _gib(text: str) -> float:
    """GiB of GPU memory for one computation; 0 is no limit, and so is `auto` in this version."""
    try:
        value = -1.0 if text.lower() in _AUTOMATIC else float(text)
    except ValueError:
        value = math.nan
    if value == -1:
        return 0.0
    if not 0 <= value <= 2**20:
        raise Refused(
            f"choosing the sd backend failed: max_vram {text!r} is neither auto nor a number of "
            "GiB from 0"
        )
    return value
