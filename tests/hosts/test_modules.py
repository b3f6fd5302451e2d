"""How the user's modules are named, found and refused; the commands and the generated code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import flint
from flintc.compiler import compile_text

SCRIPT = "use mypackage;\nprintln(mypackage::ops::scale(1.5));\n"


def command(*words: str, root: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(root), str(root / "runtime")])
    return subprocess.run(
        [sys.executable, "-P", "-m", *words],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path, **environment},
        check=False,
    )


@pytest.fixture
def script(folder: Path) -> str:
    (folder / "main.rss").write_text(SCRIPT)
    return "main.rss"


@pytest.mark.parametrize("host", ["mypackage.ops", "mypackage/ops.py", "./mypackage/ops.py"])
def test_dotted_names_and_files_name_the_same_module(folder: Path, host: str) -> None:
    assert compile_text(SCRIPT, host=host).ok


@pytest.mark.parametrize(
    ("host", "title"),
    [
        ("mypackage.none", "there is no host module `mypackage.none`"),
        ("nowhere", "there is no host module `nowhere`"),
        ("sys", "there is no host module `sys`"),
        ("empty", "the host module `empty` has no annotated functions"),
        ("broken", "the host module `broken` is not Python: "),
        ("flint.runtime", "the host module `flint.runtime` clashes with the built-in namespace"),
        ("math", "the host module `math` clashes with the built-in namespace"),
        ("../other.py", "the host module `../other.py` lies outside the current folder"),
        ("my-package.ops", "`my-package.ops` cannot be a host module: scripts cannot write"),
        ("match.ops", "`match.ops` cannot be a host module: scripts cannot write `match`"),
        ("", "`` cannot be a host module"),
    ],
)
def test_modules_that_cannot_serve(folder: Path, host: str, title: str) -> None:
    (folder / "empty.py").write_text("def plain(x): return x\n")
    (folder / "broken.py").write_text("def (:\n")
    problem = compile_text(SCRIPT, host=host).problems.items[0]
    assert problem.code == "E_HOST_MODULE"
    assert problem.title.startswith(title)


def test_compiling_imports_nothing(folder: Path) -> None:
    (folder / "tools").mkdir()
    for name in ("__init__", "things"):
        text = "raise RuntimeError('imported')\ndef one() -> int: return 1\n"
        (folder / "tools" / f"{name}.py").write_text(text)
    assert compile_text("use tools; tools::things::one();", host="tools.things").ok


@pytest.mark.parametrize("words", [("run",), ("exec", "--json")])
def test_a_module_that_fails_when_imported(
    folder: Path, root: Path, words: tuple[str, ...]
) -> None:
    (folder / "broken.py").write_text("def one() -> int: return 1\n1 / 0\n")
    (folder / "main.rss").write_text("use broken; broken::one();\n")
    done = command("flintc", *words, "--host", "broken", "main.rss", root=root)
    message = (
        "host error: the module `broken` cannot be imported: ZeroDivisionError: division by zero"
    )
    assert done.returncode == 1
    assert message in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_package_can_be_a_host(folder: Path) -> None:
    (folder / "mypackage" / "__init__.py").write_text("def one() -> int: return 1\n")
    script = flint.compile_source(
        'use mypackage; use flint; flint::runtime::set_text_output("" + mypackage::one());',
        host=["mypackage", "mypackage.ops"],
    )
    assert flint.ScriptRunner().run_text(script.program).text == "1"


def test_generated_code_is_plain(folder: Path, script: str, root: Path) -> None:
    done = command("flintc", "build", "--host", "mypackage.ops", script, root=root)
    assert done.returncode == 0, done.stderr
    text = (folder / "generated" / "main.py").read_text()
    lines = text.splitlines()
    assert "from mypackage import ops" in lines
    assert "scale = checked(ops.scale)" in lines
    assert "    println(scale(1.5))" in lines
    ran = command("generated.main", root=root, PYTHONPATH=_path(folder, root))
    assert (ran.returncode, ran.stdout) == (0, "3\n")


@pytest.mark.slow
def test_generated_code_has_the_users_types(folder: Path, script: str, root: Path) -> None:
    command("flintc", "build", "--host", "mypackage.ops", script, root=root)
    typed = command(
        "mypy",
        "--strict",
        "--follow-imports=silent",
        "generated/main.py",
        root=root,
        MYPYPATH=_path(folder, root),
    )
    assert typed.returncode == 0, typed.stdout


def _path(folder: Path, root: Path) -> str:
    return os.pathsep.join(map(str, (folder, root, root / "runtime")))


def test_names_of_the_script_come_first(folder: Path) -> None:
    text = """use mypackage;
    fn scale(x: float) -> float { mypackage::ops::scale(x) + 1.0 }
    let ops = scale(1.0);
    let checked = mypackage::ops::total([1]);
    println(ops);
    println(checked);
    """
    python = compile_text(text, host="mypackage.ops").modules[-1].text
    assert "scale_ = checked_(ops_.scale)" in python
    script = flint.compile_source(text, host="mypackage.ops")
    flint.ScriptRunner().run_text(script.program)


def test_a_build_notices_changes_of_the_module(folder: Path, script: str, root: Path) -> None:
    build = ("flintc", "build", "--host", "mypackage.ops", script)
    assert "built" in command(*build, root=root).stderr
    assert "unchanged" in command(*build, root=root).stderr
    ops = folder / "mypackage" / "ops.py"
    ops.write_text(ops.read_text().replace("def scale(x: float", "def scale(x: str"))
    assert "E_TYPE_MISMATCH" in command(*build, root=root).stderr
    assert "W_UNKNOWN_HOST" not in command(*build[:2], script, root=root).stderr


@pytest.mark.parametrize(
    "words",
    [
        ("flintc", "run", "--host", "mypackage.ops", "main.rss"),
        ("flint", "--llama", "--host", "mypackage/ops.py", "--script", "main.rss"),
    ],
)
def test_commands_find_modules_of_the_current_folder(
    script: str, root: Path, words: tuple[str, ...]
) -> None:
    done = command(*words, root=root)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")


def test_exec_and_check_take_hosts(script: str, root: Path) -> None:
    done = command("flintc", "exec", "--json", "--host", "mypackage.ops", script, root=root)
    assert '"stdout": "3\\n"' in done.stdout
    done = command("flintc", "check", "--host", "mypackage.ops", script, root=root)
    assert (done.returncode, done.stderr) == (0, "")
    done = command("flintc", "check", "--host", "nowhere", script, root=root)
    assert done.returncode == 1
    assert done.stderr.startswith("error[E_HOST_MODULE]: there is no host module `nowhere`")


def test_exceptions_are_one_line_unless_asked_for(folder: Path, root: Path) -> None:
    (folder / "main.rss").write_text("use mypackage;\nmypackage::ops::fails(3);\n")
    words = ("flintc", "run", "--host", "mypackage.ops", "main.rss")
    done = command(*words, root=root)
    assert done.returncode == 1
    assert done.stderr == (
        "Error: host error: mypackage::ops::fails: ValueError: no 3\n"
        "  at main.rss:2:1 in main\n"
        "      mypackage::ops::fails(3);\n"
        "      ^^^^^^^^^^^^^^^^^^^^^^^^\n"
    )
    full = command(*words, root=root, FLINT_TRACEBACK="full").stderr
    assert "Traceback" in full
    assert 'raise ValueError(f"no {x}")' in full
