"""The module graph (language reference 8.1 to 8.3)."""

from __future__ import annotations

from flintc.modules import load_program
from flintc.problems import Problems
from flintc.source import SourceFile
from tests.analysis.support import Analysed, MemoryFiles, analyse, analyse_files, sound


def names(analysed: Analysed) -> list[str]:
    return [module.name for module in analysed.resolution.modules]


def test_each_module_comes_after_those_it_uses() -> None:
    found = sound("use a;\nuse b;", a="use c;", b="use c;", c="1;")
    assert names(found) == ["c", "a", "b", "main"]
    assert [module.name for module in found.resolution.root.imports] == ["a", "b"]


def test_one_file_is_one_module_however_it_is_written() -> None:
    found = analyse_files(
        {"main.rss": "use lib::x;\nuse self::lib::x as y;\nuse lib::z;", "lib/x.rss": "",
         "lib/z.rss": "use super::lib::x;"}
    )  # fmt: skip
    assert not found.problems
    assert names(found) == ["lib.x", "lib.z", "main"]


def test_paths_are_relative_to_the_importing_file() -> None:
    found = analyse_files(
        {
            "app/main.rss": "use pkg::entry;\nuse super::top;",
            "app/pkg/entry.rss": "use helper;",
            "app/pkg/helper.rss": "",
            "top.rss": "",
        },
        "app/main.rss",
    )
    assert not found.problems
    assert names(found) == ["pkg.helper", "pkg.entry", "super.top", "main"]


def test_names_are_python_modules() -> None:
    found = analyse_files({"my-app.2.rss": "use class_::x;", "class_/x.rss": ""}, "my-app.2.rss")
    assert names(found) == ["class_.x", "my_app_2"]


def test_cycle_is_reported_once_with_its_members() -> None:
    found = analyse("use a;", a="use b;", b="use c;", c="use a;")
    assert found.codes == ["E_IMPORT_CYCLE"]
    assert found.problems[0].help is not None
    assert "a.rss uses b.rss uses c.rss uses a.rss" in found.problems[0].help


def test_single_segment_without_file_is_a_host_namespace() -> None:
    assert not analyse("use acme;\nacme::f(1);").problems
    assert analyse("use self::acme;").codes == ["E_FILE_NOT_FOUND"]
    assert analyse("use acme::tools;").codes == ["E_FILE_NOT_FOUND"]


def test_a_file_does_not_import_itself() -> None:
    found = analyse("use main;\nmain::f(1);")
    assert not found.problems
    assert names(found) == ["main"]


def test_builtin_namespace_wins_over_a_file() -> None:
    assert names(sound("use math;\nmath::pi();", math="")) == ["main"]


def test_library_is_found_from_anywhere_but_files_win() -> None:
    library = {"/library/strings.rss": "pub fn trim(s: string) -> string { s }"}
    program = 'use stdlib::rss::strings as s;\ns::trim("x");'
    found = analyse_files({"deep/main.rss": program, **library}, "deep/main.rss")
    assert not found.problems
    assert names(found) == ["stdlib.rss.strings", "main"]
    own = {"deep/stdlib/rss/strings.rss": "pub fn other() -> int { 1 }"}
    found = analyse_files({"deep/main.rss": program, **library, **own}, "deep/main.rss")
    assert found.codes == ["E_UNKNOWN_FUNCTION"]


def test_missing_module_hides_no_other_error_and_adds_none() -> None:
    found = analyse("use lib::absent;\nabsent::f();\nunknown_here(1);\nlet a = b;")
    assert found.codes == ["E_FILE_NOT_FOUND"]
    found = analyse("use lib::absent;\nlet a = 1;\na = 2;")
    assert found.codes == ["E_FILE_NOT_FOUND", "E_IMMUTABLE_LOCAL"]


def test_text_in_memory_and_unreadable_root() -> None:
    problems = Problems()
    modules = load_program(
        SourceFile("dir/<text>.rss", "use x;"), MemoryFiles({"dir/x.rss": ""}), problems
    )
    assert [loaded.module.file.path for loaded in modules] == ["dir/x.rss", "dir/<text>.rss"]
    assert not problems.items
    assert load_program("absent.rss", MemoryFiles({}), problems) == []
    assert load_program("script.txt", MemoryFiles({"script.txt": ""}), problems) == []
    assert [problem.code for problem in problems.items] == ["E_FILE_NOT_FOUND", "E_FILE"]


def test_long_chain_of_modules_needs_no_recursion() -> None:
    chain = {f"m{at}.rss": f"use m{at + 1};" for at in range(3000)}
    found = analyse_files({"main.rss": "use m0;", **chain, "m3000.rss": ""})
    assert not found.problems
    assert len(found.resolution.modules) == 3002
