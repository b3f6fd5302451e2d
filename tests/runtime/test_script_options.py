"""`flint::cli` and the library module `cli`: the rules of host-functions.md 12, one by one.

What is refused, and why, is in tests/torch/cases_cli.py.
"""

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
        (["--loud", "--no-frame", "--safe", "true", "-p", "a", "x"], "a|4|3|yes|no|yes|x|1"),
        # the last of repeated options counts
        (["-p", "a", "--prompt", "b", "--steps=1", "-n", "2", "x"], "b|2|3|no|yes|no|x|1"),
        (["-p", "a", "--", "-5", "8"], "a|4|3|no|yes|no|-5|8"),
    ],
)
def test_words(words: list[str], expected: str) -> None:
    assert text(declared(), words) == expected


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
