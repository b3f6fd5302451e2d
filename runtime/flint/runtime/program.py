"""`flint::runtime`: a program's arguments, results and timers (host-functions.md 1)."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from flint.lang.errors import HostError
from flint.runtime import launch
from flint.runtime.context import RunContext, current
from flint.runtime.host import Refused, host, is_tensor, tolerant_host
from flint.runtime.numbers import parse_float, parse_int

if TYPE_CHECKING:
    from torch import Tensor

Number = TypeVar("Number", int, float)

# Not a `def`, since those are the host functions: how a generated module runs as a command.
run_main = launch.run_main


@host
def args() -> list[str]:
    """Return all script arguments."""
    return list(current().args)


@host
def arg(index: int) -> str:
    """Return script argument `index`, counted from 0; fails if there are fewer arguments."""
    return _argument(index)


@host
def arg_or(index: int, default: str) -> str:
    """Return script argument `index`, or `default` if there are fewer arguments."""
    return _argument(index) if _given(index) else default


@host
def arg_int(index: int) -> int:
    """Return script argument `index` as a signed 64-bit decimal int."""
    return _number(index, parse_int, "int")


@host
def arg_int_or(index: int, default: int) -> int:
    """Return script argument `index` as an int, or `default` if there are fewer arguments.

    An argument that is present but empty is no int and fails.
    """
    return _number(index, parse_int, "int") if _given(index) else default


@host
def arg_float_or(index: int, default: float) -> float:
    """Return script argument `index` as a float, or `default` if there are fewer arguments."""
    return _number(index, parse_float, "float") if _given(index) else default


@host
def input(index: int) -> Tensor:
    """Return the host-supplied tensor `index`, counted from 0."""
    _require_natural(index, "input")
    inputs = current().inputs
    if index >= len(inputs):
        raise Refused(f"no input {index}; the host supplies {len(inputs)}")
    return inputs[index]


@host
def set_output(tensor: Tensor) -> bool:
    """Make `tensor` the run's output; the last call wins."""
    current().output_tensor = tensor
    return True


@host
def set_text_output(text: str) -> bool:
    """Make `text` the run's published text; the last call wins."""
    current().text = text
    return True


@host
def fail(message: str) -> bool:
    """End the run with an error of the program's own. A function of ours."""
    raise HostError(f"flint::runtime::fail: {message}")


@tolerant_host
def compact2(first: Tensor | None, second: Tensor | None) -> int:
    """Return how many tensors stay: `first`, `second`, used weights, the inputs and the output.

    Tensors free themselves when the last reference goes, so there is nothing to drop here.
    Arguments that are no tensors are ignored.
    """
    run = current()
    others = filter(is_tensor, (*run.inputs, run.output_tensor, first, second))
    return len({*map(id, run.tensors.weights.values()), *map(id, others)})


@host
def start_timer() -> bool:
    """Start the generation timer anew; forget counts, decode timer and generated tokens."""
    run = current()
    run.tensors.start_generation()
    run.generation_start = time.perf_counter()
    run.generated_tokens = run.decode_start = run.decode_tokens = None
    return True


@host
def start_decode_timer() -> bool:
    """Start the decode timer anew and forget the decode count.

    A CUDA device is waited for: what it still has to do for the prompt is no decoding.
    """
    run = current()
    _wait_for_cuda(run)
    run.decode_start = time.perf_counter()
    run.decode_tokens = None
    return True


@host
def set_token_count(generated_tokens: int) -> bool:
    """Record how many tokens were generated since `start_timer`."""
    _require_natural(generated_tokens, "token count")
    current().generated_tokens = generated_tokens
    return True


@host
def set_decode_token_count(decode_tokens: int) -> bool:
    """Record how many tokens were decoded since `start_decode_timer`."""
    _require_natural(decode_tokens, "decode count")
    current().decode_tokens = decode_tokens
    return True


def _wait_for_cuda(run: RunContext) -> None:
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized() and run.session.device.type == "cuda":
        torch.cuda.synchronize(run.session.device)


def _require_natural(value: int, what: str) -> None:
    if value < 0:
        raise Refused(f"negative {what} {value}")


def _given(index: int) -> bool:
    _require_natural(index, "argument index")
    return index < len(current().args)


def _argument(index: int) -> str:
    if not _given(index):
        raise Refused(f"no script argument {index}; {len(current().args)} given")
    return current().args[index]


def _number(index: int, parse: Callable[[str], Number], kind: str) -> Number:
    try:
        return parse(_argument(index))
    except ValueError as error:
        raise Refused(f"script argument {index} cannot be read as {kind}: {error}") from None
