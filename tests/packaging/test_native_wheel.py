"""The tool that builds and caches the C++ bindings: cache keys, damaged wheels, rewriting."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from pathlib import Path

import pytest

import native_wheel
from wheel_file import is_wheel, rewrite_wheel

LLAMA = native_wheel.BINDINGS["llama"]
RECORD = "demo-1.dist-info/RECORD"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("FLINT_NATIVE", raising=False)


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "demo-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("demo/__init__.py", "")
        archive.writestr("include/stray.h", "int x;\n")
        archive.writestr("demo-1.dist-info/METADATA", "Name: demo\n")
        archive.writestr(RECORD, "")
    return path


def test_cache_folder_tells_version_platform_and_kind_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    portable = native_wheel.cache_folder(LLAMA)
    monkeypatch.setenv("FLINT_NATIVE", "1")
    native = native_wheel.cache_folder(LLAMA)
    assert portable.name.endswith("portable")
    assert native_wheel.cpu_digest() in native.name
    assert portable.parent == native.parent
    assert portable.parent.name == "llama-cpp-python-" + native_wheel.pinned_version(
        "llama-cpp-python"
    )


@pytest.mark.parametrize(("value", "native"), [("", False), ("0", False), ("1", True)])
def test_native_has_to_be_asked_for(
    value: str, native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLINT_NATIVE", value)
    assert native_wheel.native_cpu() is native


def test_stored_wheel_is_found_again(wheel: Path) -> None:
    assert native_wheel.cached_wheel(LLAMA) is None
    stored = native_wheel.store(LLAMA, wheel)
    assert native_wheel.cached_wheel(LLAMA) == stored
    assert stored.read_bytes() == wheel.read_bytes()
    assert [path.name for path in stored.parent.iterdir()] == [wheel.name]


def test_damaged_wheel_is_thrown_away(wheel: Path) -> None:
    stored = native_wheel.store(LLAMA, wheel)
    stored.write_bytes(wheel.read_bytes()[:100])
    assert native_wheel.cached_wheel(LLAMA) is None
    assert not stored.exists()


def test_wheel_of_another_python_is_left_alone(wheel: Path) -> None:
    other = wheel.rename(wheel.with_name("demo-1-cp39-cp39-any.whl"))
    stored = native_wheel.store(LLAMA, other)
    assert native_wheel.cached_wheel(LLAMA) is None
    assert stored.exists()


def test_missing_compiler_is_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(native_wheel.BuildError, match="no C\\+\\+ compiler found"):
        native_wheel.build(LLAMA)


def test_unpinned_distribution_is_an_error() -> None:
    with pytest.raises(native_wheel.BuildError, match="pins no version of no-such-thing"):
        native_wheel.pinned_version("no-such-thing")


def test_failed_command_shows_its_output() -> None:
    with pytest.raises(native_wheel.BuildError, match="out of luck"):
        native_wheel.run(["sh", "-c", "echo out of luck; exit 3"])


def test_rewrite_drops_and_adds_members_and_keeps_record_true(wheel: Path, tmp_path: Path) -> None:
    library = tmp_path / "libdemo.so"
    library.write_bytes(b"\x7fELF demo")
    folder = tmp_path / "rewritten"
    folder.mkdir()
    new = rewrite_wheel(
        wheel,
        folder,
        keep=lambda name: not name.startswith("include/"),
        add={"demo/lib/libdemo.so": library},
    )
    assert is_wheel(new)
    with zipfile.ZipFile(new) as archive:
        assert archive.testzip() is None
        record = list(csv.reader(io.StringIO(archive.read(RECORD).decode())))
        contents = {name: archive.read(name) for name in archive.namelist() if name != RECORD}
    assert set(contents) == {"demo/__init__.py", "demo-1.dist-info/METADATA", "demo/lib/libdemo.so"}
    expected = [
        [name, "sha256=" + _urlsafe_sha256(data), str(len(data))] for name, data in contents.items()
    ]
    assert sorted(record) == sorted([*expected, [RECORD, "", ""]])


def _urlsafe_sha256(data: bytes) -> str:
    digest = hashlib.sha256(data).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
