"""`flint::weights` and safetensors files: lookup, types, folders, damaged files."""

from __future__ import annotations

import json
import os
import re
import struct
from pathlib import Path
from typing import Any, cast

import pytest
import torch
from safetensors.torch import load_file, save_file

import flint
from flint.runtime import nn, tensor, weights
from flint.runtime.safetensors_file import SafetensorsFile
from flint.runtime.session import Session
from tests.torch.support import exactly, in_run, random, refusal

QKV = tuple(f"l.self_attn.{part}_proj.weight" for part in "qkv")
FUSED_QKV = "l.self_attn.qkv_proj.weight"
W1_W3 = ("l.feed_forward.w1.weight", "l.feed_forward.w3.weight")


@pytest.fixture
def session() -> Session:
    return Session("cpu")


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A file of small weights, one for each rule."""
    held = {name: random(2, 3, seed=at) for at, name in enumerate((*QKV, *W1_W3))}
    held |= {"a": torch.ones(2), "b0.w": torch.zeros(2), "ids": torch.tensor([1, 2])}
    held |= {"half": torch.ones(2).half(), "brain": torch.ones(2).bfloat16()}
    held |= {"eight": torch.ones(2).to(torch.float8_e4m3fn), "double": torch.ones(2).double()}
    file = str(tmp_path / "w.safetensors")
    save_file(held, file)
    return file


def loaded(path: str, function: Any, session: Session | None = None) -> Any:
    """What `function` gives in a run that has the weights of `path`."""
    return in_run(lambda: (weights.load(path), function())[1], session=session)


def test_get(path: str) -> None:
    same = loaded(path, lambda: weights.get("a") is weights.get("a"))
    assert same
    exactly(loaded(path, lambda: weights.get_indexed("b", 0, ".w")), [0, 0], torch.float32)
    assert in_run(lambda: weights.load(path)) == 12


def test_nothing_loaded() -> None:
    assert refusal(lambda: weights.get("a")) == (
        "flint::weights::get: no weight named 'a': no weights are loaded"
    )
    assert not in_run(lambda: weights.has("a"))
    assert "no weight named 'b'" in refusal(lambda: weights.get_or("a", "b"))


def test_get_or(path: str) -> None:
    exactly(loaded(path, lambda: weights.get_or("a", "b0.w")), [1, 1], torch.float32)
    exactly(loaded(path, lambda: weights.get_or("zzz", "b0.w")), [0, 0], torch.float32)

    def same() -> bool:
        first = weights.get("b0.w")
        return weights.get_or("zzz", "b0.w") is first and weights.get_or("zzz", "a") is first

    assert loaded(path, same)
    # a name that can be made is made, unless the fallback is in use already
    fused = loaded(path, lambda: weights.get_or(FUSED_QKV, "a"))
    assert fused.shape == (6, 3)
    in_use = loaded(path, lambda: (weights.get("a"), weights.get_or(FUSED_QKV, "a")))
    assert in_use[0] is in_use[1]


def test_fused(path: str, session: Session) -> None:
    parts = load_file(path)
    whole = loaded(path, lambda: weights.get(FUSED_QKV), session)
    assert torch.equal(whole, torch.cat([parts[name] for name in QKV]))
    joint = in_run(lambda: weights.get("l.feed_forward.w1_w3.weight"), session=session)
    assert torch.equal(joint, torch.cat([parts[name] for name in W1_W3]))
    # both count from now on; the parts are there as before
    assert in_run(lambda: weights.load(path), session=session) == 14
    single = in_run(lambda: weights.get(QKV[1]), session=session)
    assert torch.equal(single, parts[QKV[1]])
    assert in_run(lambda: weights.has(FUSED_QKV), session=session)


def test_a_fused_name_in_the_file_is_used(tmp_path: Path) -> None:
    path = str(tmp_path / "w.safetensors")
    save_file({FUSED_QKV: torch.ones(1), QKV[0]: torch.zeros(1)}, path)
    exactly(loaded(path, lambda: weights.get(FUSED_QKV)), [1], torch.float32)


def test_optional(path: str, session: Session) -> None:
    exactly(loaded(path, lambda: weights.get_optional("a"), session), [1, 1], torch.float32)
    absent: Any = in_run(
        lambda: [weights.get_optional(name) for name in ("y", "z")], session=session
    )
    assert [weight.handle for weight in absent] == [-1, -2]
    assert repr(absent[0]) == "<absent weight y>"
    reason = "optional weight z is not in the checkpoint"
    x = random(1, 2)
    uses: list[Any] = [
        lambda: tensor.add(absent[1], x),
        lambda: nn.linear(x, random(3, 2), absent[1]),
        lambda: nn.layer_norm(x, None, absent[1], 0.1, 2),
    ]
    for use in uses:
        assert refusal(use, session).endswith(f": {reason}")


KINDS = [
    (None, torch.float32),
    ("FLOAT", torch.float32),
    ("fp32", torch.float32),
    ("half", torch.float16),
    ("fp16", torch.float16),
    ("BF16", torch.bfloat16),
    ("bfloat16", torch.bfloat16),
]


@pytest.mark.parametrize(("kind", "dtype"), KINDS)
def test_kind(
    kind: str | None, dtype: torch.dtype, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind is not None:
        monkeypatch.setenv("KOHARU_TORCH_WEIGHT_KIND", kind)
    for name in ("a", "half", "brain", "eight", "double"):
        exactly(loaded(path, lambda name=name: weights.get(name)), [1, 1], dtype)
    exactly(loaded(path, lambda: weights.get("ids")), [1, 2], torch.int64)
    assert loaded(path, lambda: weights.get(FUSED_QKV)).dtype == dtype


@pytest.mark.parametrize("kind", ["", "native", "Auto"])
def test_native_kind(kind: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOHARU_TORCH_WEIGHT_KIND", kind)
    found = loaded(path, lambda: [weights.get(name).dtype for name in ("half", "eight", "double")])
    assert found == [torch.float16, torch.float8_e4m3fn, torch.float64]


def test_unknown_kind(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOHARU_TORCH_WEIGHT_KIND", "Q4")
    assert refusal(lambda: weights.load(path)) == (
        "flint::weights::load: KOHARU_TORCH_WEIGHT_KIND allows native, half, bf16, float; found q4"
    )


def test_weights_stay_between_runs(
    path: str, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = loaded(path, lambda: weights.get("a"), session)
    assert loaded(path, lambda: weights.get("a"), session) is first
    monkeypatch.setenv("KOHARU_TORCH_WEIGHT_KIND", "half")
    exactly(loaded(path, lambda: weights.get("a"), session), [1, 1], torch.float16)


def test_weights_are_read_when_they_are_used(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def recorded(actual: Any) -> Any:
        def reading(file: SafetensorsFile, name: str) -> torch.Tensor:
            read.append(name)
            return cast(torch.Tensor, actual(file, name))

        return reading

    for method in ("read", "read_apart"):
        monkeypatch.setattr(SafetensorsFile, method, recorded(getattr(SafetensorsFile, method)))

    def main() -> list[list[str]]:
        weights.load(path)
        found = [list(read)]
        for call in (
            lambda: weights.get("a"),
            lambda: weights.get("a"),
            lambda: weights.has("half"),
            lambda: weights.get(FUSED_QKV),
            lambda: weights.get(QKV[1]),  # the parts of a whole are not kept beside it
        ):
            read.clear()
            call()
            found.append(list(read))
        return found

    assert in_run(main) == [[], ["a"], [], [], [*QKV], [QKV[1]]]


def test_another_file_replaces_all(path: str, session: Session, tmp_path: Path) -> None:
    other = str(tmp_path / "other.safetensors")
    save_file({"a": torch.zeros(1)}, other)

    def main() -> Any:
        weights.load(path)
        before = weights.get("a")
        weights.load(other)
        return before, weights.get("a"), weights.has("ids")

    before, after, has_ids = in_run(main, session=session)
    assert (before.tolist(), after.tolist(), has_ids) == ([1, 1], [0], False)


def mappings(path: str) -> list[str]:
    """What Linux says of the places where the process has a file in memory."""
    maps = Path("/proc/self/smaps")
    if not maps.exists():
        pytest.skip("the system does not show what is mapped")
    parts = re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", maps.read_text(), flags=re.MULTILINE)
    return [part for part in parts if part.partition("\n")[0].endswith(path)]


def test_memory_mapped(path: str) -> None:
    """A weight that needs no conversion is the file's memory, not a copy."""
    weight = loaded(path, lambda: weights.get("a"))
    start, end = (int(number, 16) for number in mappings(path)[0].split()[0].split("-"))
    assert start <= weight.data_ptr() < end


