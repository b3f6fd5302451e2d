"""`python -m flint.debug SCRIPT.rss ARG…`: run a script for a debugger, which stops in the script.

The script and its modules are compiled with the positions and the names of the `.rss` files. Where
no debugger has started us, debugpy waits for one to attach.
"""

from __future__ import annotations

import os
import sys

import click

from flint.report import UserError

PORT = 5678  # debugpy's own habit, which editors propose


def wait_for_debugger(port: int = PORT) -> None:
    """Return when a debugger is attached; `UserError` if debugpy is missing or the port is taken.

    0 takes any free port. The address is told on stderr.
    """
    if is_debugged():
        return
    try:
        import debugpy
    except ImportError:
        reason = "debugpy is not installed: pip install debugpy"
        raise UserError(f"no debugger has started this program, and {reason}") from None
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    debugpy.configure(subProcess=False)  # chat templates run in a process with limits
    try:
        host, port = debugpy.listen(("127.0.0.1", port))
    except (RuntimeError, OSError) as error:
        advice = "choose another port with `python -m flint.debug --port`"
        raise UserError(f"debugpy cannot listen on port {port}: {error}; {advice}") from None
    print(f"waiting for a debugger to attach at {host}:{port}", file=sys.stderr, flush=True)
    debugpy.wait_for_client()


def is_debugged() -> bool:
    """Whether a debugger (debugpy, PyCharm's, pdb) follows this program."""
    if sys.gettrace() is not None:
        return True
    debugpy = sys.modules.get("debugpy")
    return debugpy is not None and debugpy.is_client_connected()


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--device", help="cpu, cuda, cuda:N, mps or vulkan (programs that use torch).")
@click.option("--host", "hosts", multiple=True, metavar="MODULE", help="As for `flintc run`.")
@click.option("--port", default=PORT, show_default=True, help="Where to wait for a debugger.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=str))
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def _command(
    file: str, args: tuple[str, ...], device: str | None, hosts: tuple[str, ...], port: int
) -> None:
    """Run a script under a debugger, with breakpoints and steps in the script itself."""
    from flintc.cli import running

    raise SystemExit(running.run(file, args, device, hosts, debug_port=port))


if __name__ == "__main__":
    _command.main(prog_name="python -m flint.debug", windows_expand_args=False)
