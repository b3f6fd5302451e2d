"""Errors of `flint::cli` (host-functions.md 12); how words are read is in test_script_options."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from flint.runtime import cli
from tests.torch.case import Case, Exempt, Refusal, World


def refer(initial: object = 1) -> cli.Reference:
    return cli.refer(cli.argument_parser(), initial)


def attached(*rest: Any, initial: object = 1) -> Callable[[Path], tuple[Any, ...]]:
    """A new reference and the other arguments."""
    return lambda _: (refer(initial), *rest)


def initial(value: object) -> Callable[[Path], tuple[Any, ...]]:
    """A new parser and the value."""
    return lambda _: (cli.argument_parser(), value)


def declared(*, required: bool = False) -> cli.Parser:
    """A parser with an option of each type, a flag and a positional argument."""
    parser = cli.argument_parser()

    def option(initial: object, name: str, action: str) -> cli.Reference:
        return cli.add_option(cli.refer(parser, initial), [name], action, "")

    name = cli.add_option(cli.refer(parser, ""), ["-p", "--prompt"], "Store", "subject")
    option(4, "--steps", "StoreOption")
    option(1.5, "--scale", "Store")
    option(False, "--loud", "StoreTrue")
    option(False, "--safe", "Store")
    source = cli.add_argument(cli.refer(parser, 0), "source", "Store", "")
    if required:
        cli.required(name)
        cli.required(source)
    return parser


def words(error: str, *cases: tuple[tuple[str, ...], str], required: bool = False) -> Iterator[Any]:
    """Words of the command line that a parser refuses, each with what is said."""
    for given, says in cases:
        yield Refusal(
            "cli::parse_args",
            error,
            lambda _: (declared(required=required),),
            f"flint::cli::parse_args: {says}",
            World(args=given),
        )


def unattached(_: Path) -> tuple[cli.Parser]:
    parser = cli.argument_parser()
    cli.refer(parser, 1)
    return (parser,)


def twice(*names: str) -> Callable[[Path], tuple[cli.Parser]]:
    """A parser whose two options have some of these names."""

    def make(_: Path) -> tuple[cli.Parser]:
        parser = cli.argument_parser()
        cli.add_option(cli.refer(parser, 1), list(names), "Store", "")
        cli.add_option(cli.refer(parser, 2), ["-n"], "Store", "")
        return (parser,)

    return make


def parsed(_: Path) -> tuple[cli.Parser]:
    parser = declared()
    cli.parse_args(parser)
    return (parser,)


TYPES = "reference type has to be string, int, float or bool"
DASH = "option name without leading dash"
ACTIONS = "no action 'store'; the four are Store, StoreOption, StoreTrue, StoreFalse"
BOOL = "flag action {} needs a bool reference"
LARGE = str(2**63)
NO_VALUES: list[object] = [[1], None, {}]

CASES: list[Case] = []
REFUSALS: list[Refusal] = [
    *(Refusal("cli::refer", "type", initial(value), TYPES) for value in NO_VALUES),
    Refusal("cli::add_option", "no names", attached([], "Store", ""), "no option names"),
    Refusal("cli::add_option", "no string", attached(["-n", 3], "Store", ""), "is not a string"),
    Refusal("cli::add_option", "no dash", attached(["n"], "Store", ""), f"{DASH}, or nothing"),
    Refusal("cli::add_option", "no dash", attached(["-"], "Store", ""), DASH),
    Refusal("cli::add_option", "no dash", attached(["-a", ""], "Store", ""), DASH),
    Refusal("cli::add_option", "action", attached(["-n"], "store", ""), ACTIONS),
    Refusal("cli::add_option", "flag", attached(["-n"], "StoreTrue", ""), BOOL.format("StoreTrue")),
    Refusal(
        "cli::add_option",
        "flag",
        attached(["-n"], "StoreFalse", "", initial="false"),
        BOOL.format("StoreFalse"),
    ),
    Refusal("cli::add_argument", "action", attached("x", "store", ""), ACTIONS),
    Refusal(
        "cli::add_argument",
        "flag",
        attached("x", "StoreTrue", "", initial=True),
        "positional needs a value action",
    ),
    Refusal("cli::parse_args", "not attached", unattached, "reference 2 was never attached"),
    Refusal("cli::parse_args", "twice", twice("-m", "-n"), "option -n defined twice"),
    Refusal("cli::parse_args", "twice", twice("-m", "--m", "-m"), "option -m defined twice"),
    Refusal("cli::parse_args", "parsed", parsed, "already parsed"),
    *words(
        "unknown",
        (("-5",), "unknown option -5"),
        (("-",), "unknown option -"),
        (("-p=a",), "unknown option -p=a"),
        (("--prom", "a"), "unknown option --prom"),
        (("-np",), "unknown option -np"),
        (("--nothing=1",), "unknown option --nothing"),
    ),
    *words("no value", (("-p",), "option -p needs a value")),
    *words("a value", (("--loud=true",), "option --loud takes no value")),
    *words("surplus", (("1", "2", "3"), "surplus positional '2'")),
    *words(
        "no int",
        (("--steps", "2.5"), "'2.5' is not an int: '2.5' is not a number"),
        (("--steps", ""), "'' is not an int: it is empty"),
        (("--steps", LARGE), f"'{LARGE}' is not an int: too large for 64 bits"),
        (("--", "--"), "'--' is not an int: '--' is not a number"),
    ),
    *words("no float", (("--scale", "1_0"), "'1_0' is not a float: '1_0' is not a number")),
    *words("no bool", (("--safe", "True"), "'True' is not a bool: it has to be true or false")),
    *words(
        "required",
        (("1",), "required -p not given"),
        (("--prompt=",), "required source not given"),
        required=True,
    ),
    Refusal("cli::get", "not parsed", attached(), "not parsed yet"),
]
EXEMPT = Exempt()
