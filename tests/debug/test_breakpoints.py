"""Kinds of breakpoints, in a program far from the project whose names are not ASCII."""

from __future__ import annotations

from pathlib import Path

import debug_client
from tests.debug.conftest import Settings
from tests.debug.test_debugger import places

MAIN = """\
use lib::tiefe;

fn outer(n: int) -> int {
    let twice = |k| k * 2 + n;
    let mut total = 0;
    for i in 0..4 {
        total = total + twice(i);
    }
    total
}

println(tiefe::deeper(outer(3)));
let items = ["ä", "😀"];
println(items[2]);
"""
MODULE = """\
// Größe
pub fn deeper(n: int) -> int {
    let more = n + 1;
    more * 2
}
"""


def test_all_kinds_in_one_session(tmp_path: Path, settings: Settings) -> None:
    folder = tmp_path / "mit Leerzeichen" / "größe"
    (folder / "lib").mkdir(parents=True)
    main, module = folder / "haupt.rss", folder / "lib" / "tiefe.rss"
    main.write_text(MAIN, encoding="utf-8")
    module.write_text(MODULE, encoding="utf-8")
    start = settings("RustScript: this file", args=[str(main), "two words", "--x=1"], cwd="/")
    breakpoints = {
        main: [
            (4, "k == 1"),
            {"line": 7, "hitCondition": "4"},
            {"line": 9, "logMessage": "total: {total}"},
        ],
        module: [3],
    }
    with debug_client.launch(start, breakpoints, ["userUnhandled"]) as client:
        stack = client.stopped()  # inside the closure, which calls `outer` its captured `n`
        inside = [("outer", "haupt.rss", 7), ("main", "haupt.rss", 12)]
        assert places(stack, main, module)[1:] == inside
        assert stack[0].line == 4
        names = client.locals(stack[0])
        assert (names["k"].value, names["n"].value) == ("1", "3")

        stack = client.go()  # the fourth time
        assert places(stack, main, module) == inside
        assert client.locals(stack[0])["i"].value == "3"

        stack = client.go()
        assert places(stack, main, module)[0] == ("deeper", "tiefe.rss", 3)
        total = sum(k * 2 + 3 for k in range(4))
        assert client.locals(stack[0])["n"].value == str(total)
        assert f"total: {total}" in client.output

        stack = client.go()  # the error, where it is raised
        assert (Path(stack[0].path).name, stack[0].line) == ("haupt.rss", 14)
        assert client.locals(stack[0])["items"].value == "['ä', '😀']"
        assert client.finish() == 1
        assert "index 2 out of bounds" in client.output
        assert "haupt.rss:14:9 in main" in client.output


CHILD = '''\
import subprocess
import sys


def child() -> str:
    """What another Python process says."""
    command = [sys.executable, "-c", "print('done')"]
    return subprocess.run(command, capture_output=True, text=True, timeout=20).stdout
'''


def test_a_process_that_the_program_starts_is_left_alone(
    tmp_path: Path, settings: Settings
) -> None:
    """A debugger would let it wait for an editor; chat templates run in one, with limits."""
    (tmp_path / "other.py").write_text(CHILD, encoding="utf-8")
    script = tmp_path / "main.rss"
    script.write_text("use other;\nlet n = 1;\nprint(other::child());\n", encoding="utf-8")
    words = ["--host", "other", str(script)]
    start = settings("RustScript: this file", args=words, cwd=str(tmp_path))
    with debug_client.launch(start, {script: [3]}) as client:
        assert client.stopped()[0].line == 3
        assert client.finish() == 0
        assert "done" in client.output
