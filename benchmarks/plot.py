"""A curve as SVG, the same bytes for the same figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.table import Curve

_SETTINGS: Any = {"svg.hashsalt": "flint", "svg.fonttype": "none", "font.size": 10}


def write(curve: Curve, path: Path, where: str) -> None:
    """Write `path`: tokens a second over the context length, a line for each engine.

    `where` says on what machine.
    """
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_SETTINGS):
        figure = Figure(figsize=(7, 4), layout="constrained")
        _draw(figure.subplots(), curve, f"{curve.title}\n{where}")
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def _draw(axes: Any, curve: Curve, title: str) -> None:
    from matplotlib.ticker import ScalarFormatter

    for engine, points in curve.series.items():
        lengths, speeds = zip(*points, strict=True)
        axes.plot(lengths, speeds, marker="o", label=engine)
    axes.set_xscale("log", base=2)
    axes.set_xticks(sorted({length for points in curve.series.values() for length, _ in points}))
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.set(title=title, xlabel="context, tokens", ylabel="tokens a second", ylim=(0, None))
    axes.grid(alpha=0.3)
    axes.legend()
