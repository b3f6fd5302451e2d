"""The files of results: sections are replaced one by one, noise is told, goals are marked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import __main__ as command
from benchmarks import report
from benchmarks.table import Curve, Figure, Row, lines

MEASURED = Figure.of_samples(
    "decode f32", [30, 32, 31], [10, 10, 11], "transformers", "tok/s", higher_is_better=True, goal=4
)
CURVE = Curve("context", "decode", {"ours": [(128, 30.0), (512, 29.0)], "other": [(128, 12.0)]})


def test_a_figure_is_made_of_medians() -> None:
    assert (MEASURED.ours, MEASURED.other) == (31, 10)
    assert MEASURED.ratio == pytest.approx(3.1)
    # of 3, 3.2 and 31/11
    assert MEASURED.spread == pytest.approx((3.1 - (3 + 31 / 11) / 2) / 3)
    assert not MEASURED.reached


def test_rows_fit_in_a_hundred_columns() -> None:
    widest = replace(MEASURED, name="x" * 33, other_name="llama.cpp q8_0", noise="n")
    assert max(map(len, lines([widest, CURVE], force=True))) <= 100


def test_sections_are_replaced_one_by_one(tmp_path: Path) -> None:
    report.write(tmp_path, {"lfm2": [MEASURED], "notes": ["not measured"]})
    report.write(tmp_path, {"lfm2": [replace(MEASURED, ours=50.0)]})
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert results["notes"]["rows"] == [{"note": "not measured"}]
    (row,) = results["lfm2"]["rows"]
    assert row["ours"] == 50.0
    assert row["ratio"] == 5.0
    assert row["samples"] == [[30, 32, 31], [10, 10, 11]]
    assert results["lfm2"]["threads"] == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.json", "results.md"]


def test_the_page_marks_missed_goals_and_noise(tmp_path: Path) -> None:
    noisy = replace(MEASURED, name="decode f16", noise="others use 50%", goal=3)
    report.write(tmp_path, {"lfm2": [MEASURED, noisy]})
    page = (tmp_path / "results.md").read_text(encoding="utf-8").splitlines()
    assert (
        "| decode f32 | 31.00 | 10.00 | tok/s | 3.100 | 6.4% | ≥ 4, missed | transformers |" in page
    )
    row = "| decode f16 (noisy) | 31.00 | 10.00 | tok/s | 3.100 | 6.4% | ≥ 3 | transformers |"
    assert row in page


@pytest.mark.parametrize(("options", "names"), [([], {"quiet"}), (["--force"], {"quiet", "loud"})])
def test_noisy_benchmarks_leave_the_files_alone(
    options: list[str], names: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noises = {"quiet": None, "loud": "others use 50%"}
    monkeypatch.setattr(command, "RESULTS", tmp_path)
    monkeypatch.setattr(command, "BENCHMARKS", dict.fromkeys(noises, ""))

    def measured(name: str, bench: object, rows: list[Row]) -> Iterator[Row]:
        rows.append(replace(MEASURED, noise=noises[name]))
        yield from rows

    monkeypatch.setattr(command, "_measured", measured)
    assert command.main(options) == 1  # what is measured misses its goal
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8")).keys() == names


def test_the_plot_is_an_svg_of_the_same_bytes(tmp_path: Path) -> None:
    report.write(tmp_path, {"curve": [CURVE]})
    first = (tmp_path / "context.svg").read_bytes()
    report.write(tmp_path, {"curve": [CURVE]})
    assert (tmp_path / "context.svg").read_bytes() == first
    texts = {"".join(node.itertext()).strip() for node in ElementTree.fromstring(first).iter()}
    assert {"ours", "other", "128", "512", "context, tokens", "tokens a second"} <= texts
    page = (tmp_path / "results.md").read_text(encoding="utf-8").splitlines()
    assert "![decode](context.svg)" in page
    assert "| ours | 30.0 | 29.0 |" in page
