"""Golden files: a Markdown file a construct, with source, emitted Python and printed output."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from flintc import compiler, execute
from flintc.emit.context import Options
from flintc.emit.format import format_module
from flintc.render import render_text

FOLDER = Path(__file__).parent
_BLOCK = re.compile(r"^```(rss|python|output)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Golden:
    """`title` is everything before the first block."""

    title: str
    source: str
    python: str
    output: str

    def text(self) -> str:
        return (
            f"{self.title}```rss\n{self.source}```\n\n"
            f"```python\n{self.python}```\n\n```output\n{self.output}```\n"
        )


def read(path: Path) -> Golden:
    text = path.read_text(encoding="utf-8")
    blocks = dict(_BLOCK.findall(text))
    title = text.split("```rss", 1)[0]
    return Golden(title, blocks["rss"], blocks.get("python", ""), blocks.get("output", ""))


def compiled(golden: Golden, name: str) -> Golden:
    """The golden as the compiler makes it now."""
    path = f"{name}.rss"
    result = compiler.compile_text(golden.source, path, Options())
    assert result.ok, "\n".join(render_text(problem) for problem in result.problems.items)
    formatted = format_module(result.modules[-1]).text
    return Golden(golden.title, golden.source, formatted, _run(golden.source, path))


def _run(source: str, path: str) -> str:
    from flint.runtime.context import run

    program = execute.load(compiler.compile_text(source, path, execute.in_memory_options()))
    output = io.StringIO()
    with redirect_stdout(output):
        run(program.main())
    return output.getvalue()


def update() -> None:
    """Write all golden files anew: `python -m tests.golden.support`; review the difference."""
    for path in sorted(FOLDER.glob("*.md")):
        path.write_text(compiled(read(path), path.stem).text(), encoding="utf-8")


if __name__ == "__main__":
    update()
