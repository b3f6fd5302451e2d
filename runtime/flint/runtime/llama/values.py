"""How errors of llama.cpp itself are told."""

from __future__ import annotations

from flint.runtime.c_values import first_complaint
from flint.runtime.host import Refused


def library_error(text: str, details: list[str] | None = None) -> Refused:
    """An error of llama.cpp itself, with what its log says about it."""
    return Refused(f"llama library: {text}{first_complaint(details or [])}")
