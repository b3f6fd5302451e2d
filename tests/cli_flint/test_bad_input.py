"""What is wrong with files and words of a torch program is said in a sentence, by both commands.

Every case runs by `flint --llm --script scripts/lfm2.rss` and as `python -m generated.lfm2`, in
this process: exit code 1, one clear line, no text, no traceback, no file written or changed.
"""

from __future__ import annotations

import functools
import json
import re
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

import flint.cli
from flint.runtime import launch
from generated import lfm2
from tests.torch import lfm2_model

ROOT = Path(__file__).resolve().parents[2]
Damage = Callable[[Path], None]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small model that works."""
    folder = tmp_path_factory.mktemp("sound")
    lfm2_model.save(folder)
    return folder


@pytest.fixture
def model(sound: Path, tmp_path: Path) -> Path:
    """A copy of it to damage."""
    return Path(shutil.copytree(sound, tmp_path / "model"))


def by_flint(words: list[str], device: str = "cpu") -> int:
    script = str(ROOT / "scripts" / "lfm2.rss")
    with pytest.raises(SystemExit) as stop:
        flint.cli._command.main(
            ["--llm", "--device", device, "--script", script, *words], prog_name="flint"
        )
    return int(stop.value.code or 0)


@pytest.fixture(params=["flint --llm", "python -m generated.lfm2"])
def run(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Run:
    """Run the script with these words: exit code, stdout, stderr."""

    def by_module(words: list[str]) -> int:
        monkeypatch.setattr("sys.argv", ["lfm2", *words])
        return launch.run_main(lfm2.main)

    def run_it(*words: str) -> tuple[int, str, str]:
        code = by_flint([*words]) if request.param == "flint --llm" else by_module([*words])
        return (code, *capfd.readouterr())

    # what compiles is the same in every case
    monkeypatch.setattr(flint.cli, "compile_script_file", _compiled)
    return run_it


@functools.cache
def _compiled(path: str, host: tuple[str, ...]) -> flint.compiler.CompiledScript:
    return flint.compile_script_file(path, host=host)


def words_for(folder: Path, count: str = "4") -> list[str]:
    return [str(folder), str(folder / "tokenizer.json"), "Be brief.", "Hi", count]


# -- the weights -----------------------------------------------------------------------------------


def replaced(change: Callable[[bytes], bytes]) -> Damage:
    """Change the bytes of the weights' file."""

    def damage(folder: Path) -> None:
        file = folder / "model.safetensors"
        file.write_bytes(change(file.read_bytes()))

    return damage


def header(entries: object, length: int | None = None, data: bytes = b"") -> Damage:
    """Another file: this header, said to have that length."""
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    stated = struct.pack("<Q", len(text) if length is None else length)
    return replaced(lambda _: stated + text + data)


def tensors(change: Callable[[dict[str, torch.Tensor]], object]) -> Damage:
    """Change the tensors in the file."""

    def damage(folder: Path) -> None:
        file = folder / "model.safetensors"
        held = {name: tensor.clone() for name, tensor in load_file(file).items()}
        change(held)
        save_file(held, file)

    return damage


def entry(dtype: str, shape: list[int], offsets: list[int]) -> dict[str, Any]:
    return {"model.embed_tokens.weight": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}


QKV = "model.layers.2.self_attn.q_proj.weight"
CANNOT_READ = (
    r"flint::weights::load: cannot read \S*model\.safetensors: "
    r".+; it is no safetensors file, or not a whole one"
)
DAMAGES: dict[str, tuple[Damage, str]] = {
    "no file": (
        lambda folder: (folder / "model.safetensors").unlink(),
        r"flint::weights::load: no safetensors file in \S+",
    ),
    "empty": (replaced(lambda _: b""), CANNOT_READ),
    "cut off in the length": (replaced(lambda all_: all_[:5]), CANNOT_READ),
    "cut off in the header": (replaced(lambda all_: all_[:100]), CANNOT_READ),
    "cut off in the data": (replaced(lambda all_: all_[:-1]), CANNOT_READ),
    "more than the data": (replaced(lambda all_: all_ + b"\0"), CANNOT_READ),
    "not safetensors": (replaced(lambda _: b"GGUF" + bytes(400)), CANNOT_READ),
    "a header of 2^64 bytes": (header({}, 2**64 - 1), CANNOT_READ),
    "a header of 2^40 bytes": (header({}, 2**40), CANNOT_READ),
    "a header that is no JSON": (header(b"\xff{"), CANNOT_READ),
    "a header that is an array": (header([1]), CANNOT_READ),
    "a deep header": (header(b"[" * 100_000), CANNOT_READ),
    "an offset beyond the file": (header(entry("F32", [4], [0, 16])), CANNOT_READ),
    "offsets in reverse": (header(entry("F32", [4], [16, 0]), data=bytes(16)), CANNOT_READ),
    "sizes that overflow": (header(entry("F32", [2**62, 2**62], [0, 16])), CANNOT_READ),
    "a size below 0": (header(entry("F32", [-4], [0, 16]), data=bytes(16)), CANNOT_READ),
    "another type": (header(entry("F99", [4], [0, 16]), data=bytes(16)), CANNOT_READ),
    "a weight is absent": (
        tensors(lambda held: held.pop(QKV)),
        rf"flint::weights::get: no weight named '{re.escape(QKV)}' in \S+",
    ),
    "the final norm is absent": (
        tensors(lambda held: held.pop("model.embedding_norm.weight")),
        r"flint::weights::get: no weight named 'model\.embedding_norm\.weight' in \S+",
    ),
    "no weights at all": (
        tensors(dict.clear),
        r"flint::weights::get: no weight named 'model\.embed_tokens\.weight' in \S+",
    ),
    "another shape": (
        tensors(lambda held: held.update({QKV: torch.zeros(64, 63)})),
        rf"flint::weights::get: cannot join {re.escape(QKV)}, .*\[64, 63\] and \[32, 64\].*",
    ),
    "another shape in a multiplication": (
        tensors(
            lambda held: held.update({"model.layers.0.conv.out_proj.weight": torch.zeros(64, 9)})
        ),
        r"flint::nn::linear: .*\[1, \d+, 64\].*\[64, 9\].*",
    ),
    "another size of a norm": (
        tensors(lambda held: held.update({"model.layers.0.ffn_norm.weight": torch.ones(63)})),
        r"flint::nn::add_rms_norm: .*\[63\].*",
    ),
    "a vector for a matrix": (
        tensors(lambda held: held.update({"model.embed_tokens.weight": torch.zeros(300)})),
        r"flint::nn::embedding: .*\[300\].*",
    ),
    "NaN": (
        tensors(lambda held: held["model.embedding_norm.weight"].fill_(torch.nan)),
        r"flint::tensor::argmax_int: .*NaN.*",
    ),
}


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def expect(run: Run, folder: Path, words: list[str], message: str) -> None:
    """The error, and nothing else."""
    before = files_of(folder)
    code, out, err = run(*words)
    assert (code, out) == (1, ""), err
    assert re.fullmatch(f"Error: host error: {message}\n", err), err
    assert files_of(folder) == before


