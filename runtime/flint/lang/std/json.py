"""`json::`: strict decoding and compact encoding (language.md 6.7)."""

import math
from json.encoder import encode_basestring
from typing import Any

from flint.lang.errors import HostError
from flint.lang.floats import json_float
from flint.lang.json_reader import JsonFault, read_json
from flint.lang.kinds import expect, is_callable


def encode(value: object) -> str:
    """Compact JSON with the keys of each object sorted; `HostError` for what JSON lacks."""
    parts: list[str] = []
    try:
        _write(value, parts)
    except RecursionError:
        raise HostError("json_encode: the value is nested too deeply") from None
    return "".join(parts)


def decode(text: str) -> Any:
    """The value of a JSON text; `HostError` with line and column of the first fault."""
    expect(text, str)
    try:
        return read_json(text)
    except JsonFault as fault:
        raise HostError(f"json_decode failed: {fault}") from None


def _write(value: object, parts: list[str]) -> None:
    if type(value) is dict:
        _write_object(value, parts)
    elif type(value) is list:
        _write_array(value, parts)
    else:
        parts.append(_scalar(value))


def _write_array(items: list[object], parts: list[str]) -> None:
    separator = "["
    for value in items:
        parts.append(separator)
        _write(value, parts)
        separator = ","
    parts.append("]" if items else "[]")


def _write_object(entries: dict[object, object], parts: list[str]) -> None:
    names = [key for key in entries if isinstance(key, str)]
    if len(names) < len(entries):
        raise HostError("json_encode map keys must be strings")
    separator = "{"
    for name in sorted(names):
        parts.append(f"{separator}{encode_basestring(name)}:")
        _write(entries[name], parts)
        separator = ","
    parts.append("}" if entries else "{}")


def _scalar(value: object) -> str:
    if type(value) is str:
        return encode_basestring(value)
    if type(value) is int:
        return str(value)
    if type(value) is float:
        return _float(value)
    if value is None or type(value) is bool:
        return "null" if value is None else "true" if value else "false"
    raise HostError(f"json_encode does not support {_unsupported(value)} values")


def _float(value: float) -> str:
    if not math.isfinite(value):
        raise HostError("json_encode does not support NaN or infinity")
    return json_float(value)


def _unsupported(value: object) -> str:
    if type(value) is bytes:
        return "bytes"
    return "callable" if is_callable(value) else type(value).__name__
