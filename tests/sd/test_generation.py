"""Images of the tiny model: by every way to run the script, and equal to the library's own call."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from PIL import Image
from safetensors.numpy import load_file

import toy_klein
from tests.runtime.support import ROOT, python
from tests.sd.support import SCRIPT, THREADS, model, pixels
from toy_klein import Paths

# Runs the flint command, then prints which heavy packages it loaded.
COMMAND = """
import atexit, sys
heavy = {"torch", "numpy", "llama_cpp", "tokenizers"}
atexit.register(lambda: print(sorted(heavy & set(sys.modules))))
from flint.cli import main
main()
"""

EMBEDDED = """
import hashlib, sys
import flint
from flint.program import Program
from flint.runtime import sd

script, folder, diffusion, vae, llm, checkpoint = sys.argv[1:]
runner = flint.ScriptRunner()
program = flint.compile_script_file(script).program
sizes = ["64", "64", "2", "1"]
runner.run_text(program, [diffusion, vae, llm, "a cat", folder + "/embedded.png", *sizes])

def settings(seed, width=64, height=64, method="auto"):
    params = sd.img_gen_params_init()
    sd.img_gen_params_set_prompt(params, "a cat", "")
    sd.img_gen_params_set_size(params, width, height)
    sd.img_gen_params_set_sample(params, 2, seed, 1.0)
    sd.img_gen_params_set_sampler(params, sd.str_to_sample_method(method), sd.str_to_scheduler(""))
    return params

def main():
    params = sd.ctx_params_init()
    sd.ctx_params_set_paths(params, checkpoint, "", "", "")
    sd.ctx_params_set_flags(params, False, False, True)
    context = sd.new_sd_ctx(params)
    for name, params in {
        "first.png": settings(1),
        "other.png": settings(2),
        "odd.bmp": settings(1, 20, 17),
        "euler.png": settings(1, method="euler"),
    }.items():
        images = sd.generate_image(context, params)
        sd.images_save(images, 0, f"{folder}/{name}")
        sd.free_sd_images(images)
    print(sd.get_default_sample_method(context), sd.get_default_scheduler(context, 20))
    print(sd.get_default_scheduler(context, sd.str_to_sample_method("lcm")))

