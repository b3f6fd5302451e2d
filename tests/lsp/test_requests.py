"""Every request of the language server, asked by a real client about correct files."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.lsp.conftest import Session

SHAPES = """\
// The area of a rectangle.
pub fn area(width: int, height: int) -> int { width * height }
fn hidden() -> int { 1 }
"""
USER = "use shapes;\nlet a: int = shapes::are¦a(2, 3);\n"


@pytest.fixture
def shapes(session: Session) -> Session:
    (session.folder / "shapes.rss").write_text(SHAPES, encoding="utf-8")
    return session


def _range(*places: int) -> types.Range:
    first, last = types.Position(*places[:2]), types.Position(*places[2:])
    return types.Range(first, last)


def _labels(items: list[types.CompletionItem]) -> set[str]:
    return {item.label for item in items}


# -- problems ------------------------------------------------------------------------------


def test_all_problems_with_codes_ranges_help_and_related_places(session: Session) -> None:
    session.open("p.rss", 'let x = 1;\nx = 2;\nlet s = "😀"; print(total);\n')
    first, second = session.problems("p.rss")
    assert (first.code, first.range) == ("E_IMMUTABLE_LOCAL", _range(1, 0, 1, 1))
    assert "help: declare it with `let mut x`" in first.message
    assert first.severity is types.DiagnosticSeverity.Error
    assert first.related_information is not None
    assert first.related_information[0].location.range == _range(0, 4, 0, 5)
    # the emoji is two UTF-16 units: `total` stands behind 19 of them
    assert (second.code, second.range) == ("E_UNKNOWN_LOCAL", _range(2, 20, 2, 25))


def test_problems_go_when_the_text_is_mended(session: Session) -> None:
    session.open("mended.rss", "let x = ;\n")
    assert [item.code for item in session.problems("mended.rss")] == ["E_EXPECTED_EXPRESSION"]
    session.open("mended.rss", "let x = 1;\nprint(x);\n")
    assert session.problems("mended.rss") == []


def test_a_host_function_that_does_not_exist_is_a_warning(session: Session) -> None:
    session.open("w.rss", "use flint;\nflint::tensor::zeross(1);\n")
    (warning,) = session.problems("w.rss")
    assert warning.code == "W_UNKNOWN_HOST_FUNCTION"
    assert warning.severity is types.DiagnosticSeverity.Warning


def test_an_open_module_is_read_from_the_editor_and_its_users_follow(shapes: Session) -> None:
    shapes.open("user.rss", USER)
    assert shapes.problems("user.rss") == []
    shapes.open("shapes.rss", SHAPES.replace("pub fn", "fn"))
    shapes.problems("shapes.rss")

    async def changed() -> None:
        news = shapes.editor
        async with news.news:
            there = news.news.wait_for(lambda: news.diagnostics[shapes.uri("user.rss")].diagnostics)
            await asyncio.wait_for(there, 10)

    shapes.run(changed())
    (problem,) = shapes.problems("user.rss")
    assert problem.code == "E_UNKNOWN_FUNCTION"
    shapes.open("shapes.rss", SHAPES)
    assert shapes.problems("shapes.rss") == []


# -- hover ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marked", "shown"),
    [
        ('let x¦ = string_split_literal("a b", " ");\nprint(x);\n', "let x: array<string>"),
        ("let mut x = 1.5;\nx = x¦ + 1.0;\n", "let mut x: float"),
        ("fn f(a) -> int { a¦ }\nlet r: int = f(3);\n", "a: int"),
        ("let r = 1¦ + 2;\nprint(r);\n", "int"),
        ("struct P { x: float }\nlet p: P = {x: 1.0};\nprint(p.x¦);\n", "x: float"),
        ("// Twice.\n// Or so.\nfn f(a: int) -> int { a + a }\nprint(f¦(1));\n", "Twice.\nOr so."),
        ('let s = "é😀é😀"; let n¦ = s.length;\nprint(n);\n', "let n: int"),
    ],
)
def test_hover_shows_types_and_comments(session: Session, marked: str, shown: str) -> None:
    found = session.ask("hover", "hover.rss", marked)
    assert shown in found.contents.value


def test_hover_on_a_host_function_shows_signature_and_docstring(session: Session) -> None:
    text = "use flint;\nlet t = flint::tensor::siz¦e(flint::tokenizer::single_token(1), 0);\n"
    found = session.ask("hover", "host.rss", text)
    assert "fn flint::tensor::size(tensor: torch.Tensor, dim: int) -> int" in found.contents.value
    assert len(found.contents.value.splitlines()) > 4
    assert found.range == _range(1, 23, 1, 27)


def test_hover_on_nothing_is_nothing(session: Session) -> None:
    assert session.ask("hover", "none.rss", "let x = 1;\n\n¦\nprint(x);\n") is None


# -- navigation ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marked", "place"),
    [
        ("let x = 1;\nprint(x¦);\n", (0, 4, 0, 5)),
        ("print(f¦(1));\nfn f(a: int) -> int { a }\n", (1, 3, 1, 4)),
        ("fn f(a: int) -> int { a¦ }\nprint(f(1));\n", (0, 5, 0, 6)),
        ("struct P { x: float }\nlet p: P¦ = {x: 1.0};\nprint(p);\n", (0, 7, 0, 8)),
        ("struct P { x: float }\nlet p: P = {x: 1.0};\nprint(p.x¦);\n", (0, 11, 0, 12)),
        ('let m = {"a": 1};\nfor (key, v) in &m { print(v¦); }\n', (1, 10, 1, 11)),
    ],
)
def test_definition(session: Session, marked: str, place: tuple[int, ...]) -> None:
    found = session.ask("definition", "def.rss", marked)
    assert found == types.Location(session.uri("def.rss"), _range(*place))


def test_definition_in_another_file(shapes: Session) -> None:
    found = shapes.ask("definition", "user.rss", USER)
    assert found == types.Location(shapes.uri("shapes.rss"), _range(1, 7, 1, 11))
    use = USER.replace("¦", "").replace("shapes;", "sha¦pes;")
    module = shapes.ask("definition", "user.rss", use)
    assert module.uri == shapes.uri("shapes.rss")


def test_references_and_rename_of_a_variable_leave_others_of_its_name(session: Session) -> None:
    text = "fn f(a: int) -> int { a + a¦ }\nfn g(a: int) -> int { a }\nprint(f(g(1)));\n"
    context = types.ReferenceContext(include_declaration=True)
    found = session.ask("references", "r.rss", text, context=context)
    places = [_range(0, 5, 0, 6), _range(0, 22, 0, 23), _range(0, 26, 0, 27)]
    assert [item.range for item in found] == places
    at = types.Position(0, 26)
    edit = session.at("rename", "r.rss", at, new_name="term")
    assert [item.range for item in edit.changes[session.uri("r.rss")]] == places


def test_rename_of_a_public_function_changes_its_users(shapes: Session) -> None:
    (shapes.folder / "other.rss").write_text(
        "use shapes::{area as size};\nprint(size(1, 2));\n", encoding="utf-8"
    )
    shapes.open("user.rss", USER)
    at = shapes.open("shapes.rss", SHAPES.replace("area(", "are¦a("))
    shapes.problems("shapes.rss")
    edit = shapes.at("rename", "shapes.rss", at, new_name="surface")
    places = {uri: [item.range for item in edits] for uri, edits in edit.changes.items()}
    assert places == {
        shapes.uri("shapes.rss"): [_range(1, 7, 1, 11)],
        shapes.uri("user.rss"): [_range(1, 21, 1, 25)],
        shapes.uri("other.rss"): [_range(0, 13, 0, 17)],
    }


@pytest.mark.parametrize(
    ("marked", "name", "reason"),
    [
        ("let x¦ = 1;\nlet y = x;\nprint(y);\n", "y", "already means something"),
        ("let x¦ = 1;\nprint(x);\n", "fn", "is a keyword"),
        ("let x¦ = 1;\nprint(x);\n", "a b", "not a name"),
        ("let x = 1;\nprint¦(x);\n", "y", "only variables"),
        ("let x¦ = 1;\nprint(x;\n", "y", "syntax errors"),
    ],
)
def test_rename_is_refused_with_the_reason(
    session: Session, marked: str, name: str, reason: str
) -> None:
    with pytest.raises(JsonRpcException, match=reason):
        session.ask("rename", "refused.rss", marked, new_name=name)


def test_prepare_rename(session: Session) -> None:
    found = session.ask("prepare_rename", "prep.rss", "let total¦ = 1;\nprint(total);\n")
    assert found == _range(0, 4, 0, 9)
    assert session.ask("prepare_rename", "prep.rss", "let total = 1¦;\nprint(total);\n") is None


def test_document_symbols(session: Session) -> None:
    session.open(
        "s.rss", "struct P { x: float }\nfn f(a: int) -> int { a }\nlet q = f(1);\nprint(q);\n"
    )
    session.problems("s.rss")
    params = types.DocumentSymbolParams(types.TextDocumentIdentifier(session.uri("s.rss")))
    found = session.run(session.editor.client.text_document_document_symbol_async(params))
    assert [(item.name, item.kind) for item in found] == [
        ("P", types.SymbolKind.Struct),
        ("f", types.SymbolKind.Function),
        ("q", types.SymbolKind.Variable),
    ]
    assert [item.name for item in found[0].children] == ["x"]
    assert found[1].range == _range(1, 0, 1, 25)
    assert found[1].detail == "f(a: int) -> int"


# -- writing -------------------------------------------------------------------------------


def test_completion_of_host_functions_has_signature_and_documentation(session: Session) -> None:
    items = session.ask("completion", "c.rss", "use flint;\nlet n = flint::tensor::size¦;\n")
    by_label = {item.label: item for item in items}
    assert (
        by_label["size"].detail == "fn flint::tensor::size(tensor: torch.Tensor, dim: int) -> int"
    )
    assert by_label["size"].documentation.value
    namespaces = _labels(session.ask("completion", "c.rss", "use flint;\nlet n = flint::¦;\n"))
    assert {"tensor", "llama", "runtime"} <= namespaces


def test_completion_of_members_of_files_and_builtins(shapes: Session) -> None:
    exported = _labels(shapes.ask("completion", "c.rss", "use shapes;\nlet n = shapes::¦;\n"))
    assert exported == {"area"}
    assert "sqrt" in _labels(shapes.ask("completion", "c.rss", "use math;\nlet n = math::¦;\n"))


def test_completion_of_names(session: Session) -> None:
    text = "let top = 1;\nfn f(arg: int) -> int {\n    let inner = arg;\n    ¦inner\n}\n"
    text += "let later = f(top);\nprint(later);\n"
    labels = _labels(session.ask("completion", "n.rss", text))
    assert {"arg", "inner", "top", "f", "let", "print"} <= labels
    assert "later" not in labels


def test_completion_of_fields(session: Session) -> None:
    text = 'struct P { x: float, label: string }\nlet p: P = {x: 1.0, label: "a"};\nprint(p.¦x);\n'
    items = session.ask("completion", "f.rss", text)
    fields = {i.label: i.detail for i in items if i.kind == types.CompletionItemKind.Field}
    assert fields == {"x": "float", "label": "string"}


@pytest.mark.parametrize(
    ("marked", "label", "active"),
    [
        (
            "fn f(a: int, b: int) -> int { a + b }\nprint(f(1, ¦2));\n",
            "f(a: int, b: int) -> int",
            1,
        ),
        ("use math;\nprint(math::sqrt(¦4.0));\n", "math::sqrt(x: number) -> float", 0),
        ("let g = |a, b| a + b;\nprint(g(1, ¦2));\n", "g(int, int) -> int", 1),
    ],
)
def test_signature_help(session: Session, marked: str, label: str, active: int) -> None:
    found = session.ask("signature_help", "sig.rss", marked)
    assert found.signatures[0].label == label
    assert found.active_parameter == active


def test_signature_help_of_a_host_function_has_its_docstring(session: Session) -> None:
    text = "use flint;\nprint(flint::tensor::size(0, ¦1));\n"
    found = session.ask("signature_help", "sig.rss", text)
    (signature,) = found.signatures
    assert signature.documentation.value
    first, last = signature.parameters[1].label
    assert signature.label[first:last] == "dim: int"


def test_formatting(session: Session) -> None:
    session.open("fmt.rss", "let  x=1;\nprint( x );\n")
    edits = session.run(_format(session, "fmt.rss"))
    assert [(edit.range, edit.new_text) for edit in edits] == [
        (_range(0, 0, 2, 0), "let x = 1;\nprint(x);\n")
    ]
    session.open("fmt.rss", "let x = 1;\nprint(x);\n")
    assert not session.run(_format(session, "fmt.rss"))
    session.open("fmt.rss", 'let x = "unfinished;\n')
    assert not session.run(_format(session, "fmt.rss"))


async def _format(session: Session, name: str) -> Sequence[types.TextEdit] | None:
    document = types.TextDocumentIdentifier(session.uri(name))
    options = types.FormattingOptions(tab_size=4, insert_spaces=True)
    params = types.DocumentFormattingParams(document, options)
    return await session.editor.client.text_document_formatting_async(params)