def test_parts_of_a_whole_leave_memory(tmp_path: Path) -> None:
    """Of 3 MiB that were read to be joined nothing stays but the whole."""
    path, session = str(tmp_path / "w.safetensors"), Session("cpu")
    save_file({name: torch.ones(512, 512) for name in QKV}, path)
    loaded(path, lambda: weights.get(FUSED_QKV), session)
    kibibytes = [int(size) for part in mappings(path) for size in re.findall(r"Rss: +(\d+)", part)]
    assert sum(kibibytes) < 1024
    assert kibibytes  # the file is open still


@pytest.mark.parametrize("index", [False, True])
def test_folder_of_shards(index: bool, tmp_path: Path) -> None:
    save_file({"a": torch.zeros(1), "b": torch.ones(1)}, tmp_path / "m-00001-of-2.safetensors")
    save_file({"a": torch.ones(1)}, tmp_path / "m-00002-of-2.SafeTensors")
    (tmp_path / "notes.txt").write_text("no weights")
    if index:
        # it would place `a` in the first file
        places = {"weight_map": dict.fromkeys("ab", "m-00001-of-2.safetensors")}
        (tmp_path / "model.safetensors.index.json").write_text(json.dumps(places))
    path = str(tmp_path)
    assert in_run(lambda: weights.load(path)) == 2
    # the later file wins
    exactly(loaded(path, lambda: weights.get("a")), [1], torch.float32)


