"""Whether a folder has all the files that its checkpoint was split into.

A program that takes its number of layers from the weights would run with too few of them otherwise.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterable

from flint.lang.json_reader import JsonFault, require_shallow
from flint.regular_file import require_regular
from flint.runtime.host import Refused

_INDEX = ".safetensors.index.json"
_NUMBERED = re.compile(r"(.*)-(\d{1,9})-of-(\d{1,9})\.safetensors", re.IGNORECASE | re.ASCII)


def weights_elsewhere(
    folder: str, names: Iterable[str], weights: Collection[str]
) -> dict[str, str]:
    """The weights that an index of the folder lists and `weights` lacks, with their files' names.

    `names` are those of the folder's files. Without an index, `Refused` if a numbered file such as
    `model-00001-of-00002.safetensors` has not all of its companions.
    """
    indices = [name for name in names if name.lower().endswith(_INDEX)]
    if not indices:
        _require_companions(folder, names)
    return {
        weight: file
        for name in indices
        for weight, file in _listed(os.path.join(folder, name)).items()
        if weight not in weights
    }


def _listed(path: str) -> dict[str, str]:
    """An index's weights and their files; none if it is no index: what the files hold counts."""
    try:
        require_regular(path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        require_shallow(text)
        listed = json.loads(text)["weight_map"].items()
    except (OSError, ValueError, JsonFault, KeyError, TypeError, AttributeError):
        return {}
    return {weight: str(file) for weight, file in listed}


def _require_companions(folder: str, names: Iterable[str]) -> None:
    found: dict[tuple[str, int], dict[int, str]] = defaultdict(dict)
    for name in names:
        if match := _NUMBERED.fullmatch(name):
            stem, number, count = match.groups()
            found[stem, int(count)][int(number)] = name
    for (_, count), numbers in found.items():
        absent = next(at for at in range(1, len(numbers) + 2) if at not in numbers)
        if absent <= count:
            name = next(iter(numbers.values()))
            raise Refused(f"{name} is in {folder}, but not part {absent} of {count}")
