"""Fixtures for tests of the host functions that use torch: one thread, three float types."""

from __future__ import annotations

import pytest
import torch

torch.set_num_threads(1)

FLOATS = (torch.float32, torch.bfloat16, torch.float16)


@pytest.fixture(params=FLOATS, ids=lambda dtype: str(dtype).removeprefix("torch."))
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    """Each float type that weights come in."""
    chosen: torch.dtype = request.param
    return chosen
