"""The `flintc` command. Heavy imports happen inside the commands, so that `--help` is instant."""

from __future__ import annotations

import io
import os
import sys
from functools import partial

import click

from flintc import __version__
from flintc.cli.output import FormatChoice

_PATH = click.Path(dir_okay=False, path_type=str)
_PASS_THROUGH = {"ignore_unknown_options": True, "allow_interspersed_args": False}

format_option = click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "github", "sarif"]),
    default="text",
    show_default=True,
    help="How to print problems.",
)

host_option = click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="MODULE",
    help="A Python module whose annotated functions scripts may call; repeatable.",
)

_output_option = partial(
    click.option,
    "-o",
    "--output",
    default="generated",
    show_default=True,
    type=click.Path(file_okay=False, path_type=str),
)


class _Commands(click.Group):
    """Commands whose own defects end in one line, not in a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:
            raise SystemExit(_report_fault(error)) from error


def _report_fault(error: Exception) -> int:
    """Say what went wrong in flintc itself; the exit code."""
    if os.environ.get("FLINT_TRACEBACK") == "full":
        import traceback

        traceback.print_exception(error)
    from flintc.locate import FlintNotFound

    if isinstance(error, (FlintNotFound, OSError)):
        print(f"error: {_reason(error)}", file=sys.stderr)
    else:
        print(f"internal error: {type(error).__name__}: {error}", file=sys.stderr)
        print("This is a defect of flintc. FLINT_TRACEBACK=full shows where.", file=sys.stderr)
    return 1


def _reason(error: Exception) -> str:
    if isinstance(error, FileNotFoundError) and error.filename is None:
        return "the current folder no longer exists"  # only asking for it fails like this
    return str(error)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="flintc", message="%(prog)s %(version)s")
def main() -> None:
    """Compile RustScript programs to readable Python."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # it was closed before the start
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        if isinstance(stream, io.TextIOWrapper):  # print what a terminal lacks as an escape
            stream.reconfigure(errors="backslashreplace")


watch_option = click.option(
    "--watch", "watches", is_flag=True, help="Again after every change of a script beside it."
)


@main.command()
@click.argument("files", nargs=-1, required=True, type=_PATH)
@watch_option
@_output_option(help="The package folder for the Python modules.")
@click.option("--native", is_flag=True, help="Compile the Python modules to C too (needs mypyc).")
@host_option
@format_option
def build(
    files: tuple[str, ...],
    output: str,
    native: bool,
    hosts: tuple[str, ...],
    style: FormatChoice,
    watches: bool,
) -> None:
    """Write each script as a Python module. Unchanged scripts are left alone."""
    from flintc.cli import building

    if watches:
        from flintc.cli import watching

        once = partial(building.build, files, output, style, hosts, native=native)
        raise SystemExit(watching.watch(files, once))
    raise SystemExit(building.build(files, output, style, hosts, native=native))


@main.command()
@click.argument("files", nargs=-1, required=True, type=_PATH)
@host_option
@format_option
def check(files: tuple[str, ...], hosts: tuple[str, ...], style: FormatChoice) -> None:
    """Report the problems of scripts without writing anything."""
    from flintc.cli import running

    raise SystemExit(running.check(files, style, hosts))


@main.command(context_settings=_PASS_THROUGH)
@click.option("--debug", is_flag=True, help="Wait for a debugger; it stops in the script itself.")
@click.option("--device", help="cpu, cuda, cuda:N, mps or vulkan (programs that use torch).")
@watch_option
@host_option
@click.argument("file", type=_PATH)
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def run(
    file: str,
    args: tuple[str, ...],
    device: str | None,
    hosts: tuple[str, ...],
    debug: bool,
    watches: bool,
) -> None:
    """Compile a script in memory and run it; ARGS are the script's arguments."""
    if watches:
        from flintc.cli import watching

        options = [*(["--device", device] if device else []), *(["--debug"] if debug else [])]
        options += [word for host in hosts for word in ("--host", host)]
        raise SystemExit(watching.watch_run(file, [*options, file, *args]))
    from flintc.cli import running

    raise SystemExit(running.run(file, args, device, hosts, debug_port=5678 if debug else None))


@main.command(name="exec")
@click.argument("file", type=_PATH)
@click.option("--json", "as_json", is_flag=True, required=True, help="Print one JSON object.")
@host_option
def exec_(file: str, as_json: bool, hosts: tuple[str, ...]) -> None:
    """Run a script and print its outcome as data: status, output, result stack, error."""
    from flintc.cli import running

    raise SystemExit(running.execute(file, hosts))


@main.command()
@click.argument("files", nargs=-1, required=True, type=_PATH)
@click.option(
    "--check", "only_check", is_flag=True, help="Write nothing; 1 if a file would change."
)
def fmt(files: tuple[str, ...], only_check: bool) -> None:
    """Format scripts in place: only white space changes."""
    from flintc.cli import formatting

    raise SystemExit(formatting.format_files(files, only_check))


@main.command(name="map")
@click.argument("places", nargs=-1, required=True, metavar="FILE:LINE[:COLUMN]...")
@_output_option(help="Where to look for the modules of a script.")
def map_(places: tuple[str, ...], output: str) -> None:
    """Show where a line of a generated module comes from, or what became of a script's line."""
    from flintc.cli import mapping

    raise SystemExit(mapping.show([mapping.place(text) for text in places], output))


@main.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Explain a problem CODE with an example, or list all codes."""
    from flintc.cli import explaining

    explaining.show(code)


@main.command()
@click.option("--stdio", is_flag=True, hidden=True, help="What editors say; there is nothing else.")
@host_option
def lsp(hosts: tuple[str, ...], stdio: bool) -> None:
    """Serve an editor: the Language Server Protocol on standard input and output."""
    from flintc.cli import serving

    raise SystemExit(serving.serve(hosts))
