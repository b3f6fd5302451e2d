"""Debug scripts/lfm2.rss with a toy model, and write what an editor shows into docs/debugging.md.

python .ci/tools/debug_transcript.py          rewrite the page
python .ci/tools/debug_transcript.py --check  exit 1 when it is out of date
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from debug_client import Client, Frame, launch
from make_lfm2_random import Shape, write
from toy_lfm2_vl import tokenizer

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "debugging.md"
BEGIN = "<!-- Written by .ci/tools/debug_transcript.py -->\n"
END = "<!-- end -->"
SCRIPT = ROOT / "scripts" / "lfm2.rss"
LAYERS = ROOT / "scripts" / "layers" / "lfm2.rss"
STOP = "let gate_up: int"
CONDITION = 'path == "model.layers.1.feed_forward."'


def main() -> int:
    """Rewrite the page, or with `--check` only compare."""
    current = PAGE.read_text(encoding="utf-8")
    wanted = with_transcript(current)
    if "--check" in sys.argv[1:]:
        return int(current != wanted)
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


def with_transcript(page: str) -> str:
    """The page with the part between its marks written anew."""
    head, _, rest = page.partition(BEGIN)
    tail = rest.partition(END)[2]
    lines = "\n".join(transcript())
    return f"{head}{BEGIN}\n```text\n{lines}\n```\n\n{END}{tail}"


def transcript() -> Iterator[str]:
    """One session: a conditional breakpoint, the stack, tensors, a step over and a step out."""
    texts = LAYERS.read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(texts, start=1) if STOP in text)
    with TemporaryDirectory() as folder:
        words = _model(Path(folder))
        settings = {
            "module": "flint.debug",
            "args": [str(SCRIPT), *words],
            "cwd": str(ROOT),
            "env": {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "runtime")))},
            "rules": [{"path": f"{ROOT}/runtime/flint/**", "include": False}],
        }
        yield f"breakpoint  {_place(LAYERS, line)} if {CONDITION}"
        with launch(settings, {LAYERS: [(line, CONDITION)]}) as client:
            yield from _shown("stopped", client, client.stopped(), "hidden", "path")
            yield from _shown("step over", client, client.go("next"), "gate_up")
            yield from _shown("step out", client, client.go("stepOut"), "mixed")


def _model(folder: Path) -> list[str]:
    """The words for a toy of three layers, the second one with attention."""
    made = tokenizer()
    sizes = {"hidden": 64, "feed_forward": 96, "layers": 3, "heads": 4, "key_heads": 2}
    write(folder, Shape(made.get_vocab_size(), attention_layers=(1,), **sizes))
    made.save(str(folder / "tokenizer.json"))
    return [str(folder), str(folder / "tokenizer.json"), "Be brief.", "Hi", "2"]


def _shown(what: str, client: Client, stack: list[Frame], *names: str) -> Iterator[str]:
    ours = [frame for frame in stack if frame.path.endswith(".rss") and frame.name != "<module>"]
    here = ours[0]
    text = Path(here.path).read_text(encoding="utf-8").splitlines()[here.line - 1]
    yield ""
    yield f"{what:<11} {_place(Path(here.path), here.line)} in {here.name}"
    yield f"            | {text.strip()}"
    if what == "stopped":
        for number, frame in enumerate(ours):
            label = "" if number else "call stack"
            yield f"{label:<11} {frame.name:<12} {_place(Path(frame.path), frame.line)}"
    local = client.locals(here)
    for number, name in enumerate(names):
        found = local[name]
        is_tensor = found.type == "Tensor"
        value = client.parts(found.reference)["shape"].value if is_tensor else found.value
        yield f"{'' if number else 'locals':<11} {name}: {found.type} = {_plain(value)}"


def _plain(value: str) -> str:
    return re.sub(r"torch\.Size\((.*)\)", r"shape \1", value)


def _place(path: Path, line: int) -> str:
    return f"{path.resolve().relative_to(ROOT).as_posix()}:{line}"


if __name__ == "__main__":
    sys.exit(main())
