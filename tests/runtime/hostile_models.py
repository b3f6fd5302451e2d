"""Programs that load files which are no model."""

from __future__ import annotations

import os

from tests.runtime.hostile import load, places, refused, scratch


@refused("llama::model_load", "unreadable", "model not loaded: .*missing.gguf: No such file")
def missing_model() -> None:
    load(str(places.scratch / "missing.gguf"))


@refused("llama::model_load", "unreadable", ": Is a directory")
def folder_as_model() -> None:
    load(str(places.scratch))


@refused("llama::model_load", "no model", "only 0 bytes")
def empty_model() -> None:
    load(scratch("empty.gguf", b""))


@refused("llama::model_load", "no model", "no GGUF file")
def text_as_model() -> None:
    load(scratch("text.gguf", b"This is a text file and no model at all.\n" * 100))


@refused("llama::model_load", "no model", "no GGUF file")
def random_bytes_as_model() -> None:
    load(scratch("random.gguf", os.urandom(4096)))


@refused("llama::model_load", "damaged", "cut short|damaged|value type")
def random_bytes_behind_a_gguf_header() -> None:
    load(scratch("header.gguf", places.model.read_bytes()[:24] + bytes(range(256)) * 64))


@refused("llama::model_load", "damaged", "cut short")
def model_cut_in_its_header() -> None:
    load(scratch("cut_header.gguf", places.model.read_bytes()[:5000]))


@refused("llama::model_load", "damaged", "cut short")
def model_cut_in_its_tensors() -> None:
    with open(places.model, "rb") as file:
        load(scratch("cut.gguf", file.read(50_000_000)))


@refused("llama::model_load", "library", "model not loaded.*not within the file bounds")
def model_without_its_last_bytes() -> None:
    load(scratch("last.gguf", places.model.read_bytes()[:-1000]))


@refused("llama::model_load", "no model", "version 77")
def model_of_another_version() -> None:
    data = bytearray(places.model.read_bytes()[:100_000])
    data[4:8] = (77).to_bytes(4, "little")
    load(scratch("version.gguf", bytes(data)))


@refused("llama::model_load", "damaged", "cut short|damaged")
def model_with_absurd_counts() -> None:
    header = b"GGUF" + (3).to_bytes(4, "little") + (2**62).to_bytes(8, "little") * 2
    load(scratch("counts.gguf", header + bytes(1000)))


@refused("llama::model_load", "library", "model not loaded")
def model_with_nothing_in_it() -> None:
    load(scratch("nothing.gguf", b"GGUF" + (3).to_bytes(4, "little") + bytes(16)))


@refused("llama::model_load", "text", "path contains a NUL")
def nul_in_a_path() -> None:
    load("a\0b")


@refused("llama::model_load", "unreadable", "not a regular file")
def device_as_model() -> None:
    load("/dev/zero")
