"""`flint::ggml`: devices of a folder with ggml libraries."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import flint
from flint.program import Program
from flint.runtime import ggml
from flint.runtime.ggml_library import GgmlLibrary
from tests.runtime.support import python


@pytest.fixture(scope="module")
def libraries() -> Path:
    """The folder of llama-cpp-python's libraries; the package is not imported."""
    spec = importlib.util.find_spec("llama_cpp")
    assert spec is not None
    return Path(spec.origin or "").parent / "lib"


def listed(path: Path) -> str:
    texts: list[str] = []
    main = Program("test", lambda: lambda: texts.append(ggml.list_devices(str(path))))
    flint.ScriptRunner().run_text(main)
    return texts[0]


def test_devices(libraries: Path) -> None:
    text = listed(libraries)
    assert text.endswith("\n")
    names = [line.split("\t")[0] for line in text.splitlines()]
    assert "CPU" in names
    assert all(line.count("\t") == 1 for line in text.splitlines())


def test_a_file_means_its_folder_and_links_are_followed(libraries: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(libraries)
    expected = listed(libraries)
    assert listed(next(libraries.glob("*ggml-base*"))) == expected
    assert listed(tmp_path / "link") == expected


def test_loading_again_adds_no_device(libraries: Path) -> None:
    def main() -> None:
        before = ggml.list_devices(str(libraries))
        assert ggml.load_backends(str(libraries)) is True
        assert ggml.list_devices(str(libraries)) == before

    flint.ScriptRunner().run_text(Program("test", lambda: main))


class Function:
    """A C function of a library: gives `result`, but 0 for index 1."""

    def __init__(self, result: int) -> None:
        self.result = result

    def __call__(self, index: int = 0) -> int:
        return 0 if index == 1 else self.result


def test_null_devices_and_a_library_without_name_functions() -> None:
    class Old:
        ggml_backend_dev_count = Function(3)
        ggml_backend_dev_get = Function(1234)

    devices = list(GgmlLibrary(Old()).devices())  # type: ignore[arg-type]
    assert [(device.name, device.description) for device in devices] == [
        ("device0", ""),
        ("device2", ""),
    ]


def test_neither_llama_nor_torch_is_imported(libraries: Path) -> None:
    code = (
        "import sys; from flint.runtime import ggml, program; "
        "main = lambda: program.set_text_output(ggml.list_devices(program.arg(0))); "
        "program.run_main(main); "
        "print(sorted({'torch', 'llama_cpp', 'numpy'} & set(sys.modules)))"
    )
    result = python("-c", code, str(libraries))
    assert result.stdout.endswith("\n\n[]\n"), result.stderr
    assert result.stderr == ""
