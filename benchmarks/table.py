"""One measured figure beside what it is compared with, and the table of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of ours and of the thing it is compared with, in the same unit.

    `higher_is_better` says whether the ratio ours/other should be large (speeds) or small (times);
    `goal` is the ratio that must be reached, None where the comparison only informs.
    """

    name: str
    ours: float
    other: float
    other_name: str
    unit: str
    higher_is_better: bool = False
    goal: float | None = None

    @property
    def ratio(self) -> float:
        """Ours relative to the other."""
        return self.ours / self.other

    @property
    def reached(self) -> bool:
        """Whether the goal is met; true where there is none."""
        if self.goal is None:
            return True
        return self.ratio >= self.goal if self.higher_is_better else self.ratio <= self.goal


def lines(figures: Iterable[Figure | str]) -> Iterator[str]:
    """The table, row by row; texts among the figures are notes."""
    yield f"{'figure':<34}{'ours':>10}{'other':>10}  {'unit':<8}{'ratio':>7}  {'goal':<9}other is"
    for figure in figures:
        if isinstance(figure, str):
            yield figure
            continue
        sign = ">=" if figure.higher_is_better else "<="
        goal = "" if figure.goal is None else f"{sign} {figure.goal:g}"
        verdict = "" if figure.reached else "  MISSED"
        yield (
            f"{figure.name:<34}{figure.ours:>10.2f}{figure.other:>10.2f}  {figure.unit:<8}"
            f"{figure.ratio:>7.3f}  {goal:<9}{figure.other_name}{verdict}"
        )
