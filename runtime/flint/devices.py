"""Which device torch computes on, by the names of the command line (cli-and-embedding.md 1.3)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flint.report import UserError

if TYPE_CHECKING:
    import torch

_PLAIN = {"cpu": "cpu", "cuda": "cuda:0", "mps": "mps", "vulkan": "vulkan"}


def preload_libtorch() -> None:
    """Load torch now rather than at the first use; `UserError` if it cannot be loaded."""
    try:
        import torch  # noqa: F401
    except (ImportError, OSError) as error:
        raise UserError(f"torch cannot be initialised: {error}") from error


def auto_device() -> torch.device:
    """The first CUDA device if there is one, else the CPU."""
    preload_libtorch()
    import torch

    return torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


def parse_device(text: str) -> torch.device:
    """The device named `cpu`, `cuda`, `cuda:N`, `mps` or `vulkan`, in any case.

    Whether the machine has it is not checked. `UserError` for any other name.
    """
    preload_libtorch()
    import torch

    if not isinstance(text, str):
        raise TypeError(f"device is {type(text).__name__}, not str")
    name = text.lower()
    if name in _PLAIN:
        return torch.device(_PLAIN[name])
    kind, separator, index = name.partition(":")
    if kind != "cuda" or not separator:
        raise UserError(f"device is one of cpu, cuda, cuda:N, mps, vulkan, not {text!r}")
    if not re.fullmatch("[0-9]{1,2}", index):
        raise UserError(f"bad CUDA index {index!r}: it has to be a small whole number")
    return torch.device("cuda", int(index))


def resolve_device(device: str | torch.device | None) -> torch.device:
    """The device itself or that of the name, or the automatic choice for None."""
    preload_libtorch()
    import torch

    if isinstance(device, torch.device):
        return device
    return auto_device() if device is None else parse_device(device)


def require_device(device: torch.device) -> torch.device:
    """The device itself if a tensor can be put there; `UserError` otherwise."""
    import torch

    try:
        torch.empty(1, device=device)
    except NotImplementedError:
        raise UserError(
            f"device {device} cannot be used: this torch was built without it"
        ) from None
    except (RuntimeError, AssertionError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise UserError(f"device {device} cannot be used: {reason}") from None
    return device