@pytest.mark.parametrize("damage", DAMAGES)
def test_weights(damage: str, model: Path, tmp_path: Path, run: Run) -> None:
    change, message = DAMAGES[damage]
    change(model)
    expect(run, tmp_path, words_for(model), message)


def test_no_such_path(sound: Path, tmp_path: Path, run: Run) -> None:
    words = words_for(sound)
    for path in (str(tmp_path / "nothing"), "", "a\0b"):
        expect(run, tmp_path, [path, *words[1:]], r"flint::weights::load: cannot read .*")


def test_a_name_of_several_lines(sound: Path, tmp_path: Path, run: Run) -> None:
    words = ["a\nb\x1b[31m", *words_for(sound)[1:]]
    expect(run, tmp_path, words, r"flint::weights::load: cannot read a\\nb\\x1b\[31m: No such .*")


# -- the tokenizer ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["", "{", "{}", "[]", '{"version": "1.0", "model": {"type": "none"}}', "\x00\xff"]
)
def test_what_is_no_tokenizer(text: str, model: Path, tmp_path: Path, run: Run) -> None:
    (model / "tokenizer.json").write_bytes(text.encode("latin-1"))
    message = r"flint::tokenizer::load: cannot read \S*tokenizer\.json: ."
    expect(run, tmp_path, words_for(model), f"{message}.*")


def test_the_tokenizer_of_a_larger_model(model: Path, tmp_path: Path, run: Run) -> None:
    tokenizer = lfm2_model.tiny_tokenizer()
    tokenizer.add_tokens([f"word{number}" for number in range(50)])
    tokenizer.save(str(model / "tokenizer.json"))
    words = [*words_for(model)[:3], "word49", "4"]
    expect(
        run,
        tmp_path,
        words,
        r"flint::nn::embedding: index \d+ out of range, the weight has 264 rows.*",
    )


def test_a_folder_for_a_tokenizer(model: Path, tmp_path: Path, run: Run) -> None:
    words = [str(model), str(model), *words_for(model)[2:]]
    expect(run, tmp_path, words, r"flint::tokenizer::load: cannot read .*")


# -- words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", ["", "four", "4.0", str(2**63)])
def test_no_count(count: str, sound: Path, run: Run) -> None:
    message = r"flint::runtime::arg_int: script argument 4 cannot be read as int: ."
    expect(run, sound, words_for(sound, count), f"{message}.*")


def test_too_few_words(sound: Path, run: Run) -> None:
    expect(run, sound, [], r"flint::runtime::arg: no script argument 0; 0 given")


@pytest.mark.parametrize("count", ["0", "-1", str(-(2**63))])
def test_nothing_to_generate(count: str, sound: Path, run: Run) -> None:
    """The specification gives a result: no text, no tokens, no speed."""
    assert run(*words_for(sound, count)) == (0, "", "")


def test_an_empty_prompt(sound: Path, run: Run) -> None:
    """The specification gives a result: LFM2's chat form has its special tokens around nothing."""
    code, out, err = run(*words_for(sound)[:2], "", "", "2", "1")
    assert (code, err) == (0, "")
    assert re.search(r"^tokens/s total: \d+\.\d\d$", out, re.M)


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("cuda:99", r"Error: device cuda:99 cannot be used: ."),
        ("cuda:x", "Error: bad CUDA index 'x'"),
        ("gpu", "Error: device is one of cpu, cuda, cuda:N, mps, vulkan, not 'gpu'"),
    ],
)
def test_no_such_device(
    device: str, message: str, sound: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert by_flint(words_for(sound), device) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert re.match(message, err), err
    assert err.count("\n") == 1
