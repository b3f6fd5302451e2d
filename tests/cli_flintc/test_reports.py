"""`flintc check --format github` and `sarif`, as their consumers read them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from flintc.cli import main

TEXT = 'let x = 1;\nx = 2;\nlet s = "😀"; print(total, s);\n'


def _check(style: str, folder: Path, name: str = "a.rss") -> tuple[int, str]:
    path = folder / name
    path.write_text(TEXT, encoding="utf-8")
    done = CliRunner().invoke(main, ["check", "--format", style, str(path)])
    return done.exit_code, done.stdout.replace(str(folder) + "/", "")


def test_github_shows_each_problem_at_its_place(tmp_path: Path) -> None:
    code, text = _check("github", tmp_path)
    first, second, *_ = text.splitlines()
    assert code == 1
    assert first == (
        "::error title=E_IMMUTABLE_LOCAL,file=a.rss,line=2,endLine=2,col=1,endColumn=2"
        "::cannot assign to immutable local `x`%0Ahelp: declare it with `let mut x`"
    )
    assert "line=3" in second


def test_github_escapes_what_ends_a_property(tmp_path: Path) -> None:
    _, text = _check("github", tmp_path, "50%,a:b.rss")
    assert "file=50%25%2Ca%3Ab.rss," in text


def test_sarif_has_rules_places_and_related_places(tmp_path: Path) -> None:
    code, text = _check("sarif", tmp_path)
    log = json.loads(text)
    assert (code, log["version"]) == (1, "2.1.0")
    (run,) = log["runs"]
    assert run["tool"]["driver"]["name"] == "flintc"
    first = run["results"][0]
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == first["ruleId"]
    assert (first["ruleId"], first["level"]) == ("E_IMMUTABLE_LOCAL", "error")
    place = first["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 2}
    related = first["relatedLocations"][0]
    assert related["message"]["text"] == "bound here"
    assert related["physicalLocation"]["region"]["startLine"] == 1


def test_sarif_names_files_by_uris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "ä b.rss"
    path.write_text(TEXT, encoding="utf-8")
    uris = []
    for name in ("ä b.rss", str(path)):
        log = json.loads(CliRunner().invoke(main, ["check", "--format", "sarif", name]).stdout)
        place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        uris.append(place["artifactLocation"]["uri"])
    assert uris == ["%C3%A4%20b.rss", path.as_uri()]


def test_no_problems_are_an_empty_report(tmp_path: Path) -> None:
    path = tmp_path / "b.rss"
    path.write_text("print(1);\n", encoding="utf-8")

    def report(style: str) -> str:
        return CliRunner().invoke(main, ["check", "--format", style, str(path)]).stdout

    assert report("github") == ""
    assert json.loads(report("sarif"))["runs"][0]["results"] == []
