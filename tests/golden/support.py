"""Golden files: a Markdown file a construct, with source, emitted Python and printed output.

The main script's blocks have no name. Further modules, and Python modules for `--host`, are blocks
whose first line names their file: "```rss lib/units.rss", "```python prices.py".
"""

from __future__ import annotations

import io
import re
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from flintc.cli import building, running

FOLDER = Path(__file__).parent
_BLOCK = re.compile(r"^```(rss|python|output)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Golden:
    """One file: `title` is everything before the first block, keys are paths of files."""

    title: str
    main: str
    sources: dict[str, str]
    python: dict[str, str]
    output: str

    @property
    def hosts(self) -> list[str]:
        """Names of the Python modules that the script calls: those that no script became."""
        paths = [PurePosixPath(path) for path in self.sources]
        return [path.stem for path in paths if path.suffix == ".py"]

    def text(self) -> str:
        blocks = [self._block(path, text) for path, text in self.sources.items()]
        blocks += [self._block(path, text) for path, text in self.python.items()]
        return self.title + "\n".join([*blocks, f"```output\n{self.output}```\n"])

    def _block(self, path: str, text: str) -> str:
        language = "python" if path.endswith(".py") else "rss"
        name = "" if PurePosixPath(path).stem == self.main else f" {path}"
        return f"```{language}{name}\n{text}```\n"


def read(path: Path) -> Golden:
    """The golden that stands in a file; a new one may lack what the compiler makes."""
    text = path.read_text(encoding="utf-8")
    title = text.split("```", 1)[0]
    sources: dict[str, str] = {}
    python: dict[str, str] = {}
    output = ""
    for language, name, content in _BLOCK.findall(text):
        if language == "output":
            output = content
        elif language == "rss":
            sources[name or f"{path.stem}.rss"] = content
        else:
            file = name or f"{path.stem}.py"
            is_made = str(PurePosixPath(file).with_suffix(".rss")) in sources
            (python if is_made else sources)[file] = content
    return Golden(title, path.stem, sources, python, output)


def compiled(golden: Golden) -> Golden:
    """The golden as the compiler makes it now."""
    with TemporaryDirectory() as name, chdir(name):
        for path, text in golden.sources.items():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(text, encoding="utf-8")
        sys.path.insert(0, name)
        try:
            python = _built(golden)
            output = _printed(golden)
        finally:
            sys.path.remove(name)
            for host in golden.hosts:
                sys.modules.pop(host, None)
    return Golden(golden.title, golden.main, golden.sources, python, output)


def _built(golden: Golden) -> dict[str, str]:
    """The Python of every script, from `flintc build`."""
    messages = io.StringIO()
    with redirect_stderr(messages):
        status = building.build([f"{golden.main}.rss"], "generated", "text", golden.hosts)
    assert status == 0, messages.getvalue()
    paths = [PurePosixPath(path) for path in golden.sources]
    made = [str(path.with_suffix(".py")) for path in paths if path.suffix == ".rss"]
    return {path: Path("generated", path).read_text(encoding="utf-8") for path in made}


def _printed(golden: Golden) -> str:
    """What `flintc run` prints, messages last."""
    output, messages = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(messages):
        running.run(f"{golden.main}.rss", (), None, golden.hosts)
    return output.getvalue() + messages.getvalue()


def update() -> None:
    """Write all golden files anew; review the difference."""
    for path in sorted(FOLDER.glob("*.md")):
        path.write_text(compiled(read(path)).text(), encoding="utf-8")


if __name__ == "__main__":
    update()
