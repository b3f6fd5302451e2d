"""The results as files: `results.json`, `results.md` and the plots, one section a benchmark.

A run of some benchmarks replaces their sections and leaves the others as they were measured.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks import plot
from benchmarks.noise import THREADS
from benchmarks.table import Curve, Figure, Row

_PACKAGES = ("torch", "transformers", "llama-cpp-python")
_HEADER = "| figure | ours | other | unit | ratio | spread | goal | other is |"


def write(folder: Path, sections: dict[str, list[Row]]) -> None:
    """Merge the sections into the files in `folder`; rows measured in noise are marked."""
    folder.mkdir(exist_ok=True)
    path = folder / "results.json"
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for name, rows in sections.items():
        kept[name] = {**_circumstances(), "rows": [_record(row) for row in rows]}
    _replace(path, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    _replace(folder / "results.md", "\n".join(markdown(kept)) + "\n")
    for curve in _curves(sections):
        plot.write(curve, folder / f"{curve.name}.svg", f"{_machine()}, {THREADS} threads")


def _curves(sections: dict[str, list[Row]]) -> Iterator[Curve]:
    for rows in sections.values():
        yield from (row for row in rows if isinstance(row, Curve))


def _replace(path: Path, text: str) -> None:
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def _circumstances() -> dict[str, Any]:
    return {
        "measured": datetime.now(UTC).isoformat(timespec="minutes"),
        "commit": _commit(),
        "machine": _machine(),
        "threads": THREADS,
        "python": platform.python_version(),
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
    }


def _machine() -> str:
    return f"{_processor()}, {os.cpu_count()} cores"


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _commit() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _record(row: Row) -> dict[str, Any]:
    if isinstance(row, str):
        return {"note": row}
    record = asdict(row)
    if isinstance(row, Figure):
        record |= {"ratio": row.ratio, "spread": row.spread, "reached": row.reached}
    return record


def markdown(sections: dict[str, Any]) -> Iterator[str]:
    """All sections of `results.json` as a page."""
    yield "# Results of `make bench`"
    yield ""
    yield "Medians of runs in turn. A ratio is ours over the other; its spread is the distance"
    yield "between the quartiles of the rounds' ratios, relative to their median."
    for name, section in sections.items():
        yield from ("", f"## {name}", "")
        packages = ", ".join(f"{name} {found}" for name, found in section["packages"].items())
        yield f"{section['measured']}, commit {section['commit']}; {section['machine']};"
        yield f"{section['threads']} threads; Python {section['python']}, {packages}"
        table = [_row(row) for row in section["rows"] if "note" not in row and "series" not in row]
        if table:
            yield from ("", _HEADER, "|---|---:|---:|---|---:|---:|---|---|", *table)
        for row in section["rows"]:
            if "series" in row:
                yield from ("", f"![{row['title']}]({row['name']}.svg)", "", *_curve(row))
            if "note" in row:
                yield from ("", row["note"])


def _row(record: dict[str, Any]) -> str:
    goal = ""
    if record["goal"] is not None:
        goal = f"{'≥' if record['higher_is_better'] else '≤'} {record['goal']:g}"
        goal += "" if record["reached"] else ", missed"
    noisy = " (noisy)" if record["noise"] else ""
    return (
        f"| {record['name']}{noisy} | {record['ours']:.2f} | {record['other']:.2f} "
        f"| {record['unit']} | {record['ratio']:.3f} | {record['spread']:.1%} "
        f"| {goal} | {record['other_name']} |"
    )


def _curve(record: dict[str, Any]) -> Iterator[str]:
    """Every engine has the same lengths."""
    lengths = [length for length, _ in next(iter(record["series"].values()))]
    yield f"| {record['title']} | " + " | ".join(map(str, lengths)) + " |"
    yield "|---|" + "---:|" * len(lengths)
    for engine, points in record["series"].items():
        yield f"| {engine} | " + " | ".join(f"{speed:.1f}" for _, speed in points) + " |"
