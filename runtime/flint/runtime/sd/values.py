"""How errors of stable-diffusion.cpp itself are told."""

from __future__ import annotations

from flint.runtime.c_values import first_complaint
from flint.runtime.host import Refused


def library_error(text: str, details: list[str] | None = None) -> Refused:
    """An error of the library, with what its log says about it."""
    return Refused(f"sd library: {text}{first_complaint(details or [])}")
