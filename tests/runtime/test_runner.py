"""Runners: fresh state, what is freed, one run at a time; and a run as a command."""

from __future__ import annotations

import threading
import types
from collections.abc import Callable
from typing import ClassVar

import pytest

import flint
from flint.output import ScriptTextOutput, printed
from flint.program import Program
from flint.runtime import program
from flint.runtime.context import current
from flint.runtime.resources import Resource
from tests.runtime.support import python


def program_of(main: Callable[[], object]) -> Program:
    return Program("test", lambda: main)


class Probe(Resource):
    """A resource without a native part that notes when it is released."""

    family: ClassVar[str] = "test"
    kind: ClassVar[str] = "probe"
    numbers = iter(range(1, 1000))
    released: ClassVar[list[str]] = []

    def __init__(self, name: str, rank: int) -> None:
        super().__init__()
        self.name = name
        self.release_rank = rank

    def _release(self) -> None:
        self.released.append(self.name)


@pytest.fixture(autouse=True)
def _fresh_probes() -> None:
    Probe.released.clear()


def test_leftovers_are_freed_by_rank_whatever_the_order_of_creation() -> None:
    def main() -> None:
        for name, rank in (("model", 9), ("sampler", 0), ("context", 7), ("batch", 1)):
            Probe(name, rank)
        Probe("closed", 0).close()

    flint.ScriptRunner().run_text(program_of(main))
    assert Probe.released == ["closed", "sampler", "batch", "context", "model"]


@pytest.mark.parametrize("error", [flint.HostError("no"), KeyboardInterrupt(), SystemExit(3)])
def test_leftovers_are_freed_when_the_run_fails(error: BaseException) -> None:
    def main() -> None:
        Probe("left", 0)
        raise error

    with pytest.raises(type(error)):
        flint.ScriptRunner().run_text(program_of(main))
    assert Probe.released == ["left"]


def test_a_resource_cannot_be_used_in_a_later_run() -> None:
    kept: list[Probe] = []
    flint.ScriptRunner().run_text(program_of(lambda: kept.append(Probe("kept", 0))))
    assert kept[0].gone == "freed at the end of its run"
    assert repr(kept[0]) == f"<test probe {kept[0].handle}, freed at the end of its run>"
    kept[0].close()
    assert Probe.released == ["kept"]


def test_every_run_starts_fresh() -> None:
    seen: list[str] = []

    def main() -> None:
        seen.append(current().text)
        program.set_text_output(program.arg(0))

    runner = flint.ScriptRunner()
    outputs = [runner.run_text(program_of(main), [text]) for text in "ab"]
    assert [output.text for output in outputs] == ["a", "b"]
    assert seen == ["", ""]


def test_module_level_state_of_a_loaded_program_is_fresh() -> None:
    def load() -> Callable[[], object]:
        values: list[int] = []

        def main() -> None:
            values.append(1)
            program.set_text_output(str(len(values)))

        return main

    counting = Program("counting", load)
    runner = flint.ScriptRunner()
    assert [runner.run_text(counting).text for _ in range(2)] == ["1", "1"]


def test_an_imported_module_runs_like_a_program() -> None:
    module = types.ModuleType("generated.example")
    module.__dict__["main"] = lambda: program.set_text_output("from a module")
    assert flint.ScriptRunner().run_text(module).text == "from a module"


def test_something_else_than_a_program() -> None:
    with pytest.raises(TypeError, match="neither a Program nor a generated module"):
        flint.ScriptRunner().run_text(types.ModuleType("empty"))


