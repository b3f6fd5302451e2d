"""`bytes::` (language.md 6.4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flint.lang.errors import ScriptError
from flint.lang.std import bytes as std


@given(st.binary())
def test_round_trips(data: bytes) -> None:
    assert std.from_hex(std.to_hex(data)) == data
    assert std.from_hex(std.to_hex(data).upper()) == data
    assert std.from_base64(std.to_base64(data)) == data
    assert std.from_array_u8(std.to_array_u8(data)) == data


@given(st.text())
def test_text(text: str) -> None:
    assert std.to_utf8(std.from_utf8(text)) == std.to_utf8_lossy(text.encode()) == text


def test_vectors() -> None:
    assert std.to_hex(b"h\xc3\xa9!") == "68c3a921"
    assert std.to_base64(b"foob") == "Zm9vYg=="  # RFC 4648
    assert std.to_utf8_lossy(b"a\xffb") == "a\ufffdb"
    assert std.to_utf8_lossy(b"\xf0\x9f\x97x") == "\ufffdx"


@pytest.mark.parametrize(
    ("function", "argument", "text"),
    [
        (std.from_hex, "abc", "bytes::from_hex requires an even number of hex digits"),
        (std.from_hex, "12zz", "bytes::from_hex encountered invalid hex digit 'z' at offset 2"),
        (std.from_hex, "1 2 ", "bytes::from_hex encountered invalid hex digit ' ' at offset 1"),
        (std.from_array_u8, [1, 256], "bytes::from_array_u8 entry 1 must be an int in 0..=255"),
        (std.from_array_u8, [True], "bytes::from_array_u8 entry 0 must be an int in 0..=255"),
        (std.to_utf8, b"a\xff", "bytes::to_utf8 requires valid utf-8: "),
        (std.from_base64, "abc", "bytes::from_base64 requires valid base64: "),
        (std.from_base64, "YQ=", "bytes::from_base64 requires valid base64: "),
        (std.from_base64, "YR==", "bytes::from_base64 requires valid base64: "),
        (std.from_base64, "Y Q=", "bytes::from_base64 requires valid base64: "),
        (std.from_base64, "YQ==YQ==", "bytes::from_base64 requires valid base64: "),
        (std.from_base64, "\u00e9\u00e9\u00e9=", "bytes::from_base64 requires valid base64: "),
    ],
)
def test_errors(function, argument, text: str) -> None:
    with pytest.raises(ScriptError) as caught:
        function(argument)
    assert str(caught.value).startswith(f"host error: {text}")


def test_kinds() -> None:
    for function in (std.to_hex, std.to_utf8, std.to_base64):
        with pytest.raises(ScriptError, match=r"^type mismatch: expected bytes$"):
            function("text")
    with pytest.raises(ScriptError, match=r"^type mismatch: expected string$"):
        std.from_utf8(b"bytes")
