"""Source maps on disk: reading one with both of its files, refusing those that are stale."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from flintc import source_map
from flintc.excerpt import visible
from flintc.files import shipped, shown_path
from flintc.problems import Refused
from flintc.source import SourceFile
from flintc.source_map import SourceMap, SourceMapError

_AGAIN = "build its script again with `flintc build`"
_MAX_SIZE = 256 << 20  # bytes; of a map that is read


class MapRefused(Refused):
    """A module has no usable map."""


@dataclass(frozen=True, slots=True)
class MappedModule:
    """A generated module and its script; `script` is None where that file is not here."""

    map: SourceMap
    module: SourceFile
    script: SourceFile | None

    @property
    def script_path(self) -> str:
        """The script's path for people."""
        return self.map.source if self.script is None else self.script.path


def read(module: str | Path) -> MappedModule:
    """The map of a generated module.

    `MapRefused` if there is none, or if the module or its script changed after the build; `OSError`
    or `UnicodeDecodeError` if the module cannot be read.
    """
    text = _text(Path(module))
    found = _parsed(Path(f"{module}{source_map.SUFFIX}"), shown_path(str(module)))
    name = visible(shown_path(str(module)))
    if source_map.text_hash(text) != found.output_sha256:
        title = f"the map of {name} is stale: the module is not the one that flintc wrote"
        raise MapRefused(title, _rebuild(found.source))
    mapped = MappedModule(
        found, SourceFile(shown_path(str(module)), text), _script(Path(module), found)
    )
    if not _fits(mapped):
        raise MapRefused(f"the map of {name} cannot be used: it is damaged", _AGAIN)
    return mapped


def _fits(mapped: MappedModule) -> bool:
    """Whether both files have the lines that the map names."""
    files = (mapped.module, mapped.script)
    return all(
        file is None or last <= file.text.count("\n") + 1
        for file, last in zip(files, mapped.map.last_lines, strict=True)
    )


def _parsed(path: Path, module: str) -> SourceMap:
    try:
        if path.stat().st_size > _MAX_SIZE:
            raise MapRefused(f"the map of {visible(module)} is too large", _AGAIN)
        return source_map.from_json(_text(path))
    except FileNotFoundError:
        raise MapRefused(f"there is no map beside {visible(module)}", _AGAIN) from None
    except OSError as error:
        title = f"the map of {visible(module)} cannot be read: {error.strerror}"
        raise MapRefused(title, _AGAIN) from None
    except (SourceMapError, UnicodeDecodeError) as error:
        reason = "it is damaged" if isinstance(error, UnicodeDecodeError) else str(error)
        title = f"the map of {visible(module)} cannot be used: {reason}"
        raise MapRefused(title, _AGAIN) from None


def _script(module: Path, found: SourceMap) -> SourceFile | None:
    """The script as it was at the build; None if there is no such file."""
    changed = None
    for path in _candidates(module, found.source):
        try:
            text = _text(path)
        except (OSError, ValueError):
            continue
        if source_map.text_hash(text) == found.source_sha256:
            return SourceFile(shown_path(str(path)), text)
        changed = changed or path
    if changed is None:
        return None
    script = visible(shown_path(str(changed)))
    title = f"the map of {visible(shown_path(str(module)))} is stale: {script} changed"
    raise MapRefused(title, _rebuild(shown_path(str(changed))))


def _candidates(module: Path, source: str) -> Iterator[Path]:
    """Maps name scripts as seen from where they were built: most likely above the module. Those of
    shipped modules are where this package is.
    """
    library = shipped(source)
    if library is not None:
        yield library
    folders = Path(os.path.abspath(module)).parents
    yield from dict.fromkeys([*(folder / source for folder in folders), Path(source)])


def _rebuild(script: str) -> str:
    return f"build it again with `flintc build {visible(script)}`"


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def maps_of(script: str, output: str) -> list[MappedModule]:
    """The modules below the folder `output` that came from a script, in order of their paths.

    `MapRefused` if one of them is stale; maps that cannot be read are left out.
    """
    wanted = os.path.realpath(script)
    found = []
    for path in sorted(Path(output).rglob(f"*.py{source_map.SUFFIX}")):
        module = path.with_suffix("")
        if _may_be_of(path, module, wanted):
            found.append(read(module))
    return found


def _may_be_of(path: Path, module: Path, wanted: str) -> bool:
    try:
        source = source_map.from_json(_text(path)).source
    except (OSError, ValueError):
        return False
    return any(os.path.realpath(place) == wanted for place in _candidates(module, source))
