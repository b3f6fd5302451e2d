"""docs/deviations.md against what programs do: every row of "Other programs", and host functions.

The rows on the suite's own programs are tested in test_reference_bugs.py; those on llama.cpp
contexts, which need a model, in tests/runtime/test_hostile.py.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from flint.lang.errors import HostError
from flint.runtime import context, program
from flint.runtime.llama import batch, sampler
from flintc.execute import run_json

PAGE = Path(__file__).resolve().parent.parent / "docs" / "deviations.md"
_ROW = re.compile(r"^\| `(.*?;|.*? \})` \| (.*?) \| `(.*)` \|$", re.MULTILINE)


def rows() -> Iterator[Any]:
    section = PAGE.read_text(encoding="utf-8").split("## Other programs")[1].split("## Host")[0]
    for script, _, here in _ROW.findall(section):
        text = script.replace("\\|", "|")
        yield pytest.param(text, here, id=text)


ROWS = list(rows())


def test_every_row_of_the_table_is_read() -> None:
    table = PAGE.read_text(encoding="utf-8").split("## Other programs")[1].split("And beyond")[0]
    assert len(ROWS) == table.count("\n| `")


def _plain(value: dict[str, Any]) -> object:
    match value["type"]:
        case "float":
            return float(value["value"])
        case "array":
            return [_plain(item) for item in value["items"]]
        case _:
            return value.get("value")


@pytest.mark.parametrize(("text", "here"), ROWS)
def test_a_row_is_true(text: str, here: str, tmp_path: Path) -> None:
    script = tmp_path / "row.rss"
    script.write_text(text, encoding="utf-8")
    result: dict[str, Any] = run_json(str(script))
    if here.startswith("["):
        assert result["error"] is None, result["error"]
        # 3 == 3.0 in Python, so the types are compared too
        assert repr([_plain(value) for value in result["stack"]]) == repr(ast.literal_eval(here))
    elif here.startswith("E_"):
        assert result["error"]["code"] == here
    else:
        assert result["status"] == "runtime_error"
        assert here in result["error"]["message"]


# -- host functions -------------------------------------------------------------------------------


def _freed_sampler() -> sampler.Sampler:
    chain = sampler.sampler_chain_init(True)
    sampler.sampler_free(chain)
    return chain


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: batch.batch_add(batch.batch_init(4, 1), -1, 0, 0, True), "batch_add.*token"),
        (lambda: batch.batch_add(batch.batch_init(4, 1), 1, -1, 0, True), "batch_add.*position"),
        (lambda: batch.batch_add(batch.batch_init(4, 1), 1, 0, -1, True), "batch_add.*sequence"),
        (lambda: batch.batch_init(4, -1), "batch_init.*n_seq_max"),
        (lambda: sampler.sampler_add_top_k(_freed_sampler(), 2**40), "sampler: no llama sampler"),
        (lambda: sampler.sampler_add_top_k(sampler.sampler_chain_init(True), 2**40), "top_k: k "),
        (lambda: batch.batch_clear(3), "batch: no llama batch with handle 3"),  # type: ignore[arg-type]
    ],
)
def test_refusals(call: Callable[[], object], message: str) -> None:
    with pytest.raises(HostError, match=message):
        context.run(call)


def test_a_large_batch_costs_nothing() -> None:
    def main() -> None:
        large = batch.batch_init(2**31 - 1, 1)
        batch.batch_add(large, 1, 0, 0, True)
        assert large.tokens.buffer_info()[1] == 1

    context.run(main)


def test_handles_are_objects_with_a_number() -> None:
    def main() -> None:
        one, other = batch.batch_init(1, 1), batch.batch_init(1, 1)
        assert other.handle > one.handle > 0

    context.run(main)


def test_compact2_counts_distinct_tensors() -> None:
    first, second, third = (torch.ones(1) for _ in range(3))

    def main() -> None:
        assert program.compact2(first, second) == 3
        assert program.compact2(third, third) == 2

    context.run(main, inputs=[second, third])
