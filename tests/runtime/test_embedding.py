"""`import flint`: compile a script from Python and run it, also where llama.cpp is missing."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import pytest

import flint
from tests.runtime.support import python

GREET = """
use flint;
let mut count = 0;
count = count + 1;
flint::runtime::set_text_output("hello " + flint::runtime::arg_or(0, "nobody") + " " + count);
"""


def test_compile_and_run() -> None:
    program = flint.compile_source(GREET).program
    runner = flint.ScriptRunner()
    assert [runner.run_text(program, args).text for args in ([], ["Ada"], [])] == [
        "hello nobody 1",
        "hello Ada 1",
        "hello nobody 1",
    ]


def test_a_program_can_be_shared_by_runners() -> None:
    program = flint.compile_source(GREET).program
    texts = [flint.ScriptRunner().run_text(program, [name]).text for name in "ab"]
    assert texts == ["hello a 1", "hello b 1"]


def test_host_errors_are_exceptions_with_the_languages_text() -> None:
    program = flint.compile_source("use flint; flint::runtime::arg(4);").program
    with pytest.raises(flint.HostError) as caught:
        flint.ScriptRunner().run_text(program, ["a"])
    text = "host error: flint::runtime::arg: no script argument 4; 1 given"
    assert str(caught.value) == text


def test_compile_errors_carry_diagnostics() -> None:
    with pytest.raises(flint.CompileError, match=r"example\.rss does not compile: ") as caught:
        flint.compile_source("let x = nonsense;", "example.rss")
    assert "example.rss:1:9" in caught.value.diagnostics
    assert "nonsense" in caught.value.diagnostics


def test_modules_are_found_beside_the_script(tmp_path: Path) -> None:
    (tmp_path / "shout.rss").write_text('pub fn loud(text: string) -> string { text + "!" }\n')
    script = tmp_path / "main.rss"
    script.write_text(
        'use shout; use flint;\nflint::runtime::set_text_output(shout::loud("hey"));\n'
    )
    program = flint.compile_script_file(script).program
    assert flint.ScriptRunner().run_text(program).text == "hey!"


def test_unreadable_script(tmp_path: Path) -> None:
    with pytest.raises(flint.UserError, match=r"cannot read .*missing\.rss"):
        flint.compile_script_file(tmp_path / "missing.rss")


def test_a_path_with_nul() -> None:
    for compile_it in (flint.compile_script_file, lambda path: flint.compile_source("1;", path)):
        with pytest.raises(flint.UserError, match=r"^cannot read "):
            compile_it("a\0b.rss")


def test_a_path_with_a_lone_surrogate() -> None:
    program = flint.compile_source(GREET, "\ud800.rss").program
    assert flint.ScriptRunner().run_text(program).text == "hello nobody 1"
    with pytest.raises(flint.UserError, match=r"^cannot read "):
        flint.compile_script_file("\ud800.rss")


def test_arguments_are_not_one_string() -> None:
    program = flint.compile_source(GREET).program
    with pytest.raises(TypeError, match=r"sequence of strings"):
        flint.ScriptRunner().run_text(program, "Ada")


def test_arguments_may_come_from_any_iterable() -> None:
    program = flint.compile_source(GREET).program
    names: Any = (name for name in ["Ada"])
    assert flint.ScriptRunner().run_text(program, names).text == "hello Ada 1"


def test_the_source_is_text() -> None:
    source: Any = GREET.encode()
    with pytest.raises(TypeError, match="the source is bytes, not str"):
        flint.compile_source(source)


def test_compiled_and_generated_programs_behave_the_same(root: Path) -> None:
    spec = importlib.util.find_spec("llama_cpp")
    assert spec is not None
    folder = str(Path(spec.origin or "").parent / "lib")
    generated = importlib.import_module("generated.ggml_devices_from_path")
    compiled = flint.compile_script_file(root / "scripts" / "ggml_devices_from_path.rss").program
    runner = flint.ScriptRunner()
    first, second = (runner.run_text(program, [folder]) for program in (generated, compiled))
    assert first == second
    assert "CPU" in first.text
    messages = []
    for program in (generated, compiled):
        with pytest.raises(flint.HostError) as caught:
            runner.run_text(program, [])
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_without_llama_cpp_python() -> None:
    code = (
        "import sys; sys.modules['llama_cpp'] = None; "
        "from flint.runtime import llama, program; "
        "raise SystemExit(program.run_main(lambda: llama.backend_init('cpu')))"
    )
    result = python("-c", code)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith(
        "Error: host error: flint::llama::backend_init: "
        "llama-cpp-python is not installed: pip install 'flintc[llama]'\n"
    )
    assert "Traceback" not in result.stderr
