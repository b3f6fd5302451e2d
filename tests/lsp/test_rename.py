"""Rename: fields in all their spellings, files that repeat a struct, names that are not free."""

from __future__ import annotations

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from flintc.lsp.positions import Positions
from tests.lsp.conftest import Session


def _renamed(session: Session, files: dict[str, str], new: str) -> dict[str, str]:
    """The texts after renaming what is under the `¦`; the other files lie on disk."""
    marked = next(name for name, text in files.items() if "¦" in text)
    for name, text in files.items():
        if name != marked:
            (session.folder / name).write_text(text, encoding="utf-8")
    try:
        edit = session.ask("rename", marked, files[marked], new_name=new)
    finally:
        session.close(marked)
        for name in files:
            (session.folder / name).unlink(missing_ok=True)
    texts = {name: text.replace("¦", "") for name, text in files.items()}
    for uri, edits in edit.changes.items():
        name = uri.rpartition("/")[2]
        texts[name] = _apply(texts[name], edits)
    return texts


def _apply(text: str, edits: list[types.TextEdit]) -> str:
    positions = Positions(text)
    for edit in sorted(edits, key=lambda each: each.range.start, reverse=True):
        start = positions.offset(edit.range.start.line, edit.range.start.character)
        end = positions.offset(edit.range.end.line, edit.range.end.character)
        text = text[:start] + edit.new_text + text[end:]
    return text


FIELDS = """\
struct Point { X¦: float, y: float }
struct Line { from: Point, x: int }
fn make(x: float) -> Point { {X: x, "y": 2.0} }
fn sum(p: Point) -> float { p.X + p["X"] + p.y }
let mut p: Point = if sum(make(1.0)) > 2.0 => { {X: 1.0, y: 2.0} } else => { make(3.0) };
p.X = 3.0;
p["X"] = 4.0;
p = {y: 0.0, X: 5.0};
let points: array<Point> = [{X: 1.0, y: 1.0}, p];
let line: Line = {from: {X: 1.0, y: 1.0}, x: 2};
let named: map<Point> = {x: p};
for (x: string, v: Point) in &named { print(x + "x"); print(v?.X); }
let other = {x: 1};
print(points[0].X + line.from.X);
print(p.has("X")); print(other.x + line.x); print("😀"); print(p.X);
"""


def test_a_field_is_renamed_wherever_it_is_written(session: Session) -> None:
    """`X` marks the field; `x` marks everything else of that name."""
    files = {"fields.rss": FIELDS.replace("X", "x")}
    wanted = FIELDS.replace("X", "left").replace("¦", "")
    assert _renamed(session, files, "left") == {"fields.rss": wanted}


REPEATED = {
    "point.rss": "struct Point { X¦: int }\npub fn make() -> Point { {X: 1} }\n",
    "inferred.rss": "use point;\nlet p = point::make();\nprint(p.X);\n",
    "again.rss": "use point;\nstruct Point { X: int }\nlet p: Point = point::make();\np.X;\n",
    "unrelated.rss": "struct Point { x: int }\nlet p: Point = {x: 1};\nprint(p.x);\n",
}


def test_a_field_is_renamed_in_all_files_of_its_programs(session: Session) -> None:
    files = {name: text.replace("X", "x") for name, text in REPEATED.items()}
    wanted = {name: text.replace("X", "column") for name, text in REPEATED.items()}
    wanted = {name: text.replace("¦", "") for name, text in wanted.items()}
    assert _renamed(session, files, "column") == wanted


def test_a_struct_is_renamed_in_the_files_that_repeat_it(session: Session) -> None:
    files = {name: text.replace("X¦", "X") for name, text in REPEATED.items()}
    files["point.rss"] = files["point.rss"].replace("Point", "Poi¦nt", 1)
    after = _renamed(session, files, "Place")
    assert "Point" not in after["point.rss"] + after["again.rss"]
    assert after["unrelated.rss"] == files["unrelated.rss"]


@pytest.mark.parametrize(
    ("marked", "new", "wanted"),
    [
        ("fn f(a¦: int) -> int { a }\nfn g(n: int) -> int { n }\nprint(f(g(1)));\n", "n", "f(n: "),
        ("let a¦ = 1;\nprint(a);\n", "sqrt", "let sqrt = 1;\nprint(sqrt);\n"),
        (
            "let größ = 1; // 😀\r\n".replace("ö", "o").replace("ß", "ss¦"),
            "n",
            "let n = 1; // 😀\r\n",
        ),
        ('let s = "😀"; let a¦ = 1; print(a);\n', "b", 'let s = "😀"; let b = 1; print(b);\n'),
    ],
)
def test_any_name_that_is_free_there(session: Session, marked: str, new: str, wanted: str) -> None:
    assert wanted in _renamed(session, {"free.rss": marked}, new)["free.rss"]


@pytest.mark.parametrize(
    ("marked", "new", "reason"),
    [
        (
            "struct P { x¦: int }\nlet m = {x: 1};\nlet p: P = m;\n",
            "y",
            ":2 may have this field",
        ),
        (
            'use json;\nstruct P { x¦: int }\nprint(json::decode("{}").x);\n',
            "y",
            ":3 may have this field",
        ),
        (
            "struct P { x¦: int }\nlet p: P = {x: 1};\nlet m: map<int> = p;\n",
            "y",
            "`p` at .*:3 may",
        ),
        (
            "struct P { x¦: int }\nfn f(m: map<int>) -> int { m.x }\nlet p: P = {x: 1};\nf(p);\n",
            "y",
            "`p` at .*:4 may",
        ),
        ("struct P { x¦: int, y: int }\nlet p: P = {x: 1, y: 2};\n", "y", "already means|error at"),
        (
            "let n¦ = 1;\nlet f = |k| k + n;\nprint(f(2));\n",
            "k",
            "`k` already means something else",
        ),
        ("fn f(n¦: int) -> int { let k = 2; n + k }\nprint(f(1));\n", "k", "already means"),
        ("let k = 1;\nfn f(n¦: int) -> int { n + k }\nprint(f(1));\n", "k", "already means"),
        ("fn f¦() -> int { 1 }\nprint(f());\n", "print", "`print` already means something else"),
        ("struct P¦ { x: int }\nstruct Q { x: int }\nlet p: P = {x: 1};\n", "Q", "error at|means"),
    ],
)
def test_a_name_that_would_change_the_program_is_refused(
    session: Session, marked: str, new: str, reason: str
) -> None:
    with pytest.raises(JsonRpcException, match=reason):
        _renamed(session, {"refused.rss": marked}, new)
