"""Problems for other tools: annotations of GitHub's workflows, and SARIF."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from flintc import __version__
from flintc.problems import Problem
from flintc.render import to_json

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def github(problem: Problem) -> str:
    """One workflow command, which GitHub shows at the problem's line."""
    shown = to_json(problem)
    properties = {"title": shown["code"]}
    if shown["file"] is not None:
        properties["file"] = shown["file"].replace("\\", "/")
        properties |= {"line": shown["line"], "endLine": shown["end_line"]}
        if shown["line"] == shown["end_line"]:  # GitHub takes columns within one line only
            properties |= {"col": shown["column"], "endColumn": shown["end_column"]}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{shown['severity']} {listed}::{_data(_message(shown))}"


def _message(shown: dict[str, Any]) -> str:
    return f"{shown['message']}\nhelp: {shown['help']}" if shown["help"] else shown["message"]


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: object) -> str:
    return _data(str(value)).replace(":", "%3A").replace(",", "%2C")


def sarif(problems: Sequence[Problem]) -> dict[str, Any]:
    """A SARIF 2.1.0 log with one run; columns count code points."""
    shown = [to_json(problem) for problem in problems]
    codes = list(dict.fromkeys(item["code"] for item in shown))
    driver = {"name": "flintc", "version": __version__, "rules": [{"id": code} for code in codes]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(item, codes) for item in shown],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(shown: dict[str, Any], codes: Sequence[str]) -> dict[str, Any]:
    result = {
        "ruleId": shown["code"],
        "ruleIndex": codes.index(shown["code"]),
        "level": shown["severity"],
        "message": {"text": _message(shown)},
    }
    if shown["file"] is not None:
        result["locations"] = [_location(shown)]
    if shown["labels"]:
        result["relatedLocations"] = [
            _location(label) | {"message": {"text": label["message"]}} for label in shown["labels"]
        ]
    return result


def _location(place: dict[str, Any]) -> dict[str, Any]:
    region = {
        "startLine": place["line"],
        "startColumn": place["column"],
        "endLine": place["end_line"],
        "endColumn": place["end_column"],
    }
    return {
        "physicalLocation": {"artifactLocation": {"uri": _uri(place["file"])}, "region": region}
    }


def _uri(file: str) -> str:
    """Relative to the current folder where the path is."""
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
