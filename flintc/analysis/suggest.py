"""The closest known name to one that was not found."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

from flintc.problems import Problems

# A program of generated nonsense must not spend its time on good advice.
MAX_CANDIDATES = 2000
MAX_PROBLEMS = 20


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that `name` most likely was meant to be, or None."""
    known = [other for other in islice(candidates, MAX_CANDIDATES) if _is_near(name, other)]
    matches = get_close_matches(name, known, n=1, cutoff=0.7)
    return matches[0] if matches else None


def _is_near(name: str, other: str) -> bool:
    """Whether another name may be meant at all: a short one differs in length by one at most."""
    return other != name and (len(other) > 3 or abs(len(other) - len(name)) <= 1)


def did_you_mean(name: str, candidates: Iterable[str], problems: Problems) -> str | None:
    """A help text that offers the closest candidate, or None; only for the first problems."""
    match = None if len(problems.items) > MAX_PROBLEMS else closest(name, candidates)
    return None if match is None else f"did you mean `{match}`?"