def test_runs_of_one_runner_exclude_each_other() -> None:
    running = threading.Lock()
    overlaps: list[bool] = []

    def main() -> None:
        overlaps.append(not running.acquire(blocking=False))
        threading.Event().wait(0.01)
        running.release()

    runner = flint.ScriptRunner()
    threads = [threading.Thread(target=runner.run_text, args=(program_of(main),)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert overlaps == [False] * 5


def test_runs_of_two_runners_do_not_share_state() -> None:
    together = threading.Barrier(2, timeout=30)
    texts: list[str] = []

    def main() -> None:
        program.set_text_output(program.arg(0))
        together.wait()

    def run(text: str) -> None:
        texts.append(flint.ScriptRunner().run_text(program_of(main), [text]).text)

    threads = [threading.Thread(target=run, args=(text,)) for text in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(texts) == ["a", "b"]


def test_argument_that_is_no_text() -> None:
    with pytest.raises(flint.HostError, match="script argument 1 is not valid UTF-8"):
        flint.ScriptRunner().run_text(program_of(lambda: None), ["a", "\udcff"])
    with pytest.raises(TypeError, match="script argument 0 is int"):
        flint.ScriptRunner().run_text(program_of(lambda: None), [1])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("output", "text"),
    [
        (ScriptTextOutput(), ""),
        (ScriptTextOutput("hi"), "hi\n"),
        (ScriptTextOutput("line\n"), "line\n\n"),
        (ScriptTextOutput("x", 10, 4.0), "x\ntokens/s: 2.50\n"),
        (ScriptTextOutput("", 10, 4.0, 8, 2.0), "tokens/s total: 2.50\ntokens/s decode: 4.00\n"),
        (ScriptTextOutput("", None, None, 1, 3.0), "tokens/s decode: 0.33\n"),
        (ScriptTextOutput("", 10, None, 8, None), ""),
        (ScriptTextOutput("", 0, 4.0, 0, 4.0), ""),
        (ScriptTextOutput("", 10, 0.0, 8, 0.0), ""),
        # Zero decoded tokens is still decode information, so the line says `total`.
        (ScriptTextOutput("", 10, 4.0, 0, 2.0), "tokens/s total: 2.50\n"),
        (ScriptTextOutput("", 10, 4.0, 8, None), "tokens/s: 2.50\n"),
    ],
)
def test_what_is_printed(output: ScriptTextOutput, text: str) -> None:
    assert printed(output) == text


# ---- as a command -------------------------------------------------------------------------------

COMMAND = """
import sys
from flint.runtime import program
def main():
    {body}
if __name__ == "__main__":
    raise SystemExit(program.run_main(main))
"""


def command(body: str, *args: str, **variables: str) -> tuple[int, str, str]:
    result = python("-c", COMMAND.format(body=body), *args, **variables)
    return result.returncode, result.stdout, result.stderr


def test_command_prints_the_text_and_not_the_value() -> None:
    body = "program.set_text_output(program.arg(0) + '\\n'); return 5"
    assert command(body, "héllo €") == (0, "héllo €\n\n", "")


def test_command_prints_utf8_in_any_locale() -> None:
    result = command("program.set_text_output('€ 😀')", LC_ALL="C", PYTHONIOENCODING="ascii")
    assert result == (0, "€ 😀\n", "")


def test_command_reports_a_host_error_after_the_output_before_it() -> None:
    code, out, err = command("print('before'); program.arg(3)")
    assert (code, out) == (1, "before\n")
    assert err == "Error: host error: flint::runtime::arg: no script argument 3; 0 given\n"


def test_command_shows_causes() -> None:
    body = "raise RuntimeError('outer') from OSError('inner')"
    code, _, err = command(body)
    assert code == 1
    assert "\n\nCaused by:\n    inner\n" in err
    assert "Traceback" not in err


def test_command_shows_a_traceback_on_request() -> None:
    code, _, err = command("program.arg(3)", FLINT_TRACEBACK="full")
    assert code == 1
    assert err.startswith("Traceback")
    assert err.endswith("Error: host error: flint::runtime::arg: no script argument 3; 0 given\n")


def test_command_interrupted() -> None:
    assert command("raise KeyboardInterrupt") == (130, "", "")


def test_command_whose_reader_went_away() -> None:
    body = "import os; r, w = os.pipe(); os.close(r); os.dup2(w, 1); program.set_text_output('x')"
    assert command(body) == (1, "", "")


def test_endless_recursion_is_a_script_error() -> None:
    code, _, err = command("f = lambda: f(); f()")
    assert (code, err) == (1, "Error: script call stack limit 1024 exceeded\n")