runner.run_text(Program("test", lambda: main))
"""


def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return python("-c", COMMAND, "--sd", "--script", SCRIPT, *map(str, arguments), **THREADS)


@dataclass(frozen=True)
class Embedded:
    """The folder of what `EMBEDDED` saves, what it prints, and the lines of its log."""

    folder: Path
    printed: str
    log: list[str]


@pytest.fixture(scope="module")
def embedded(klein: Paths, tmp_path_factory: pytest.TempPathFactory) -> Embedded:
    folder = tmp_path_factory.mktemp("embedded")
    checkpoint = str(toy_klein.write_checkpoint(folder / "all.safetensors", klein))
    arguments = (SCRIPT, str(folder), *model(klein), checkpoint)
    result = python("-c", EMBEDDED, *arguments, **THREADS, FLINT_LOG="1")
    assert result.returncode == 0, result.stderr
    return Embedded(folder, result.stdout, result.stderr.splitlines())


def test_the_generated_module_makes_the_same_image(
    klein: Paths, expected: Path, tmp_path: Path
) -> None:
    arguments = (*model(klein), "a cat", str(tmp_path / "a.png"), "64", "64", "2", "1")
    result = python("-m", "generated.flux_klein", *arguments, **THREADS)
    assert (result.returncode, result.stderr) == (0, "")
    assert pixels(tmp_path / "a.png") == pixels(expected)


def test_the_runner_makes_the_same_image(embedded: Embedded, expected: Path) -> None:
    assert pixels(embedded.folder / "embedded.png") == pixels(expected)


def test_one_context_makes_the_same_image_again(embedded: Embedded, expected: Path) -> None:
    """It is of a full checkpoint, and `euler` what is automatic; others were made in between."""
    assert pixels(embedded.folder / "first.png") == pixels(expected)
    assert pixels(embedded.folder / "euler.png") == pixels(expected)


def test_another_seed_makes_another_image(embedded: Embedded, expected: Path) -> None:
    mode, size, data = pixels(embedded.folder / "other.png")
    assert (mode, size) == ("RGB", (64, 64))
    assert data != pixels(expected)[2]


def test_automatic_is_what_the_model_prefers(embedded: Embedded) -> None:
    # euler and discrete for flow models, lcm for lcm: sd_get_default_… in the library
    assert embedded.printed == "0 0\n9\n"


def test_sizes_are_rounded_up_to_16(embedded: Embedded) -> None:
    assert pixels(embedded.folder / "odd.bmp")[:2] == ("RGB", (32, 32))
    told = [line for line in embedded.log if line.startswith("the image is ")]
    assert told == ["the image is 32 x 32, not 20 x 17: the model's sizes are rounded up"]


def test_quantized_gguf_files_and_jpeg(klein: Paths, expected: Path, tmp_path: Path) -> None:
    diffusion, encoder = load_file(klein.diffusion), load_file(klein.llm)
    name = toy_klein.gguf_name
    files = (
        toy_klein.write_gguf(tmp_path / "diffusion.gguf", diffusion, "flux"),
        klein.vae,
        toy_klein.write_gguf(tmp_path / "llm.gguf", encoder, "qwen3", name),
    )
    result = command(*files, "a cat", tmp_path / "a.JPG", "64", "64", "2", "1")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == f"{tmp_path / 'a.JPG'}\n[]\n"  # nothing heavy, such as torch
    with Image.open(tmp_path / "a.JPG") as image:
        assert (image.format, image.size) == ("JPEG", (64, 64))
    data = pixels(tmp_path / "a.JPG")[2]
    near = sum(abs(a - b) for a, b in zip(data, pixels(expected)[2], strict=True)) / len(data)
    assert near < 40  # of 255: the same image, through 8-bit weights and JPEG; others differ by 85


def test_the_log(embedded: Embedded) -> None:
    assert embedded.log[0] == "devices of stable-diffusion.cpp:"
    assert embedded.log[1].startswith("CPU\t")
    assert any(line.startswith("info: Version: Flux.2 klein") for line in embedded.log)


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        (("a.png", "64", "0"), "img_gen_params_set_size: height has to be > 0, it is 0"),
        (
            ("a.txt",),
            "images_check_path: cannot save the image: a.txt: the extension .txt names no image "
            "format; use .png or .jpg",
        ),
        (
            (f"{__file__}/a.png",),
            f"images_check_path: cannot save the image: {__file__}/a.png: Not a directory",
        ),
    ],
    ids=["size", "extension", "folder"],
)
def test_a_mistake_is_found_before_loading(words: tuple[str, ...], refused: str) -> None:
    """Also without the library."""
    result = command("none", "none", "none", "a cat", *words)
    assert result.returncode == 1
    assert result.stderr.splitlines()[0] == f"Error: host error: flint::sd::{refused}"
    assert "Traceback" not in result.stderr


def test_without_the_library_the_command_says_what_to_install(tmp_path: Path) -> None:
    package = tmp_path / "stable_diffusion_cpp"
    package.mkdir()
    (package / "__init__.py").write_text("raise ModuleNotFoundError(__name__)\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{COMMAND}"
    devices = str(ROOT / "scripts" / "ggml_devices.rss")
    result = python("-c", code, "--sd", "--script", devices)
    assert result.returncode == 1
    assert "pip install 'flintc[sd]'" in result.stderr
    assert "Traceback" not in result.stderr


def test_devices(library: None) -> None:
    result = python("-m", "generated.ggml_devices")
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[-1] == ""  # the text ends with a line end, and the command adds one
    names = [line.split("\t")[0] for line in lines[:-1]]
    assert "CPU" in names
    assert all(line.count("\t") == 1 for line in lines[:-1])


def test_package_folder(library: None) -> None:
    code = (
        "import flint; from flint.program import Program; from flint.runtime import ggml\n"
        "def main():\n"
        "    print(ggml.stable_diffusion_package_dir('auto'))\n"
        "    print(ggml.load_stable_diffusion_backends('cpu'))\n"
        "flint.ScriptRunner().run_text(Program('test', lambda: main))\n"
    )
    result = python("-c", code)
    folder, loaded = result.stdout.splitlines()
    assert any("stable-diffusion" in path.name for path in Path(folder).iterdir())
    assert loaded == "True"
