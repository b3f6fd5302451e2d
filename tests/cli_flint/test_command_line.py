"""The `flint` command: modes, the words that belong to the script, exit codes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.runtime.support import python

ECHO = """
use flint;
let count = flint::runtime::arg_int(0);
let mut text = "";
for i in 1..count + 1 {
    text = text + "[" + flint::runtime::arg(i) + "]";
}
flint::runtime::set_text_output(text);
"""


def flint(*arguments: str) -> subprocess.CompletedProcess[str]:
    return python("-m", "flint", *arguments)


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A script that prints as many of its arguments as its first one says."""
    script = tmp_path_factory.mktemp("scripts") / "echo.rss"
    script.write_text(ECHO)
    return str(script)


def failure(*arguments: str) -> tuple[int, str]:
    """Exit code and last line of stderr of a command that prints nothing."""
    result = flint(*arguments)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.returncode, result.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 1, "Error: choose one of the modes --llm, --llama, --lama, --sd"),
        (["a", "--llama"], 1, "Error: choose one of the modes --llm, --llama, --lama, --sd"),
        (["--llm", "--llama"], 2, "Error: --llm cannot be used with --llama."),
        (["--sd", "--lama"], 2, "Error: --lama cannot be used with --sd."),
        (["--llama"], 1, "Error: --script is missing"),
        (["--sd", "word"], 1, "Error: --script is missing"),
        (["--llm"], 1, "Error: --script is missing"),
        (["--lama"], 1, "Error: --weights is missing"),
        (["--lama", "--weights=w", "--mask=m"], 1, "Error: --image is missing"),
        (["--lama", "--image", "i", "--weights", "w"], 1, "Error: --mask is missing"),
        (["--lama", "--image=i", "--weights=w", "--mask=m"], 1, "Error: --output is missing"),
        (["--version"], 2, "Error: No such option '--version'."),
        (["--llama", "--script"], 2, "Error: Option '--script' requires an argument."),
        (["--llama=1"], 2, "Error: Option '--llama' does not take a value."),
    ],
)
def test_refused_command_lines(arguments: list[str], code: int, message: str) -> None:
    assert failure(*arguments) == (code, message)


def test_lama_takes_surplus_words() -> None:
    code, message = failure("--lama", "--weights=w", "--image=i", "--mask=m", "--output=o.png", "a")
    assert code == 1
    assert message == "Error: cannot read image i: No such file or directory"


def test_help() -> None:
    for option in ("-h", "--help"):
        result = flint(option)
        assert (result.returncode, result.stderr) == (0, "")
        for word in ("--llm", "--llama", "--lama", "--sd", "--device", "--script", "--weights"):
            assert word in result.stdout
    assert "--version" not in flint("--help").stdout


@pytest.mark.parametrize(
    ("before", "words", "text"),
    [
        (["--llama"], ["2", "a", "b"], "[a][b]"),
        (["--sd"], ["1", ""], "[]"),
        (["--llama", "--device", "cuda:0"], ["1", "a"], "[a]"),
        (["--device=nonsense", "--weights=w", "--output=o", "--llama"], ["1", "a"], "[a]"),
        # From the first positional on, the program's own options are the script's words.
        (["--llama"], ["3", "--device", "cpu", "--llm"], "[--device][cpu][--llm]"),
        (["--llama"], ["2", "-h", "--help"], "[-h][--help]"),
        (["--llama"], ["3", "--", "-x", "*"], "[--][-x][*]"),
        (["--llama", "--"], ["1", "-5"], "[-5]"),
        (["--llama"], ["1", "ä €\n😀"], "[ä €\n😀]"),
    ],
)
def test_words_of_the_script(echo: str, before: list[str], words: list[str], text: str) -> None:
    for script in (["--script", echo], [f"--script={echo}"]):
        end = ["--"] if before[-1] == "--" else []
        result = flint(*before[: len(before) - len(end)], *script, *end, *words)
        assert (result.returncode, result.stdout, result.stderr) == (0, f"{text}\n", "")


def test_first_positional_with_a_dash_needs_two_dashes(echo: str) -> None:
    message = "Error: No such option '-5'. (Options of the script come after --.)"
    assert failure("--llama", "--script", echo, "-5") == (2, message)


def test_option_values_may_start_with_a_dash_after_an_equals_sign() -> None:
    code, _ = failure("--llama", "--script=-missing.rss")
    assert code == 1


def test_script_error(echo: str) -> None:
    code, message = failure("--llama", "--script", echo, "two")
    assert code == 1
    assert message == (
        "Error: host error: flint::runtime::arg_int: "
        "script argument 0 cannot be read as int: 'two' is not a number"
    )


def test_unreadable_script(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.rss")
    assert flint("--llama", "--script", missing).stderr == (
        f"Error: cannot read {missing}\n\nCaused by:\n"
        f"    [Errno 2] No such file or directory: '{missing}'\n"
    )
    assert flint("--llama", "--script", str(tmp_path)).returncode == 1
    binary = tmp_path / "binary.rss"
    binary.write_bytes(b"\xff\xfe\x00")
    code, message = failure("--llama", "--script", str(binary))
    assert code == 1
    assert "codec can't decode" in message


def test_script_with_errors(tmp_path: Path) -> None:
    script = tmp_path / "broken.rss"
    script.write_text("let x = ;\n")
    result = flint("--llama", "--script", str(script))
    assert (result.returncode, result.stdout) == (1, "")
    first, *_, last = result.stderr.splitlines()
    assert first.startswith("error[")
    assert f"{script}:1:9" in result.stderr
    assert last.startswith(f"Error: {script} does not compile: ")


def test_torch_is_not_imported(echo: str) -> None:
    code = (
        "import sys, atexit; sys.argv[1:] = ['--llama', '--script', sys.argv[1], '0']; "
        "heavy = {'torch', 'tokenizers', 'black', 'llama_cpp'}; "
        "atexit.register(lambda: print(sorted(heavy & set(sys.modules)))); "
        "import flint.cli; flint.cli.main()"
    )
    result = python("-c", code, echo)
    assert (result.returncode, result.stdout) == (0, "[]\n"), result.stderr
