"""`flintc lsp` where its package is missing, and where a host module is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT), str(ROOT / "runtime")])
    environment = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("package", ["pygls", "lsprotocol"])
def test_without_its_package_the_server_says_what_to_install(package: str, tmp_path: Path) -> None:
    code = (
        f"import sys; sys.modules[{package!r}] = None\nfrom flintc.cli import main; main(['lsp'])"
    )
    done = _python(code, tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "pip install 'flintc[lsp]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_host_module_that_is_missing_ends_the_server_with_its_problem(tmp_path: Path) -> None:
    code = "from flintc.cli import main; main(['lsp', '--host', 'no_such_module'])"
    done = _python(code, tmp_path)
    assert done.returncode == 1
    assert "error[E_HOST_MODULE]" in done.stderr


def test_other_commands_load_nothing_of_the_server(tmp_path: Path) -> None:
    (tmp_path / "a.rss").write_text("print(1);\n", encoding="utf-8")
    code = (
        "import sys\nfrom flintc.cli import main\n"
        "try: main(['check', 'a.rss'])\n"
        "except SystemExit: pass\n"
        "print([name for name in sys.modules if name.startswith(('pygls', 'flintc.lsp'))])"
    )
    assert _python(code, tmp_path).stdout == "[]\n"
