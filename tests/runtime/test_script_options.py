"""`flint::cli` and the library module `cli`: the rules of host-functions.md 12, one by one."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

import flint
from tests.runtime.support import ROOT, python

DECLARED = """
use flint;
use stdlib::rss::cli as cli;

let parser: int = flint::cli::argument_parser();
flint::cli::set_description(parser, "Draws a picture.");
let prompt = cli::required_option::<string>(parser, "", ["-p", "--prompt"], "Store", "subject");
let steps = cli::option::<int>(parser, 4, ["--steps", "-n"], "StoreOption", "");
let scale = cli::option::<float>(parser, 1.5, ["--scale"], "Store", "");
let loud = cli::option::<bool>(parser, false, ["--loud"], "StoreTrue", "in capitals");
let plain = cli::option::<bool>(parser, true, ["--no-frame"], "StoreFalse", "");
let safe = cli::option::<bool>(parser, false, ["--safe"], "Store", "");
let source = flint::cli::add_argument(flint::cli::refer(parser, "none"), "source", "Store", "");
let copies = flint::cli::add_argument(flint::cli::refer(parser, 1), "copies", "StoreOption", "");
flint::cli::metavar(scale, "FACTOR");
flint::cli::required(source);
flint::cli::parse_args(parser);

fn word(flag: bool) -> string {
    if flag => { "yes" } else => { "no" }
}

let shown: string = cli::get::<string>(prompt) + "|" + cli::get::<int>(steps)
    + "|" + cli::get::<float>(scale) * 2.0 + "|" + word(cli::get::<bool>(loud))
    + "|" + word(cli::get::<bool>(plain)) + "|" + word(cli::get::<bool>(safe))
    + "|" + cli::get::<string>(source) + "|" + cli::get::<int>(copies);
