"""`flintc explain`: what a problem code means."""

from __future__ import annotations

from difflib import get_close_matches

import click

from flintc import explain


def show(code: str | None) -> None:
    """Print the page of a code, or the list of all codes. A usage error for an unknown code."""
    if code is None:
        for known in explain.codes():
            click.echo(f"{known:<30} {explain.summary(known)}")
        return
    name = code.upper()
    if name not in explain.codes():
        raise click.BadParameter(_unknown(name), param_hint="CODE")
    click.echo(explain.page(name), nl=False)


def _unknown(name: str) -> str:
    close = get_close_matches(name, explain.codes(), n=1)
    advice = f"did you mean {close[0]}?" if close else "`flintc explain` lists all codes"
    return f"there is no code {name}; {advice}"
