"""What a debugger sees in a stopped frame of generated code: tensors, not numbers of handles."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch

import flint
from flint.runtime.pair import Pair
from generated import lfm2
from generated.layers import lfm2 as decoder
from tests.torch import lfm2_model

Trace = Callable[[FrameType, str, object], Any]


class Debugger:
    """Stops at the return of functions of a file and notes their variables, once for each."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.seen: dict[str, dict[str, object]] = {}

    def __call__(self, frame: FrameType, event: str, _: object) -> Trace | None:
        code = frame.f_code
        if code.co_filename != self.file or code.co_name in self.seen:
            return None
        if event == "return":
            self.seen[code.co_name] = dict(frame.f_locals)
        return self


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    """The variables of the functions of generated/layers/lfm2.py, for a model of width 64."""
    folder = tmp_path_factory.mktemp("model")
    lfm2_model.save(folder)
    words = [str(folder), str(folder / "tokenizer.json"), "", "Hi", "2"]
    debugger, before = Debugger(decoder.__file__), sys.gettrace()
    sys.settrace(debugger)
    try:
        flint.TorchScriptRunner("cpu").run_text(lfm2, words)
    finally:
        sys.settrace(before)
    return debugger.seen


def prompt_length() -> int:
    text = (
        "<|startoftext|><|im_start|>system\n<|im_end|>\n"
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    )
    return len(lfm2_model.tiny_tokenizer().encode(text, add_special_tokens=False).ids)


def test_variables_that_hold_handles_are_tensors(
    stopped: dict[str, dict[str, object]],
) -> None:
    """4 query heads on 2 key heads of 16 each, so q, k and v take 64 + 32 + 32 columns."""
    length = prompt_length()
    shapes = {
        "hidden": (1, length, 64),
        "cos": (1, 1, length, 16),
        "qkv_weight": (128, 64),
        "qkv": (1, length, 128),
        "query": (1, length, 4, 16),
        "key": (1, length, 2, 16),
        "value": (1, length, 2, 16),
        "keys": (1, 2, length, 16),
        "mixed": (1, 4, length, 16),
        "by_position": (1, length, 4, 16),
    }
    variables = stopped["attention"]
    for name, shape in shapes.items():
        tensor = variables[name]
        assert type(tensor) is torch.Tensor, name
        assert tuple(tensor.shape) == shape, name
        assert tensor.dtype == torch.float32
    assert type(variables["rotated"]) is Pair
    assert type(variables["rotated"].local) is torch.Tensor
    assert variables["length"] == length


def test_every_annotated_tensor_is_one(stopped: dict[str, dict[str, object]]) -> None:
    """In all functions: what the generated text calls a Tensor is a torch.Tensor."""
    source = Path(decoder.__file__).read_text(encoding="utf-8")

    checked = 0
    for function in ast.parse(source).body:
        if isinstance(function, ast.FunctionDef):
            for name in _declared_tensors(function) & stopped.get(function.name, {}).keys():
                assert type(stopped[function.name][name]) is torch.Tensor, (function.name, name)
                checked += 1
    assert checked > 50


def _declared_tensors(function: Any) -> set[str]:

    arguments = [(item.arg, item.annotation) for item in function.args.args]
    variables = [
        (node.target.id, node.annotation)
        for node in ast.walk(function)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
    return {
        name
        for name, annotation in [*arguments, *variables]
        if isinstance(annotation, ast.Name) and annotation.id == "Tensor"
    }
