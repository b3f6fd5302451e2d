"""One thread for torch: the models are small, and test processes run side by side."""

from __future__ import annotations

import torch

torch.set_num_threads(1)
