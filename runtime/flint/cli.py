"""The `flint` command: run a script with llama.cpp, stable-diffusion.cpp or torch, or run LaMa."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import click

from flint.compiler import CompileError, compile_script_file
from flint.lama import LamaRustScript
from flint.output import ScriptTextOutput
from flint.program import Program
from flint.report import UserError
from flint.runner import ScriptRunner, TorchScriptRunner
from flint.runtime.context import OnText
from flint.runtime.launch import STREAM, run_command
from flint.text_stream import TextStream

_LAMA_OPTIONS = ("weights", "image", "mask", "output")


@dataclass(frozen=True, slots=True)
class Invocation:
    """A parsed command line: options that were not given are None."""

    device: str | None
    script: str | None
    weights: str | None
    image: str | None
    mask: str | None
    output: str | None
    hosts: tuple[str, ...]
    args: tuple[str, ...]
    stream: TextStream | None

    @property
    def on_text(self) -> OnText | None:
        return None if self.stream is None else self.stream.write


class _Command(click.Command):
    """Says of an unknown option how a script gets it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = list(args)  # click takes them out of the list
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if not any(word.startswith("--script") for word in words):
                raise
            text = f"{error.format_message()} (Options of the script come after --.)"
            raise click.UsageError(text, ctx) from None


@click.command(
    cls=_Command,
    # From the first positional on, every word belongs to the script.
    context_settings={"allow_interspersed_args": False, "help_option_names": ["-h", "--help"]},
    epilog="Options come before the first ARG; everything from there on goes to the script. "
    "`flint convert MODEL.gguf OUT_DIR` makes safetensors of a GGUF model.",
)
@click.option("--llm", is_flag=True, help="Run a script with torch.")
@click.option("--llama", is_flag=True, help="Run a script with llama.cpp, without torch.")
@click.option("--lama", is_flag=True, help="Fill the masked part of an image (LaMa).")
@click.option("--sd", is_flag=True, help="Run a script with stable-diffusion.cpp, without torch.")
@click.option("--device", metavar="DEVICE", help="cpu, cuda, cuda:N, mps or vulkan; with torch.")
@click.option("--script", metavar="FILE", help="The RustScript program to run.")
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="MODULE",
    help="A Python module whose annotated functions the script may call; repeatable.",
)
@click.option(STREAM, "streams", is_flag=True, help="Print text as it is generated.")
@click.option("--weights", metavar="FILE", help="LaMa: the model's safetensors.")
@click.option("--image", metavar="FILE", help="LaMa: the image to fill.")
@click.option("--mask", metavar="FILE", help="LaMa: white where the image is to be filled.")
@click.option("--output", metavar="FILE", help="LaMa: where the result is written.")
@click.argument("args", nargs=-1, metavar="[ARG]...", type=click.UNPROCESSED)
def _command(
    llm: bool,
    llama: bool,
    lama: bool,
    sd: bool,
    args: tuple[str, ...],
    hosts: tuple[str, ...],
    streams: bool,
    **options: str | None,
) -> None:
    """Run a RustScript program, or fill in an image.

    Choose one mode: --llm, --llama, --lama or --sd.
    """
    chosen = {"--llm": llm, "--llama": llama, "--lama": lama, "--sd": sd}
    modes = [mode for mode, given in chosen.items() if given]
    if len(modes) > 1:
        raise click.UsageError(f"{modes[0]} cannot be used with {modes[1]}.")
    stream = TextStream() if streams else None
    invocation = Invocation(args=args, hosts=hosts, stream=stream, **options)
    sys.exit(run_command(lambda: _run_mode(modes, invocation), stream))


def main() -> None:
    """Entry point of the `flint` command."""
    if sys.argv[1:2] == ["convert"]:
        from flint.convert.command import command

        command.main(sys.argv[2:], prog_name="flint convert", windows_expand_args=False)
    _command.main(prog_name="flint", windows_expand_args=False)


def _run_mode(modes: list[str], invocation: Invocation) -> ScriptTextOutput | None:
    if not modes:
        raise UserError("choose one of the modes --llm, --llama, --lama, --sd")
    return _MODES[modes[0]](invocation)


def _run_native(invocation: Invocation) -> ScriptTextOutput:
    program = _compiled(invocation)
    return ScriptRunner().run_text(program, invocation.args, on_text=invocation.on_text)


def _run_llm(invocation: Invocation) -> ScriptTextOutput:
    runner = TorchScriptRunner(invocation.device)
    program = _compiled(invocation)
    return runner.run_text(program, invocation.args, on_text=invocation.on_text)


def _compiled(invocation: Invocation) -> Program:
    path = _required(invocation.script, "script")
    try:
        return compile_script_file(path, host=_found_from_here(invocation.hosts)).program
    except CompileError as error:
        print(error.diagnostics, file=sys.stderr)
        raise


def _run_lama(invocation: Invocation) -> None:
    lama = LamaRustScript(invocation.device)
    paths = [_required(getattr(invocation, option), option) for option in _LAMA_OPTIONS]
    from flint.lama.files import fill_file

    fill_file(lama, *paths)


_MODES: dict[str, Callable[[Invocation], ScriptTextOutput | None]] = {
    "--llm": _run_llm,
    "--llama": _run_native,
    "--lama": _run_lama,
    "--sd": _run_native,
}


def _found_from_here(hosts: tuple[str, ...]) -> tuple[str, ...]:
    """The modules themselves, once those of the current folder can be found."""
    if hosts:
        from flintc.host_modules import look_here

        look_here(hosts)
    return hosts


def _required(value: str | None, option: str) -> str:
    if value is None:
        raise UserError(f"--{option} is missing")
    return value
