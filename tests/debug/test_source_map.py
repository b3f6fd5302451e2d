"""Source maps lead from every line of the generated modules to the line of the script, and back."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from flintc import map_files
from flintc.cli import main
from flintc.emit.comments import comment_lines
from flintc.map_files import MappedModule
from flintc.problems import Problems
from flintc.source import SourceFile
from flintc.syntax import lexer

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "generated").rglob("*.py")
    if path.name != "__init__.py"
)


def flintc(*words: str) -> Result:
    return CliRunner().invoke(main, words)


@pytest.fixture(scope="module", params=MODULES)
def mapped(request: pytest.FixtureRequest) -> MappedModule:
    """Every generated module of the project, with its map."""
    return map_files.read(ROOT / request.param)


def test_every_line_has_a_place(mapped: MappedModule) -> None:
    assert mapped.script is not None
    last = mapped.script.text.count("\n") + 1
    for line in range(1, mapped.module.text.count("\n") + 1):
        pieces = mapped.map.to_script(line)
        assert pieces, line
        assert all(1 <= piece.line <= last for piece in pieces)


def test_every_statement_and_call_has_a_row(mapped: MappedModule) -> None:
    rows = {tuple(row.output) for row in mapped.map.rows}
    for node in ast.walk(ast.parse(mapped.module.text)):
        if isinstance(node, ast.stmt | ast.expr):
            place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
            assert place in rows, ast.dump(node)


def test_variables_lie_on_the_lines_that_they_came_from(mapped: MappedModule) -> None:
    """Variables keep their names: where Python reads one, the script's piece names it."""
    assert mapped.script is not None
    script = mapped.script.text.split("\n")
    variables = set(re.findall(r"\blet (?:mut )?(\w+)", mapped.script.text))
    tree = ast.parse(mapped.module.text)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    variables -= {alias.asname or alias.name for node in imports for alias in node.names}
    variables.discard("found")  # flintc's own name for the value that `unwrap_or` looks at
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in variables:
            piece = mapped.map.to_script(node.lineno, node.col_offset)[0]
            came_from = " ".join(script[piece.line - 1 : piece.end_line])
            where = f"{mapped.module.path}:{node.lineno}"
            assert node.id in re.findall(r"\w+", came_from), where


def test_comments_lie_on_their_lines(mapped: MappedModule) -> None:
    assert mapped.script is not None
    script = mapped.script.text.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(mapped.module.text).readline):
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip():
            first = token.string.removeprefix("#").split()[:3]
            came_from = script[mapped.map.to_script(token.start[0])[0].line - 1]
            assert " ".join(first) in " ".join(came_from.split()) or not _begins(mapped, first)


def _begins(mapped: MappedModule, words: list[str]) -> bool:
    """Whether a comment of the script begins so; else this is the rest of a folded line."""
    assert mapped.script is not None
    _, comments = lexer.tokenize(SourceFile("", mapped.script.text), Problems())
    lines = [line.split()[: len(words)] for each in comments for line in comment_lines(each)]
    return words in lines


# -- lines that say where they come from -----------------------------------------------------------


def numbered_program(lines: int, planted: int | None = None, text: str = "") -> str:
    """A program whose line N prints N or has it as an argument; one line may be replaced.

    Functions, loops, branches, comments, blank lines and calls over several lines take turns.
    """
    made = ["let items = [1, 2, 3];", "let mut total = 0;"]
    while len(made) < lines - 12:
        at = len(made) + 1
        made += [
            f"// comment {at} of the program",
            f"fn function_{at + 1}(n: int) -> int {{",
            f"    if n > {at + 2} {{",
            f"        println({at + 3});",
            "    } else {",
            f"        // remark {at + 5} inside",
            f"        println({at + 6});",
            "    }",
            f"    n + {at + 8}",
            "}",
            "",
            f"total = total + function_{at + 1}({at + 11});",
        ]
    while len(made) < lines:
        made.append(f"println({len(made) + 1});")
    if planted is not None:
        made[planted - 1] = text
    return "\n".join(made) + "\n"


def test_numbers_are_on_their_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("numbered.rss").write_text(numbered_program(500), encoding="utf-8")
    assert flintc("build", "numbered.rss").exit_code == 0
    mapped = map_files.read("generated/numbered.py")
    seen = set()
    for number, line in enumerate(mapped.module.text.split("\n"), start=1):
        said = [int(word) for word in re.findall(r"(?<![\w.])\d+(?!\w)", line)]
        # a comment may be a docstring
        if not said or "Generated by" in line or "[1, 2, 3]" in line or "= 0" in line:
            continue
        assert mapped.map.to_script(number)[0].line == said[-1], line
        assert number in [piece.line for piece in mapped.map.to_output(said[-1])], line
        seen.add(said[-1])
    assert len(seen) > 250


