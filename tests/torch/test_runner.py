"""`flint.TorchScriptRunner` and the device helpers."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import torch

import flint
from tests.runtime.support import python

COUNT = """
use flint;
let mut x: int = flint::tensor::arange(3);
let y: int = flint::tensor::add_scalar(x, 0.5);
flint::cache::set("n", y);
flint::runtime::set_text_output(flint::tensor::shape(y) + " " + flint::runtime::arg(0));
"""


@pytest.mark.parametrize(
    ("text", "device"),
    [
        ("cpu", "cpu"),
        ("CPU", "cpu"),
        ("cuda", "cuda:0"),
        ("Cuda:3", "cuda:3"),
        ("mps", "mps"),
        ("vulkan", "vulkan"),
    ],
)
def test_names_of_devices(text: str, device: str) -> None:
    assert flint.parse_device(text) == torch.device(device)
    assert flint.resolve_device(text) == torch.device(device)


@pytest.mark.parametrize("text", ["", "gpu", "cpu:0", "cuda0", "mps:1"])
def test_other_names(text: str) -> None:
    with pytest.raises(flint.UserError, match="device is one of cpu, cuda, cuda:N, mps, vulkan"):
        flint.parse_device(text)


@pytest.mark.parametrize("text", ["cuda:", "cuda:x", "cuda:-1", "cuda: 1", "cuda:1_0", "cuda:9999"])
def test_bad_index(text: str) -> None:
    with pytest.raises(flint.UserError, match="bad CUDA index"):
        flint.parse_device(text)


@pytest.mark.parametrize("present", [True, False])
def test_automatic_device(present: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: present)
    assert flint.auto_device() == torch.device("cuda:0" if present else "cpu")
    assert flint.resolve_device(None) == flint.auto_device()


def test_torchs_own_devices() -> None:
    assert flint.resolve_device(torch.device("mps")) == torch.device("mps")
    program = flint.compile_source(COUNT).program
    assert (
        flint.TorchScriptRunner(flint.parse_device("cpu")).run_text(program, ["a"]).text == "[3] a"
    )


@pytest.mark.parametrize("device", [0, b"cpu"])
def test_what_is_no_device(device: Any) -> None:
    with pytest.raises(TypeError, match=rf"device is {type(device).__name__}, not str"):
        flint.TorchScriptRunner(device)


@pytest.mark.skipif(torch.backends.mps.is_available(), reason="this machine has it")
def test_a_backend_that_torch_lacks() -> None:
    with pytest.raises(flint.UserError, match=r"^device mps cannot be used: this torch was built"):
        flint.TorchScriptRunner("mps")


def test_a_device_that_does_not_exist() -> None:
    missing = "vulkan" if torch.cuda.is_available() else "cuda:7"
    with pytest.raises(flint.UserError, match=rf"^device {missing}\S* cannot be used: ."):
        flint.TorchScriptRunner(missing)


@pytest.mark.slow
def test_the_command_names_the_device(root: Path) -> None:
    script = str(root / "scripts" / "lfm2.rss")
    done = python("-m", "flint", "--llm", "--device", "tpu", "--script", script)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: device is one of cpu, cuda, cuda:N, mps, vulkan")
    assert done.stdout == ""


def test_runs() -> None:
    program = flint.compile_source(COUNT).program
    runner = flint.TorchScriptRunner("cpu")
    assert [runner.run_text(program, [name]).text for name in "ab"] == ["[3] a", "[3] b"]
    # the native runner loads torch when a program asks for it
    assert flint.ScriptRunner().run_text(program, ["c"]).text == "[3] c"


def test_threads_take_turns() -> None:
    source = """
    use flint;
    flint::tokenizer::clear_generated_tokens();
    for i in 0..50 {
        flint::tokenizer::push_generated_token_tensor(flint::tokenizer::single_token(i));
    }
    flint::runtime::set_text_output(flint::runtime::arg(0));
    """
    program = flint.compile_source(source).program
    runner = flint.TorchScriptRunner("cpu")
    texts: list[str] = []
    threads = [
        threading.Thread(target=lambda at=at: texts.append(runner.run_text(program, [at]).text))
        for at in "abcd"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(texts) == ["a", "b", "c", "d"]


def test_importing_flint_loads_no_torch() -> None:
    code = "import flint, sys; flint.ScriptRunner(); print('torch' in sys.modules)"
    assert python("-c", code).stdout == "False\n"


def test_a_native_program_loads_no_torch(root: Path) -> None:
    code = (
        "import flint, sys\n"
        "source = 'use flint; flint::runtime::set_text_output(\"x\");'\n"
        "print(flint.ScriptRunner().run_text(flint.compile_source(source).program).text)\n"
        "import flint.runtime.llama, flint.runtime.cache, flint.runtime.pair\n"
        "print('torch' in sys.modules, 'tokenizers' in sys.modules)"
    )
    assert python("-c", code).stdout == "x\nFalse False\n"


@pytest.mark.slow
def test_the_device_of_flintc_run(tmp_path: Path) -> None:
    script = tmp_path / "count.rss"
    script.write_text("use flint;\nlet x: int = flint::tensor::arange(3);\n")
    command = [sys.executable, "-m", "flintc", "run", "--device"]
    for device, code, errors in [
        ("cpu", 0, ""),
        ("gpu", 1, "Error: device is one of cpu, cuda, cuda:N, mps, vulkan, not 'gpu'\n"),
    ]:
        done = subprocess.run([*command, device, str(script)], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (code, errors)
