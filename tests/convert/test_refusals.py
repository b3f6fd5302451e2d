"""What `flint convert` cannot do: a clear message, exit code 1, and nothing left behind."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flint.convert import safetensors_file
from flint.convert.command import convert
from flint.report import UserError
from tests.convert.gguf_models import Kind, matrices_as, write_llama
from tests.convert.test_weights import llama
from tests.runtime.support import python
from tests.runtime.tiny_gguf import write_model


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("good") / "m.gguf"
    write_llama(path, llama(), matrices_as(Kind.Q8_0))
    return path


def refusal(path: object, folder: Path) -> str:
    """The message; nothing but `path` may be in its folder afterwards."""
    folder.mkdir(exist_ok=True)
    with pytest.raises(UserError) as caught:
        convert(str(path), str(folder / "new"))
    assert list(folder.iterdir()) == []
    message = str(caught.value)
    assert str(path) in message
    assert len(message.splitlines()) == 1
    return message


def test_no_file(tmp_path: Path) -> None:
    missing = tmp_path / "missing.gguf"
    assert refusal(missing, tmp_path / "out") == f"{missing}: No such file or directory"
    assert "directory" in refusal(tmp_path, tmp_path / "out")


@pytest.mark.parametrize("content", [b"", b"GGUF", b'{"model_type": "llama"}' * 9])
def test_no_gguf_file(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    assert "no GGUF file" in refusal(path, tmp_path / "out")


@pytest.mark.parametrize("part", [0.001, 0.05, 0.3, 0.9, 0.9999])
def test_cut_off(part: float, good: Path, tmp_path: Path) -> None:
    data = good.read_bytes()
    path = tmp_path / "m.gguf"
    path.write_bytes(data[: round(part * len(data))])
    assert "cut short" in refusal(path, tmp_path / "out")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_never_ends_in_a_traceback(data: Any, good: Path, tmp_path: Path) -> None:
    """Bytes of the header are changed at random; it works, or it is refused."""
    content = bytearray(good.read_bytes())
    end = content.index(b"tokenizer.ggml.tokens") + 200
    tensors = content.index(b"output_norm.weight")
    places = st.one_of(st.integers(24, end), st.integers(tensors - 500, tensors + 100))
    for place, byte in data.draw(st.lists(st.tuples(places, st.integers(0, 255)), max_size=3)):
        content[place] = byte
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    folder = tmp_path / "out" / str(len(list((tmp_path / "out").glob("*"))))
    try:
        convert(str(path), str(folder))
    except UserError:
        assert not folder.exists()


def test_another_architecture(tmp_path: Path) -> None:
    writer = gguf.GGUFWriter(tmp_path / "m.gguf", "gemma3")
    writer.add_block_count(1)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    message = refusal(tmp_path / "m.gguf", tmp_path / "out")
    assert "'gemma3'; flint convert knows llama and lfm2" in message


def test_tensors_without_a_place(tmp_path: Path) -> None:
    bias = {"blk.0.attn_q.bias": np.zeros(128, dtype=np.float32)}
    path = write_llama(tmp_path / "m.gguf", llama(), more=bias)
    assert "no place for 1 tensors: blk.0.attn_q.bias" in refusal(path, tmp_path / "out")


def test_unknown_positions(tmp_path: Path) -> None:
    other = {"rope_freqs.weight": np.linspace(1, 5, 16, dtype=np.float32)}
    path = write_llama(tmp_path / "m.gguf", llama(), more=other)
    assert "rope_freqs.weight is not that of Llama 3.1" in refusal(path, tmp_path / "out")
    yarn = write_llama(
        tmp_path / "y.gguf",
        llama(),
        rope=lambda writer: writer.add_rope_scaling_type(gguf.RopeScalingType.YARN),
    )
    assert "positions are scaled by yarn" in refusal(yarn, tmp_path / "out")


def test_unknown_tokenizers(tmp_path: Path) -> None:
    path = write_llama(tmp_path / "m.gguf", llama(), pre="gemma4")
    assert "texts are cut in the way 'gemma4'; known are" in refusal(path, tmp_path / "out")
    without = write_model(tmp_path / "n.gguf", tokenizer=False)
    assert "it has no vocabulary" in refusal(without, tmp_path / "out")


def test_layers_that_are_missing(tmp_path: Path) -> None:
    few = write_model(tmp_path / "m.gguf", stated_layers=3)
    assert "no tensor blk.1.attn_norm.weight" in refusal(few, tmp_path / "out")
    many = write_model(tmp_path / "n.gguf", stated_layers=2**31 - 1)
    assert "2147483647 layers with 12 tensors" in refusal(many, tmp_path / "out")


def test_a_folder_that_exists(good: Path, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    for target in (tmp_path, tmp_path / "note.txt"):
        with pytest.raises(UserError, match="exists already; name a folder that does not"):
            convert(str(good), str(target))
    assert (tmp_path / "note.txt").read_text() == "mine"


def test_a_folder_that_cannot_be(good: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UserError, match=r"cannot write .*file/new: Not a directory"):
        convert(str(good), str(tmp_path / "file" / "new"))
    with pytest.raises(UserError, match=r"cannot write .*aaa: File name too long"):
        convert(str(good), str(tmp_path / ("a" * 256)))


def test_the_longest_name_that_a_folder_can_have(good: Path, tmp_path: Path) -> None:
    folder = tmp_path / ("a" * 255)
    convert(str(good), str(folder))
    assert list(tmp_path.iterdir()) == [folder]


def test_without_the_package(good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(UserError, match=r"needs the package gguf .*: pip install 'gguf>=0.17'"):
        convert(str(good), str(tmp_path / "new"))
    assert list(tmp_path.iterdir()) == []


def test_the_command(good: Path, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "new"
    done = python("-m", "flint", "convert", str(good), str(folder))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{folder}: 20 weights in float32, 0 MB\n"
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "config.json",
        "generation_config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    }
    again = python("-m", "flint", "convert", str(good), str(folder))
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr == f"Error: {folder} exists already; name a folder that does not\n"
    assert python("-m", "flint", "convert", "one").returncode == 2


def test_a_part_of_a_model(tmp_path: Path) -> None:
    path = write_llama(
        tmp_path / "m.gguf", llama(), rope=lambda writer: writer.add_uint16("split.count", 3)
    )
    assert "one of 3 parts of a model; join them first" in refusal(path, tmp_path / "out")


def test_a_mixture_of_experts(tmp_path: Path) -> None:
    path = write_llama(tmp_path / "m.gguf", llama(), rope=lambda writer: writer.add_expert_count(8))
    assert "a mixture of 8 experts" in refusal(path, tmp_path / "out")


def test_a_full_disk(good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The device that is always full stands in for the last file."""

    def to_full_device(path: Path, entries: list[safetensors_file.Entry]) -> None:
        path.symlink_to("/dev/full")
        written(path, entries)

    written = safetensors_file.write
    monkeypatch.setattr("flint.convert.weights.write", to_full_device)
    with pytest.raises(UserError, match=r"cannot write .*new: No space left on device"):
        convert(str(good), str(tmp_path / "new"))
    assert list(tmp_path.iterdir()) == []