flint::runtime::set_text_output(shown);
"""

HELP = (
    "Draws a picture.\n\nOptions:\n"
    "  -h, --help\tshow this text\n"
    "  -p, --prompt VALUE (required)\tsubject\n"
    "  --steps, -n VALUE\n"
    "  --scale FACTOR\n"
    "  --loud\tin capitals\n"
    "  --no-frame\n"
    "  --safe VALUE\n"
    "  source VALUE (required)\n"
    "  copies VALUE"
)


@cache
def declared() -> flint.Program:
    return flint.compile_source(DECLARED).program


def text(program: flint.Program, words: list[str]) -> str:
    return flint.ScriptRunner().run_text(program, words).text


def refused(program: flint.Program, words: list[str]) -> str:
    with pytest.raises(flint.HostError) as caught:
        text(program, words)
    return caught.value.message


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-p", "a cat", "in.png"], "a cat|4|3|no|yes|no|in.png|1"),
        (["in.png", "--prompt", "a", "7"], "a|4|3|no|yes|no|in.png|7"),
        (["--prompt=a=b", "-n", "-3", "x"], "a=b|-3|3|no|yes|no|x|1"),
        # the next word is the value, whatever it looks like
        (["-p", "--loud", "x"], "--loud|4|3|no|yes|no|x|1"),
        (["-p", "--", "x"], "--|4|3|no|yes|no|x|1"),
        (["-p", "", "--scale", ".5e1", ""], "|4|10|no|yes|no||1"),
        (["-p=a"], "unknown option -p=a"),
        (["--loud", "--no-frame", "--safe", "true", "-p", "a", "x"], "a|4|3|yes|no|yes|x|1"),
        # the last of repeated options counts
        (["-p", "a", "--prompt", "b", "--steps=1", "-n", "2", "x"], "b|2|3|no|yes|no|x|1"),
        (["-p", "a", "--", "-5", "8"], "a|4|3|no|yes|no|-5|8"),
        (["-p", "a", "x", "--", "--"], "'--' is not an int: '--' is not a number"),
        (["--prompt="], "required source not given"),
        (["x"], "required -p not given"),
        (["x", "1", "2"], "surplus positional '2'"),
        (["-5"], "unknown option -5"),
        (["-"], "unknown option -"),
        (["--prom", "a"], "unknown option --prom"),
        (["-np"], "unknown option -np"),
        (["--nothing=1"], "unknown option --nothing"),
        (["-p"], "option -p needs a value"),
        (["--loud=true"], "option --loud takes no value"),
        (["-n", "2.5"], "'2.5' is not an int: '2.5' is not a number"),
        (["-n", ""], "'' is not an int: it is empty"),
        (["-n", str(2**63)], f"'{2**63}' is not an int: too large for 64 bits"),
        (["--scale", "1_0"], "'1_0' is not a float: '1_0' is not a number"),
        (["--safe", "True"], "'True' is not a bool: it has to be true or false"),
    ],
)
def test_words(words: list[str], expected: str) -> None:
    if expected.count("|") == 7:
        assert text(declared(), words) == expected
    else:
        assert refused(declared(), words) == f"flint::cli::parse_args: {expected}"


@pytest.mark.parametrize("words", [["-h"], ["x", "--help", "--nonsense"]])
def test_help(words: list[str]) -> None:
    assert refused(declared(), words) == HELP


def test_help_without_description() -> None:
    source = (
        "use flint; let p: int = flint::cli::argument_parser(); let r = flint::cli::refer(p, 1);"
        'flint::cli::add_option(r, ["-n"], "Store", "how many"); flint::cli::parse_args(p);'
    )
    expected = "Options:\n  -h, --help\tshow this text\n  -n VALUE\thow many"
    assert refused(flint.compile_source(source).program, ["-h"]) == expected


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (
            "flint::cli::refer(p, [1]);",
            "refer: reference type has to be string, int, float or bool",
        ),
        ("flint::cli::refer(p, null);", "refer: reference type has to be string, int,"),
        ('flint::cli::add_option(r, [], "Store", "");', "add_option: no option names"),
        ('flint::cli::add_option(r, ["n"], "Store", "");', "option name without leading dash"),
        ('flint::cli::add_option(r, ["-"], "Store", "");', "option name without leading dash"),
        ('flint::cli::add_option(r, ["-a", ""], "Store", "");', "option name without leading dash"),
        (
            'flint::cli::add_option(r, ["-n"], "store", "");',
            "no action 'store'; the four are Store, StoreOption, StoreTrue, StoreFalse",
        ),
        (
            'flint::cli::add_option(r, ["-n"], "StoreTrue", "");',
            "flag action StoreTrue needs a bool reference",
        ),
        (
            'flint::cli::add_argument(flint::cli::refer(p, true), "x", "StoreTrue", "");',
            "positional needs a value action",
        ),
        ("flint::cli::parse_args(p);", "parse_args: reference 2 was never attached"),
        (
            'flint::cli::add_option(r, ["-n", "-m", "-n"], "Store", "");flint::cli::parse_args(p);',
            "option -n defined twice",
        ),
        (
            'flint::cli::add_option(r, ["-n"], "Store", "");'
            "flint::cli::parse_args(p);flint::cli::parse_args(p);",
            "already parsed",
        ),
        ("flint::cli::get(r);", "get: not parsed yet"),
        ("flint::cli::parse_args(r);", "a Reference is no parser"),
        ("flint::cli::required(p);", "a Parser is no reference"),
        ("flint::cli::parse_args(7);", "no parser with handle 7"),
        ("flint::cli::get(0);", "no reference with handle 0"),
    ],
)
def test_misuse(statements: str, message: str) -> None:
    source = (
        "use flint; let p: int = flint::cli::argument_parser();"
        f"let r: int = flint::cli::refer(p, 1); {statements}"
    )
    assert message in refused(flint.compile_source(source).program, [])


def test_names_of_another_type() -> None:
    from flint.runtime import cli
    from flint.runtime.context import run

    untyped: object = ["-n", 3]

    def main() -> None:
        reference = cli.refer(cli.argument_parser(), 1)
        cli.add_option(reference, untyped, "Store", "")  # type: ignore[arg-type]

    with pytest.raises(flint.HostError, match="option name is not a string"):
        run(main)


def test_the_original_names_the_first_name_of_what_is_missing() -> None:
    assert "-p" in refused(declared(), ["in.png"])


def test_runs_are_independent_and_number_from_1() -> None:
    runner = flint.ScriptRunner()
    words = ["-p", "a", "x"]
    assert [runner.run_text(declared(), words).text for _ in range(2)] == [
        "a|4|3|no|yes|no|x|1",
        "a|4|3|no|yes|no|x|1",
    ]


def test_all_arguments() -> None:
    source = (
        "use flint; let words = flint::runtime::args();"
        'flint::runtime::set_text_output("" + words.length + words[1]);'
    )
    assert text(flint.compile_source(source).program, ["--x", "ä", ""]) == "3ä"


def test_through_both_commands(tmp_path: Path) -> None:
    """On the command line of `flint` options of the script come after `--`."""
    script = str(tmp_path / "draw.rss")
    Path(script).write_text(DECLARED)
    built = python("-m", "flintc", "build", script, "-o", str(tmp_path / "out"))
    assert built.returncode == 0, built.stderr
    words = ["--prompt", "a cat", "in.png"]
    by_flint = python("-m", "flint", "--llama", "--script", script, "--", *words)
    path = os.pathsep.join([str(tmp_path), str(ROOT / "runtime")])
    by_module = python("-m", "out.draw", *words, PYTHONPATH=path)
    for done in (by_flint, by_module):
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == "a cat|4|3|no|yes|no|in.png|1\n"
