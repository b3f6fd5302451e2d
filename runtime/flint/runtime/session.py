"""What a runner keeps from one run to the next: device, weights, tokenizer."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from flint.devices import resolve_device
from flint.runtime import op_profile

if TYPE_CHECKING:
    import torch

    from flint.runtime.checkpoint import Checkpoint
    from flint.runtime.tokenizer import LoadedTokenizer


class Session:
    """A runner's memory; torch is not touched until a program asks for the device.

    `device` is one of torch's or a text as on the command line, None for the automatic choice.
    `profiles` says whether every run reports its host functions.
    """

    def __init__(self, device: str | torch.device | None = None) -> None:
        self._device = device
        self.profiles = op_profile.wanted()
        self.checkpoint: Checkpoint | None = None
        self.tokenizer: LoadedTokenizer | None = None

    def hide_progress(self) -> None:
        """The terminal is for something else than the loading of weights now."""
        if self.checkpoint is not None:
            self.checkpoint.progress.hide()

    @cached_property
    def device(self) -> torch.device:
        """Where created tensors and loaded weights go."""
        return resolve_device(self._device)
