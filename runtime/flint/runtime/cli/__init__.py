"""`flint::cli`: the options that a script takes, with their types (host-functions.md 12)."""

from __future__ import annotations

from typing import Any

from flint.lang.errors import HostError
from flint.runtime.cli.parser import Parser as Parser
from flint.runtime.cli.parser import Reference as Reference
from flint.runtime.context import current
from flint.runtime.host import Refused, host


@host
def argument_parser() -> Parser:
    """Return a parser for the script's arguments, without options yet."""
    return Parser(next(current().option_handles))


@host
def set_description(parser: Parser, description: str) -> bool:
    """Set the text above the list of options in the help."""
    parser.description = description
    return True


@host
def refer(parser: Parser, initial: object) -> Reference:
    """Return a reference to a value that the arguments may set.

    `initial` is a string, int, float or bool; it gives the type, and the value unless another is
    given. Attach the reference with `add_option` or `add_argument`.
    """
    return parser.refer(next(current().option_handles), initial)


@host
def add_option(reference: Reference, names: list[str], action: str, help: str) -> Reference:
    """Make the reference an option with these names, such as `["-n", "--count"]`; return it.

    `action` is `Store` or `StoreOption` (alike: a value follows the name, or `=` after a name with
    two dashes), or `StoreTrue` or `StoreFalse` for a bool that needs no value.
    """
    if not names:
        raise Refused("no option names")
    reference.attach([_option_name(name) for name in names], action, help, positional=False)
    return reference


@host
def add_argument(reference: Reference, name: str, action: str, help: str) -> Reference:
    """Make the reference the next positional argument, called `name` in texts; return it.

    `action` is `Store` or `StoreOption`.
    """
    reference.attach([name], action, help, positional=True)
    return reference


@host
def required(reference: Reference) -> Reference:
    """Make it an error if the arguments do not give this value; return the reference."""
    reference.required = True
    return reference


@host
def metavar(reference: Reference, metavar: str) -> Reference:
    """Set what the help shows in place of a value, `VALUE` unless set; return the reference."""
    reference.metavar = metavar
    return reference


@host
def parse_args(parser: Parser) -> bool:
    """Set all references from the script's arguments, once.

    The last of repeated options counts; `--` ends the options. `-h` and `--help` end the run with
    the help text. Names are not abbreviated, and `-xy` is not `-x -y`.
    """
    help_text = parser.parse(current().args)
    if help_text is not None:
        raise HostError(help_text.rstrip("\n"))
    return True


@host
def get(reference: Reference) -> Any:
    """Return the value, of the type that `refer` was given, after `parse_args`."""
    if not reference.parser.parsed:
        raise Refused("not parsed yet; call parse_args first")
    return reference.value


def _option_name(name: object) -> str:
    if not isinstance(name, str):
        raise Refused("option name is not a string")
    if not name.startswith("-") or len(name) < 2:
        raise Refused(f"option name without leading dash, or nothing behind it: {name!r}")
    return name
