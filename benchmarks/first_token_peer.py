"""The shortest transformers script to a first token: what `benchmarks.startup` compares with.

`python -m benchmarks.first_token_peer FOLDER TEXT` prints the id of the token.
"""

from __future__ import annotations

import sys
from typing import Any

import torch
from transformers import Lfm2ForCausalLM, PreTrainedTokenizerFast

_FROM_FILE: Any = PreTrainedTokenizerFast  # its constructor has no types


def main(folder: str, text: str) -> None:
    """Load, encode, choose."""
    tokenizer = _FROM_FILE(tokenizer_file=f"{folder}/tokenizer.json")
    model: Any = Lfm2ForCausalLM.from_pretrained(folder, dtype=torch.float32)
    with torch.inference_mode():
        logits = model(torch.tensor([tokenizer(text).input_ids]), logits_to_keep=1).logits
    print(int(logits[0, -1].argmax()), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
