"""The rows of the benchmarks, a figure beside what it is compared with, and their table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median, quantiles


def spread(samples: Sequence[float]) -> float:
    """The distance between the quartiles over the median: 0 for fewer than two samples."""
    if len(samples) < 2:
        return 0.0
    first, middle, third = quantiles(samples, n=4, method="inclusive")
    return (third - first) / middle


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of ours and of the thing it is compared with, in the same unit.

    `higher_is_better` says whether the ratio ours/other should be large (speeds) or small (times);
    `goal` is the ratio that must be reached, None where the comparison only informs. `noise` is
    what kept the machine from measuring it well, None if nothing did; figures that are not `timed`,
    such as memory, do not suffer from it.
    """

    name: str
    ours: float
    other: float
    other_name: str
    unit: str
    higher_is_better: bool = False
    goal: float | None = None
    samples: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())
    timed: bool = True
    noise: str | None = None

    @classmethod
    def of_samples(
        cls,
        name: str,
        ours: Sequence[float],
        other: Sequence[float],
        other_name: str,
        unit: str,
        *,
        higher_is_better: bool = False,
        goal: float | None = None,
        timed: bool = True,
    ) -> Figure:
        """The medians of what was measured in turn."""
        samples = tuple(ours), tuple(other)
        return cls(
            name,
            median(ours),
            median(other),
            other_name,
            unit,
            higher_is_better,
            goal,
            samples,
            timed,
        )

    @property
    def ratio(self) -> float:
        """Ours relative to the other."""
        return self.ours / self.other

    @property
    def spread(self) -> float:
        """How far the ratios of single rounds are apart: see `spread`."""
        return spread([ours / other for ours, other in zip(*self.samples, strict=False)])

    @property
    def goal_text(self) -> str:
        """The goal as a comparison, empty where there is none."""
        if self.goal is None:
            return ""
        return f"{'>=' if self.higher_is_better else '<='} {self.goal:g}"

    @property
    def reached(self) -> bool:
        """Whether the goal is met; true where there is none."""
        if self.goal is None:
            return True
        return self.ratio >= self.goal if self.higher_is_better else self.ratio <= self.goal


@dataclass(frozen=True, slots=True)
class Curve:
    """Speeds of some engines, each a list of (context length in tokens, tokens a second).

    All have the same lengths; the plot is called `name`.
    """

    name: str
    title: str
    series: dict[str, list[tuple[int, float]]]
    noise: str | None = None


NOISY = " ~"
"""Marks what was measured on a noisy machine, if that is asked for."""

Row = Figure | Curve | str
"""A text is a note."""


def lines(rows: Iterable[Row], force: bool = False) -> Iterator[str]:
    """The table, row by row, in 100 columns. Rows of a noisy machine have no figures, or a mark."""
    yield f"{'figure':<34}{'ours':>9}{'other':>9}  {'unit':<7}{'ratio':>6}  {'goal':<8}other is"
    for row in rows:
        if isinstance(row, str):
            yield row
        elif row.noise is not None and not force:
            yield f"{row.name:<34}too noisy: {row.noise}"
        elif isinstance(row, Curve):
            yield from _curve(row)
        else:
            yield _figure(row)


def _figure(row: Figure) -> str:
    mark = "" if row.reached else " MISSED"
    mark += "" if row.noise is None else NOISY
    return (
        f"{row.name:<34}{row.ours:>9.2f}{row.other:>9.2f}  {row.unit:<7}"
        f"{row.ratio:>6.3f}  {row.goal_text:<8}{row.other_name}{mark}"
    )


def _curve(curve: Curve) -> Iterator[str]:
    lengths = [length for length, _ in next(iter(curve.series.values()))]
    yield f"{curve.title:<34}" + "".join(f"{length:>8}" for length in lengths)
    for engine, points in curve.series.items():
        mark = "" if curve.noise is None else NOISY
        yield f"  {engine:<32}" + "".join(f"{speed:>8.1f}" for _, speed in points) + mark