def test_a_part_is_missing(tmp_path: Path) -> None:
    save_file({"a": torch.zeros(1)}, tmp_path / "m-00002-of-00003.safetensors")
    save_file({"b": torch.zeros(1)}, tmp_path / "m-00001-of-00003.safetensors")
    message = refusal(lambda: weights.load(str(tmp_path)))
    assert message == (
        f"flint::weights::load: m-00001-of-00003.safetensors is in {tmp_path}, but not part 3 of 3"
    )


@pytest.mark.parametrize(
    "function", [weights.get, weights.has, lambda name: weights.get_or(name, "a")]
)
def test_a_weight_of_a_missing_part(function: Any, tmp_path: Path) -> None:
    """What is there can be used; asking for the rest is an error, not an absent weight."""
    names = [f"m-0000{part}-of-00002.safetensors" for part in (1, 2)]
    save_file({"a": torch.zeros(1)}, tmp_path / names[0])
    index = {"weight_map": {"a": names[0], "b": names[1]}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    exactly(loaded(str(tmp_path), lambda: weights.get("a")), [0], torch.float32)
    message = refusal(lambda: loaded(str(tmp_path), lambda: function("b")))
    assert message.endswith(f"'b' is in {names[1]}, which is not in {tmp_path}")


@pytest.mark.parametrize("index", ["", "[]", "{", '{"weight_map": 5}', "[" * 100_000])
def test_what_is_no_index_does_not_count(index: str, tmp_path: Path) -> None:
    save_file({"a": torch.zeros(1)}, tmp_path / "m.safetensors")
    (tmp_path / "m.safetensors.index.json").write_text(index)
    assert loaded(str(tmp_path), lambda: weights.has("a") and not weights.has("b"))


def test_folder_without_weights(tmp_path: Path) -> None:
    message = refusal(lambda: weights.load(str(tmp_path)))
    assert message == f"flint::weights::load: no safetensors file in {tmp_path}"


def header(text: str | bytes, length: int | None = None) -> bytes:
    encoded = text.encode() if isinstance(text, str) else text
    return struct.pack("<Q", len(encoded) if length is None else length) + encoded


def entry(**changes: Any) -> str:
    return json.dumps({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]} | changes})


