"""A real debugpy stops, steps and shows tensors: in generated modules and in the scripts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import debug_client
from debug_client import Client, Frame
from tests.debug.conftest import FEED_FORWARD, HIDDEN, Settings, line_of

TWO_FILES = {
    "main.rss": """\
use doubling;

fn total(items: [int]) -> int {
    let mut sum_of_all = 0;
    for i in 0..items.length {
        sum_of_all = sum_of_all + doubling::double(items[i]);
    }
    sum_of_all
}

let numbers = [1, 2, 3];
let result = total(numbers);
println(result);
""",
    "doubling.rss": """\
// A second file.
pub fn double(n: int) -> int {
    let twice = n * 2;
    twice
}
""",
}


def places(frames: list[Frame], *files: Path) -> list[tuple[str, str, int]]:
    """Name, file and line of the frames in some files."""
    known = {path.resolve() for path in files}
    found = [frame for frame in frames if Path(frame.path).resolve() in known]
    return [
        (frame.name, Path(frame.path).name, frame.line)
        for frame in found
        if frame.name != "<module>"
    ]


# -- the LFM2 program, both ways -------------------------------------------------------------------


@pytest.mark.slow  # torch is imported under the debugger, twice
@pytest.mark.parametrize(
    ("configuration", "program", "layers"),
    [
        ("Generated Python: llama_torch", "generated/lfm2.py", "generated/layers/lfm2.py"),
        ("RustScript: llama_torch", "scripts/lfm2.rss", "scripts/layers/lfm2.rss"),
    ],
    ids=["py", "rss"],
)
def test_lfm2(
    configuration: str,
    program: str,
    layers: str,
    root: Path,
    settings: Settings,
    lfm2_words: list[str],
) -> None:
    main, inner = root / program, root / layers
    answer = line_of(main, r"\btext: \w+ = ")
    gate_up = line_of(inner, r"\bgate_up: \w+ = ")
    swiglu = line_of(inner, r"swiglu_linear\(gate_up, ")
    change = line_of(inner, r"\bchange: \w+ = mlp\(")
    normed = line_of(inner, r"\bnormed: \w+ = .*rms_norm\(hidden, operator_norm")
    if program.endswith(".py"):
        start = settings(configuration, module="generated.lfm2", args=lfm2_words)
    else:
        start = settings(configuration, args=[program, *lfm2_words])
    first_layer = 'path == "model.layers.0.feed_forward."'
    breakpoints = {main: [answer], inner: [(gate_up, first_layer), (normed, "'layers.2' in path")]}
    with debug_client.launch(start, breakpoints) as client:
        stack = client.stopped()
        assert places(stack, main, inner) == [("main", main.name, answer)]
        prompt = client.locals(stack[0])["prompt"]
        assert prompt.type == "Tensor"
        length = re.fullmatch(r"torch.Size\(\[1, (\d+)\]\)", shape(client, prompt.reference))
        assert length

        stack = client.go()
        assert [name for name, _, _ in places(stack, main, inner)] == [
            "mlp",
            "layer",
            "logits_at",
            "next_logits",
            "answer",
            "main",
        ]
        assert stack[0].line == gate_up
        hidden = client.locals(stack[0])["hidden"]
        assert hidden.type == "Tensor"
        assert shape(client, hidden.reference) == f"torch.Size([1, {length[1]}, {HIDDEN}])"
        assert "gate_up" not in client.locals(stack[0])

        stack = client.go("next")
        assert (stack[0].name, stack[0].line) == ("mlp", swiglu)
        width = client.evaluate("gate_up.shape[2]", stack[0])
        assert int(width) == 2 * FEED_FORWARD

        stack = client.go("stepOut")
        assert (stack[0].name, stack[0].line) == ("layer", change)

        stack = client.go()
        assert (stack[0].name, stack[0].line) == ("layer", normed)
        assert client.locals(stack[0])["path"].value == "'model.layers.2.'"


def shape(client: Client, reference: int) -> str:
    """The shape of a tensor as the editor's tree of variables shows it."""
    return client.parts(reference)["shape"].value


# -- two files -------------------------------------------------------------------------------------


@pytest.fixture
def two_files(tmp_path: Path) -> tuple[Path, Path]:
    for name, text in TWO_FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / "main.rss", tmp_path / "doubling.rss"


def test_two_files(two_files: tuple[Path, Path], settings: Settings) -> None:
    main = two_files[0]
    folder = str(main.parent)
    start = settings("RustScript: this file", args=["main.rss"], cwd=folder)
    breakpoints = {main: [12, (6, "i == 2")]}
    with debug_client.launch(start, breakpoints) as client:
        stack = client.stopped()
        assert places(stack, *two_files) == [("main", "main.rss", 12)]
        assert client.locals(stack[0])["numbers"].value == "[1, 2, 3]"

        stack = client.go("stepIn")
        assert places(stack, *two_files) == [("total", "main.rss", 4), ("main", "main.rss", 12)]

        stack = client.go()
        assert places(stack, *two_files) == [("total", "main.rss", 6), ("main", "main.rss", 12)]
        names = client.locals(stack[0])
        assert (names["i"].value, names["sum_of_all"].value) == ("2", str(2 * (1 + 2)))

        stack = client.go("stepIn")
        inside = [("double", "doubling.rss", 3), ("total", "main.rss", 6), ("main", "main.rss", 12)]
        assert places(stack, *two_files) == inside
        stack = client.go("next")
        assert places(stack, *two_files)[0] == ("double", "doubling.rss", 4)
        assert client.locals(stack[0])["twice"].value == "6"
        stack = client.go("stepOut")
        assert places(stack, *two_files)[0] == ("total", "main.rss", 6)

        client.set_breakpoints(main, [])
        assert client.finish() == 0
        assert client.output.endswith("12\n")


def test_flintc_run_waits_for_a_debugger(
    two_files: tuple[Path, Path], settings: Settings, root: Path
) -> None:
    main = two_files[0]
    settings_of_attach = settings("Attach to flintc run --debug")
    command = [sys.executable, "-m", "flint.debug", "--port", "0", str(main)]
    environment = {**os.environ, **settings_of_attach.pop("env")}
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            _attach_and_run(process, settings_of_attach, two_files)
        finally:
            process.kill()


def _attach_and_run(
    process: subprocess.Popen[str], settings_of_attach: dict[str, Any], files: tuple[Path, Path]
) -> None:
    assert process.stderr is not None
    waiting = process.stderr.readline()
    address = re.search(r"at 127\.0\.0\.1:(\d+)$", waiting.strip())
    assert address, waiting
    doubling = files[1]
    settings_of_attach["connect"]["port"] = int(address[1])
    place = ("127.0.0.1", int(address[1]))
    with debug_client.attach(place, settings_of_attach, {doubling: [3]}) as client:
        stack = client.stopped()
        assert places(stack, *files)[:2] == [
            ("double", "doubling.rss", 3),
            ("total", "main.rss", 6),
        ]
        client.set_breakpoints(doubling, [])
        client.request("continue", threadId=client.thread)
        client.event("terminated")
    output, _ = process.communicate(timeout=debug_client.SECONDS)
    assert (process.returncode, output) == (0, "12\n")


def test_without_debugpy(two_files: tuple[Path, Path], root: Path) -> None:
    path = os.pathsep.join((str(root), str(root / "runtime")))
    code = (
        "import sys; sys.modules['debugpy'] = None; from flintc.cli import main; "
        f"main(['run', '--debug', {str(two_files[0])!r}])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "Error: no debugger has started this program, and debugpy is not installed: "
        "pip install debugpy\n"
    )