# -- the command -----------------------------------------------------------------------------------

SCRIPT = """\
fn half(größe: int) -> int {
    // "ß" has two bytes
    let text = "ßß"; größe / text.length
}

println(half(8));
"""


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scripts").mkdir()
    text = SCRIPT.replace("größe", "size")
    (tmp_path / "scripts" / "half.rss").write_text(text, encoding="utf-8")
    assert flintc("build", "scripts/half.rss").exit_code == 0
    return tmp_path


def python_line(folder: Path, text: str) -> int:
    lines = (folder / "generated/half.py").read_text(encoding="utf-8").split("\n")
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def test_there_and_back(built: Path) -> None:
    division = python_line(built, "return")
    done = flintc("map", f"generated/half.py:{division}")
    assert done.output == 'scripts/half.rss:3:22: let text = "ßß"; size / text.length\n'
    back = flintc("map", "scripts/half.rss:3:22").output
    assert back.startswith(f"generated/half.py:{division}:")
    lines = flintc("map", "scripts/half.rss:3").output
    assert f"generated/half.py:{division - 1}:" in lines


def test_other_folders_find_the_script(
    built: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    call = python_line(built, "print(")
    done = flintc("map", f"{built}/generated/half.py:{call}")
    assert done.output == f"{built}/scripts/half.rss:6:1: println(half(8));\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda: _append("scripts/half.rss", "// more\n"), "is stale: scripts/half.rss changed"),
        (lambda: _append("generated/half.py", "# more\n"), "is stale: the module is not the one"),
        (lambda: Path("generated/half.py.map").unlink(), "there is no map beside"),
        (lambda: Path("generated/half.py.map").write_text("[]"), "it is damaged"),
        (lambda: Path("generated/half.py.map").write_bytes(b"\xff"), "it is damaged"),
        (lambda: _change(version=1), "its version is 1 and not 2"),
        (lambda: _change(source=5), "it is damaged"),
        (lambda: _change(source="\0"), "it is damaged"),
        (lambda: _change(mappings=[]), "it is damaged"),
        (lambda: _change(mappings={}), "it is damaged"),
        (lambda: _change(mappings=[[3, 0, 3, 1, 1.5, 0, 1, 2]]), "it is damaged"),
        (lambda: _change(mappings=[[True] * 8]), "it is damaged"),
        (lambda: _change(mappings=[[3, 0, 3, 1, 900, 0, 900, 2]]), "it is damaged"),
        (lambda: _change(mappings=[[3, 0, 3, 1, 0, 0, 0, 2]]), "it is damaged"),
        (lambda: _change(mappings=[[3, 5, 3, 1, 1, 0, 1, 2]]), "it is damaged"),
        (lambda: _change(lines=[[1, 2, 3]]), "it is damaged"),
        (lambda: _change(lines=[[900, 1]]), "it is damaged"),
        (lambda: _folder("generated/half.py.map"), "the map of generated/half.py cannot be read"),
    ],
)
def test_stale_maps_are_refused(built: Path, change: object, message: str) -> None:
    assert callable(change)
    change()
    done = flintc("map", "generated/half.py:3")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "error[E_SOURCE_MAP]" in done.stderr
    assert message in done.stderr
    assert "flintc build" in done.stderr


def _append(path: str, text: str) -> None:
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(text)


def _change(**fields: object) -> None:
    path = Path("generated/half.py.map")
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def _folder(path: str) -> None:
    Path(path).unlink()
    Path(path).mkdir()


@pytest.mark.parametrize(
    ("place", "code", "message"),
    [
        ("generated/half.py", 2, "is no FILE.py:LINE"),
        ("generated/half.py:0", 2, "is no FILE.py:LINE"),
        ("half.txt:3", 2, "is no FILE.py:LINE"),
        ("generated/none.py:3", 1, "cannot read `generated/none.py`"),
        ("generated/half.py:900", 1, "there is no line 900"),
        ("scripts/other.rss:1", 1, "no module below generated was built from scripts/other.rss"),
    ],
)
def test_wrong_places(built: Path, place: str, code: int, message: str) -> None:
    done = flintc("map", place)
    assert (done.exit_code, done.stdout) == (code, "")
    assert message in done.stderr
