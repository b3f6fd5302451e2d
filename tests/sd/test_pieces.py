"""The parts of `flint::sd` that need no library: names, prompts, backends, image files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import flint
from flint.lang.errors import HostError
from flint.program import Program
from flint.runtime import sd
from flint.runtime.ggml_library import Device
from flint.runtime.host import Refused
from flint.runtime.sd.backend import Placement, placement
from flint.runtime.sd.names import SAMPLE_METHODS, SCHEDULERS, weight_type
from flint.runtime.sd.picture import require_path, save_pixels
from flint.runtime.sd.prompt import prompt_bytes
from flint.runtime.sd.settings import Pixels

CPU = Device("CPU", "CPU", "a processor", 0, is_gpu=False)
GPU = Device("CUDA0", "CUDA", "a card", 0, is_gpu=True)


@pytest.mark.parametrize(
    ("name", "number"),
    [("euler", 0), ("dpm++2mv2", 6), ("er_sde", 14), ("dpm++2m_sde_bt", 19), ("auto", 20)],
)
def test_numbers_of_sample_methods(name: str, number: int) -> None:
    """Numbers as host-functions.md 3.2 states them."""
    assert SAMPLE_METHODS.number(name) == number
    assert SAMPLE_METHODS.name(number) == name


@pytest.mark.parametrize(
    ("name", "number"),
    [("discrete", 0), ("lcm", 9), ("bong_tangent", 10), ("flux2", 13), ("beta", 15), ("auto", 16)],
)
def test_numbers_of_schedulers(name: str, number: int) -> None:
    assert SCHEDULERS.number(name) == number
    assert SCHEDULERS.name(number) == name


def test_the_empty_name_is_automatic() -> None:
    assert (SAMPLE_METHODS.number(""), SCHEDULERS.number("")) == (20, 16)


def test_scripts_ask_for_names_under_both_namespaces() -> None:
    script = """
        use flint;
        let method: int = flint::sd::str_to_sample_method("lcm");
        let scheduler: int = flint::diffusion::str_to_scheduler("karras");
        let name: string = flint::diffusion::sample_method_name(method);
        flint::runtime::set_text_output(name + scheduler + flint::sd::scheduler_name(scheduler));
    """
    program = flint.compile_source(script).program
    assert flint.ScriptRunner().run_text(program).text == "lcm1karras"


@pytest.mark.parametrize(
    ("given", "exact"),
    [("", "auto"), ("AUTO", "auto"), ("Half", "f16"), ("FLOAT", "f32"), ("Q8", "q8_0")],
)
def test_aliases_of_weight_types(given: str, exact: str) -> None:
    assert weight_type(given) == exact
    assert weight_type("iq4_xs") == "iq4_xs"


# ---- prompts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "a (cat:1.2) and a (dog:.5)",
        "(deep (deeper:1.1):-2)",
        "a smile :..)",  # no bracket is open, so nothing is converted
        r"\(literally:.)",
        "(1:2:3.4)",
        "(version:1.2.3)",  # stof takes 1.2
        "(nothing:0.000)",
        "(:5.)",
        "(a:+)",  # neither digit nor point: text
        "漢字 and 😀",
    ],
)
def test_prompts_that_the_library_takes(prompt: str) -> None:
    assert prompt_bytes("prompt", prompt) == prompt.encode()


@pytest.mark.parametrize(
    "prompt",
    [
        *("(a:.)", "(a:..5)", "((a):-.)", r"(a\:.)", r"\\(a:.)"),
        *("(a:" + "9" * 40 + ")", "(a:." + "0" * 60 + "1)"),
    ],
)
def test_prompts_that_would_end_the_process(prompt: str) -> None:
    with pytest.raises(Refused, match="which is no number"):
        prompt_bytes("prompt", prompt)


@given(st.text(alphabet="()[]:.-+19a\\", max_size=30))
def test_every_prompt_is_taken_or_refused(prompt: str) -> None:
    try:
        taken = prompt_bytes("prompt", prompt)
    except Refused:
        assert re.search(r":[-+.\d]*\.[-+.\d]*\)", prompt)  # only a number with a point is none
    else:
        assert taken.decode() == prompt


# ---- backends -----------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["", "auto", "cpu", "CPU", "te=cpu,vae=cpu,diffusion=cpu"])
def test_a_build_for_the_cpu_computes_there(backend: str) -> None:
    assert placement(backend, "auto", "auto", [CPU]) == Placement()


def test_parts_kept_off_a_gpu() -> None:
    devices = [GPU, CPU]
    assert placement("cuda", "", "", devices) == Placement()
    assert placement("cuda12", "cuda0", "-1", devices) == Placement()
    assert placement("te=cpu,diffusion=cuda0", "cpu", "2.5", devices) == Placement(
        text_encoder_on_cpu=True, weights_in_ram=True, vram_gib=2.5
    )
    assert placement("vae=cpu", "", "-1.0", devices) == Placement(vae_on_cpu=True)


def test_the_gpu_cannot_be_left_unused() -> None:
    with pytest.raises(Refused, match=r"no backend 'cpu'; .* has CUDA0, CPU and computes on CUDA0"):
        placement("cpu", "", "", [GPU, CPU])


@pytest.mark.parametrize("backend", ["te", "te=", "=cpu", "te=cpu,,vae=cpu", "a=cpu", "cuda1", "c"])
def test_backends_that_cannot_be_had(backend: str) -> None:
    with pytest.raises(Refused, match="choosing the sd backend failed"):
        placement(backend, "", "", [GPU, CPU])


@pytest.mark.parametrize("max_vram", ["-2", "nan", "inf", "1e300", "8 GiB", "cuda0=4"])
def test_limits_of_gpu_memory_that_cannot_be_had(max_vram: str) -> None:
    with pytest.raises(Refused, match="max_vram"):
        placement("", "", max_vram, [CPU])


# ---- image files --------------------------------------------------------------------------------

PIXELS = Pixels(2, 1, 3, bytes([255, 0, 0, 0, 0, 255]))


@pytest.mark.parametrize("name", ["a.png", "a.PNG", "a.bmp", "deep/er/a.tiff"])
def test_formats_without_loss(name: str, tmp_path: Path) -> None:
    save_pixels(PIXELS, str(tmp_path / name))
    with Image.open(tmp_path / name) as image:
        assert image.size == (2, 1)
        assert image.convert("RGB").tobytes() == PIXELS.data


def test_the_longest_name_that_a_file_can_have(tmp_path: Path) -> None:
    target = tmp_path / ("a" * 251 + ".png")
    save_pixels(PIXELS, str(target))
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("name", ["a.png", "old.jpg", "new/folders/a.webp", "a" * 251 + ".png"])
def test_paths_that_can_be_written(name: str, tmp_path: Path) -> None:
    (tmp_path / "old.jpg").write_bytes(b"old")
    require_path(str(tmp_path / name))
    assert [path.name for path in tmp_path.iterdir()] == ["old.jpg"]  # nothing is made yet


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("a", "the extension none names no image format"),
        ("a.gguf", "the extension .gguf names no image format"),
        ("a\0.png", "NUL"),
        ("folder.png", "Is a directory"),
        ("old.jpg/a.png", "Not a directory"),
        ("old.jpg/deep/er/a.png", "Not a directory"),
        ("a" * 252 + ".png", "File name too long"),
    ],
)
def test_paths_that_cannot_be_written(name: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "old.jpg").write_bytes(b"old")
    for refused in (require_path, lambda path: save_pixels(PIXELS, path)):
        with pytest.raises(Refused, match=r"cannot (save the image|create the output folder)"):
            refused(str(tmp_path / name))
    with pytest.raises(Refused, match=problem):
        require_path(str(tmp_path / name))


def test_a_folder_that_takes_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: path != tmp_path)
    with pytest.raises(Refused, match=r"new/a\.png: Permission denied"):
        require_path(str(tmp_path / "new" / "a.png"))


def test_a_file_is_replaced_and_has_the_usual_mode(tmp_path: Path) -> None:
    target = tmp_path / "a.png"
    target.write_bytes(b"old")
    (tmp_path / "plain").write_bytes(b"")
    save_pixels(PIXELS, str(target))
    assert target.read_bytes().startswith(b"\x89PNG")
    assert target.stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.png", "plain"]


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.png"
    target.write_bytes(b"old")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Image.Image, "save", full)
    with pytest.raises(Refused, match=r"cannot save the image: .*No space left on device"):
        save_pixels(PIXELS, str(target))
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


def test_images_outlive_their_context_and_end_with_the_run() -> None:
    kept: list[sd.ImageBatch] = []
    main = Program("test", lambda: lambda: kept.append(sd.ImageBatch([PIXELS])))
    flint.ScriptRunner().run_text(main)
    assert kept[0].gone == "freed at the end of its run"
    with pytest.raises(HostError, match="freed at the end of its run"):
        flint.ScriptRunner().run_text(Program("test", lambda: lambda: sd.free_sd_images(kept[0])))
