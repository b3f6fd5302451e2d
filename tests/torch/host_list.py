"""The list of host functions, host_functions.toml, as Python values."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Group:
    """Functions that one section describes; `names` carry their namespace."""

    section: str
    origin: str
    namespace: str
    names: tuple[str, ...]


_LIST = tomllib.loads(Path(__file__).with_name("host_functions.toml").read_text(encoding="utf-8"))

GROUPS = [
    Group(
        group["section"],
        group["origin"],
        group["namespace"],
        tuple(f"{group['namespace']}::{name}" for name in group["names"].split()),
    )
    for group in _LIST["group"]
]
NAMES = [name for group in GROUPS for name in group.names]
ERRORS: dict[str, list[str]] = _LIST["errors"]
