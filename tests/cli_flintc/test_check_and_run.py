"""`flintc check`, `run` and `exec`: exit codes, streams, and inputs that cannot be compiled."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Flintc = Callable[..., Result]


def write(folder: Path, name: str, content: bytes) -> str:
    (folder / name).write_bytes(content)
    return name


INPUTS = [
    ("latin-1", b'println("caf\xe9");', "E_FILE"),
    ("utf-16", "println(1);".encode("utf-16"), "E_FILE"),
    ("byte order mark", b"\xef\xbb\xbfprintln(1);", "E_UNEXPECTED_CHARACTER"),
    ("null bytes", b"\0\0\0", "E_UNEXPECTED_CHARACTER"),
    ("half a program", b"fn f(", "E_EXPECTED_NAME"),
]


@pytest.mark.parametrize(("content", "code"), [i[1:] for i in INPUTS], ids=[i[0] for i in INPUTS])
@pytest.mark.parametrize("command", [("check",), ("build",), ("run",)])
def test_input_with_a_problem(
    flintc: Flintc, folder: Path, command: tuple[str, ...], content: bytes, code: str
) -> None:
    result = flintc(*command, write(folder, "a.rss", content))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"error[{code}]: ")


@pytest.mark.parametrize(
    ("content", "printed"),
    [
        (b"", ""),
        (b" \n\t\n", ""),
        (b"// nothing\n", ""),
        (b"println(1);\r\nprintln(2);\r\n", "1\n2\n"),
        (b"println(1); // no line feed", "1\n"),
    ],
)
def test_input_without_problem(flintc: Flintc, folder: Path, content: bytes, printed: str) -> None:
    name = write(folder, "a.rss", content)
    assert (flintc("check", name).output, flintc("check", name).exit_code) == ("", 0)
    assert flintc("build", name).exit_code == 0
    result = flintc("run", name)
    assert (result.exit_code, result.stdout) == (0, printed)


@pytest.mark.parametrize("command", [("check",), ("build",), ("run",), ("fmt",)])
def test_a_missing_file(flintc: Flintc, command: tuple[str, ...]) -> None:
    result = flintc(*command, "nothing.rss")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "error[E_FILE_NOT_FOUND]: cannot find nothing.rss\n"


@pytest.mark.parametrize("command", [("check",), ("build",), ("run",), ("fmt",)])
def test_a_file_that_cannot_be_read(flintc: Flintc, folder: Path, command: tuple[str, ...]) -> None:
    """A link to itself: not even root can read it."""
    (folder / "loop.rss").symlink_to("loop.rss")
    result = flintc(*command, "loop.rss")
    assert result.exit_code == 1
    assert result.stderr.startswith("error[E_FILE]: cannot read `loop.rss`: ")


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "."),
        ("check",),
        ("build",),
        ("build", "."),
        ("run",),
        ("exec", "a.rss"),
        ("fmt",),
        ("fmt", "."),
        ("check", "--format", "xml", "a.rss"),
        ("explain", "E_NO_SUCH_CODE"),
        ("unknown",),
    ],
)
def test_a_wrong_command_line(flintc: Flintc, folder: Path, arguments: tuple[str, ...]) -> None:
    write(folder, "a.rss", b"1;")
    result = flintc(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Usage: ")


# -- problems as text and as JSON ------------------------------------------------------------


def test_all_problems_of_all_files(flintc: Flintc, folder: Path) -> None:
    write(folder, "a.rss", b"let a = b;\nlet c = d;\n")
    write(folder, "e.rss", b"let e = ;\n")
    result = flintc("check", "a.rss", "e.rss")
    assert (result.exit_code, result.stdout) == (1, "")
    places = [line.strip() for line in result.stderr.splitlines() if "-->" in line]
    assert places == ["--> a.rss:1:9", "--> a.rss:2:9", "--> e.rss:1:9"]
    assert "\x1b" not in result.stderr


def test_a_shared_module_is_reported_once(flintc: Flintc, folder: Path) -> None:
    write(folder, "shared.rss", b"pub fn f() -> int { missing }\n")
    for name in ("a.rss", "b.rss"):
        write(folder, name, b"use shared;\nshared::f();\n")
    assert flintc("check", "a.rss", "b.rss").stderr.count("unknown local `missing`") == 1


@pytest.mark.parametrize("command", ["check", "build"])
def test_json(flintc: Flintc, folder: Path, command: str) -> None:
    write(folder, "a.rss", "let ö = 1;\nx = 2;\n".encode())
    result = flintc(command, "--format", "json", "a.rss")
    assert (result.exit_code, result.stderr) == (1, "")
    first = json.loads(result.stdout)[0]
    assert first["code"] == "E_UNEXPECTED_CHARACTER"
    assert (first["severity"], first["phase"], first["file"]) == ("error", "parse", "a.rss")
    place = [first[key] for key in ("line", "column", "end_line", "end_column")]
    assert place == [1, 5, 1, 6]
    assert result.stdout.isascii()


def test_json_without_problems(flintc: Flintc, folder: Path) -> None:
    assert flintc("check", "--format", "json", write(folder, "a.rss", b"1;")).stdout == "[]\n"


def test_only_the_first_fifty_are_printed(flintc: Flintc, folder: Path) -> None:
    lines = "".join(f"let a{i} = missing{i};\n" for i in range(63))
    name = write(folder, "a.rss", lines.encode())
    text = flintc("check", name).stderr
    assert text.count("error[E_UNKNOWN_LOCAL]") == 50
    assert text.endswith("\nand 13 more\n")
    assert len(json.loads(flintc("check", "--format", "json", name).stdout)) == 63


# -- running ---------------------------------------------------------------------------------


def test_arguments_reach_the_script(flintc: Flintc, folder: Path) -> None:
    text = b"use flint;\nprintln(flint::runtime::arg(0));\nprintln(flint::runtime::arg(1));\n"
    result = flintc("run", write(folder, "a.rss", text), "--help", "-x")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "--help\n-x\n", "")


def test_a_failed_run(flintc: Flintc, folder: Path) -> None:
    result = flintc("run", write(folder, "a.rss", b'println("before");\nlet a = [1];\na[7];\n'))
    assert (result.exit_code, result.stdout) == (1, "before\n")
    assert "Traceback" not in result.stderr
    assert "a.rss:3" in result.stderr


def outcome(result: Result) -> dict[str, object]:
    value = json.loads(result.stdout)
    assert isinstance(value, dict)
    return value


def test_exec(flintc: Flintc, folder: Path) -> None:
    result = flintc("exec", "--json", write(folder, "a.rss", b'print("a"); 6 * 7;'))
    assert (result.exit_code, result.stderr) == (0, "")
    stack = [{"type": "string", "value": "a"}, {"type": "int", "value": 42}]
    assert outcome(result) == {"status": "ok", "stdout": "a", "stack": stack, "error": None}


@pytest.mark.parametrize(
    ("content", "status", "line"),
    [
        (b"let a = 1;\nlet b = c;\n", "compile_error", 2),
        (b"let a = [1];\n\na[7];\n", "runtime_error", 3),
    ],
)
def test_exec_with_an_error(
    flintc: Flintc, folder: Path, content: bytes, status: str, line: int
) -> None:
    result = flintc("exec", "--json", write(folder, "a.rss", content))
    found = outcome(result)
    assert (result.exit_code, found["status"], found["stack"]) == (1, status, None)
    assert isinstance(found["error"], dict)
    assert found["error"]["line"] == line


def test_exec_of_a_missing_file(flintc: Flintc) -> None:
    found = outcome(flintc("exec", "--json", "nothing.rss"))
    assert found["status"] == "compile_error"