DAMAGED = {
    "empty": b"",
    "cut in the length": b"\x01\x00",
    "length without header": header("", 100),
    "enormous length": header("{}", 2**63),
    "no JSON": header("nonsense"),
    "no UTF-8": header(b"{\xff\xfe}"),
    "an array": header("[]"),
    "deeply nested": header("[" * 50_000),
    "no data": header(entry()),
    "cut data": header(entry()) + b"1234",
    "surplus data": header(entry()) + b"1" * 9,
    "offsets beyond the end": header(entry(data_offsets=[0, 2**62])) + b"1" * 8,
    "offsets backwards": header(entry(data_offsets=[8, 0])) + b"1" * 8,
    "negative offsets": header(entry(data_offsets=[-8, 0])) + b"1" * 8,
    "shape too large": header(entry(shape=[2**40, 2**40])) + b"1" * 8,
    "negative shape": header(entry(shape=[-2])) + b"1" * 8,
    "unknown type": header(entry(dtype="Q4")) + b"1" * 8,
    "no shape": header('{"a": {"dtype": "F32"}}') + b"1" * 8,
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_file(case: str, tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    path.write_bytes(DAMAGED[case])
    for name, call in (
        ("weights::load", lambda: weights.load(str(path))),
        ("tensor::load_safetensors", lambda: tensor.load_safetensors(str(path), "a")),
    ):
        message = refusal(call)
        assert message.startswith(f"flint::{name}: cannot read {path}: ")
        assert len(message.splitlines()) == 1


@pytest.mark.parametrize("path", ["/nonexistent/w.safetensors", "", "a\0b", "\ud800"])
def test_unreadable_path(path: str) -> None:
    for call in (lambda: weights.load(path), lambda: tensor.load_safetensors(path, "a")):
        assert "cannot read" in refusal(call)


def test_save_and_load(dtype: torch.dtype, tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "folder" / "t.safetensors")
    x = random(3, 4, dtype=dtype).t()
    assert tensor.save_safetensors(x, path, "x")
    again = in_run(lambda: tensor.load_safetensors(path, "x"))
    assert again.dtype == dtype
    assert torch.equal(again, x)
    assert tensor.save_safetensors(torch.tensor([True]), path, "y")
    exactly(load_file(path)["y"], [True], torch.bool)
    # what was loaded before the file was replaced is untouched
    assert torch.equal(again, x)
    assert os.listdir(tmp_path / "new" / "folder") == ["t.safetensors"]
    assert refusal(lambda: tensor.load_safetensors(path, "x")).endswith("has no tensor 'x'")


def test_save_refuses(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path, reason in (
        (tmp_path / "file" / "t.safetensors", "cannot create"),
        (tmp_path, "cannot write"),
    ):
        message = refusal(lambda path=path: tensor.save_safetensors(random(1), str(path), "x"))  # type: ignore[misc]
        assert message.startswith(f"flint::tensor::save_safetensors: {reason} {tmp_path}")
    assert sorted(os.listdir(tmp_path)) == ["file"]


def test_runner_keeps_weights(path: str) -> None:
    script = (
        "use flint;\n"
        "flint::weights::load(flint::runtime::arg(0));\n"
        'let w: int = flint::weights::get("a");\n'
        "flint::runtime::set_text_output(flint::tensor::shape(w));"
    )
    runner = flint.TorchScriptRunner("cpu")
    compiled = flint.compile_source(script).program
    assert [runner.run_text(compiled, [path]).text for _ in range(2)] == ["[2]", "[2]"]
    os.remove(path)
    assert runner.run_text(compiled, [path]).text == "[2]"


def test_released_weights_are_read_again(path: str, session: Session) -> None:
    """Those with the prefix only; a whole that was made of parts is made again."""

    def main() -> None:
        kept, ones, fused = (weights.get(name) for name in ("b0.w", "a", FUSED_QKV))
        assert weights.release("a") == 1
        assert weights.release("l.self_attn.") == 1
        assert weights.release("none") == 0
        assert weights.get("b0.w") is kept
        assert weights.get("a") is not ones
        assert torch.equal(weights.get("a"), ones)
        assert weights.get(FUSED_QKV) is not fused
        assert torch.equal(weights.get(FUSED_QKV), fused)

    loaded(path, main, session)


def test_release_unmaps_the_file(path: str, session: Session) -> None:
    """Its pages count as memory of the process while it is mapped."""

    def maps() -> bool:
        return path in Path("/proc/self/maps").read_text(encoding="utf-8")

    def main() -> None:
        weight = weights.get("a")
        assert maps()
        weights.release("")
        assert maps()
        assert weight.tolist() == [1, 1]
        del weight
        assert not maps()

    loaded(path, main, session)


def test_a_file_that_went_after_release(path: str, session: Session) -> None:
    def main() -> None:
        weights.get("a")
        weights.release("")
        os.remove(path)
        weights.get("a")

    assert f"cannot read {path}: " in refusal(lambda: loaded(path, main, session))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    os.mkfifo(path)
    assert refusal(lambda: weights.load(str(path))) == (
        f"flint::weights::load: cannot read {path}: not a regular file"
    )
