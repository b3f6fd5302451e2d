"""What a run of a program gives back, and how the command line prints it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flint.text_stream import TextStream


@dataclass(frozen=True, slots=True)
class ScriptTextOutput:
    """The published text of a run and its measurements (cli-and-embedding.md 4).

    Times are seconds, measured at the end of the run; what the program did not set is None.
    """

    text: str = ""
    generated_tokens: int | None = None
    elapsed: float | None = None
    decode_tokens: int | None = None
    decode_elapsed: float | None = None


def _rate(count: int | None, seconds: float | None) -> float | None:
    return count / seconds if count and seconds and count > 0 and seconds > 0 else None


def throughput_lines(output: ScriptTextOutput) -> Iterator[str]:
    """The `tokens/s` lines of a run, without line ends (cli-and-embedding.md 1.4)."""
    total = _rate(output.generated_tokens, output.elapsed)
    if total is not None:
        measured_decode = output.decode_tokens is not None and output.decode_elapsed is not None
        yield f"{'tokens/s total' if measured_decode else 'tokens/s'}: {total:.2f}"
    decode = _rate(output.decode_tokens, output.decode_elapsed)
    if decode is not None:
        yield f"tokens/s decode: {decode:.2f}"


def printed(output: ScriptTextOutput, stream: TextStream | None = None) -> str:
    """What the command line writes to stdout after a successful run, beside what streamed."""
    text = (stream or TextStream()).rest(output.text)
    return text + "".join(f"{line}\n" for line in throughput_lines(output))
