"""Scripts whose names are no Python names still become modules that can be imported and run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Flintc = Callable[..., Result]

NAMES = [
    ("my-script.rss", "my_script"),
    ("class.rss", "class_"),
    ("1.rss", "_1"),
    ("a b.rss", "a_b"),
    ("a.b.rss", "a_b"),
    ("größe.rss", "gr__e"),
    ("None.rss", "None_"),
    ("typing.rss", "typing"),
    ("flint.rss", "flint"),
    ("__main__.rss", "__main__"),
    ("-.rss", "_"),
    (".rss.rss", "_rss"),
]
HIDING = ("typing", "flint")
"""Those that Python would find in place of a module that it has, were they run as files."""


@pytest.mark.parametrize(("file", "module"), NAMES)
def test_module_name(flintc: Flintc, folder: Path, root: Path, file: str, module: str) -> None:
    (folder / file).write_text("fn twice(x: int) -> int {\n    x + x\n}\nprintln(twice(4));\n")
    result = flintc("build", "--", file)
    assert result.exit_code == 0, result.stderr
    built, _, warning = result.stderr.partition("\n")
    assert built == f"built {Path('generated') / module}.py"
    assert warning.startswith("warning[W_OUTPUT_NAME]: ") if module in HIDING else not warning
    path = os.pathsep.join([str(folder), str(root / "runtime")])
    code = f"from generated.{module} import twice; print(twice(21))"
    for arguments, printed in ((["-m", f"generated.{module}"], "8\n"), (["-c", code], "42\n")):
        ran = subprocess.run(
            [sys.executable, *arguments],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
        )
        assert (ran.stdout, ran.stderr) == (printed, "")


@pytest.mark.parametrize(("length", "built"), [(248, True), (249, False), (251, False)])
def test_the_longest_names(flintc: Flintc, folder: Path, length: int, built: bool) -> None:
    """The source map's name is 7 longer than the module's and has to fit 255 bytes."""
    name = "a" * length
    (folder / f"{name}.rss").write_text("1;\n")
    result = flintc("build", f"{name}.rss")
    assert result.exit_code == int(not built)
    assert ("py.map: File name too long" in result.stderr) is not built
    found = {path.name for path in (folder / "generated").glob("a*")}
    assert found == ({f"{name}.py", f"{name}.py.map"} if built else set())


@pytest.mark.parametrize("name", ["hello.txt", "hello", "hello.RSS", "hello.rss.py"])
def test_other_extensions(flintc: Flintc, folder: Path, name: str) -> None:
    (folder / name).write_text("1;\n")
    for command in ("build", "check"):
        result = flintc(command, name)
        assert result.exit_code == 1
        assert f"error[E_FILE]: `{name}` is not a RustScript file (`.rss`)" in result.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_not_utf_8(flintc: Flintc, folder: Path) -> None:
    name = os.fsdecode(b"caf\xe9.rss")
    (folder / name).write_text("1;\n")
    assert flintc("check", name).exit_code == 0
    assert flintc("fmt", name).stdout == "already formatted caf\ufffd.rss\n"
    result = flintc("build", name)
    assert result.exit_code == 0
    assert [p.name for p in (folder / "generated").glob("caf*.py")] == ["caf_.py"]
