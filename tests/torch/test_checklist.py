"""Every host function of the specification: there, typed, documented, and tested in each respect.

What `host_functions.toml` lists is held against the tables in `cases_*.py`, and against the
programs that misuse native libraries.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from flint.runtime import NAMESPACES
from flintc.analysis.types import UNKNOWN, Handle
from tests.runtime import hostile, hostile_run  # noqa: F401  they register their programs
from tests.sd import hostile as hostile_sd
from tests.sd import hostile_run as hostile_run_sd  # noqa: F401
from tests.torch.case import CATALOGUE, described
from tests.torch.conftest import FLOATS
from tests.torch.host_list import ERRORS, GROUPS, NAMES
from tests.torch.tables import CASES, EXEMPT, REFUSALS

# Namespaces and functions that work with other things than tensors: what they give is tested
# elsewhere, what they refuse is counted here.
ELSEWHERE = ("ggml", "llama", "sd", "cli")
OTHER_WORK = {"tokenizer::apply_chat_template", "tokenizer::is_end_token"}
NEWER = {"sd": "diffusion"}  # another name of the same namespace
DYNAMIC = {"cli::refer", "cli::get"}
SHAPES = re.compile(
    r"\[.*\]|\bshapes?\b|every element|by elements|broadcast|dimension|as it is|same tensor"
)
HAND_ON = ("runtime", "cache", "pair", "weights")


def in_tables(name: str) -> bool:
    return name not in OTHER_WORK and not name.startswith(ELSEWHERE)


COVERED = [name for name in NAMES if in_tables(name)]
HOSTILE = [*hostile.CASES.values(), *hostile_sd.CASES.values()]  # run in processes of their own
VALUES, REFUSED = {case.name for case in CASES}, {case.name for case in REFUSALS}


def tensors_in(name: str) -> bool:
    """Whether tensors, or pairs of them, go in or come out."""
    function = described(name)
    types = [function.result, *(param.type for param in function.params)]
    return any(isinstance(type_, Handle) for type_ in types)


def test_the_list_is_complete() -> None:
    counts = Counter(group.origin for group in GROUPS for _ in group.names)
    # section 14 of the specification
    assert counts["document"] == 185
    assert counts["source"] == 12
    assert counts["newer"] == 10
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_every_function_is_listed(namespace: str) -> None:
    listed = "sd" if namespace == NEWER["sd"] else namespace
    members = CATALOGUE.namespace_members(f"flint::{namespace}")
    assert {f"{listed}::{name}" for name in members} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_signature_and_text(name: str) -> None:
    function = described(name)
    types = [function.result, *(param.type for param in function.params)]
    assert UNKNOWN not in types or name in DYNAMIC
    assert function.doc.splitlines()[0].endswith((".", ":", ";", "…"))
    if name in COVERED and tensors_in(name) and not name.startswith(HAND_ON):
        assert SHAPES.search(function.doc)


@pytest.mark.parametrize("name", COVERED)
def test_values(name: str) -> None:
    assert (name in VALUES) != (name in EXEMPT.values)


@pytest.mark.parametrize("name", NAMES)
def test_documented_errors(name: str) -> None:
    tested = {case.error for case in REFUSALS if case.name == name}
    tested |= {case.error for case in HOSTILE if case.function == name}
    documented = set(ERRORS.get(name, ()))
    assert documented <= tested <= documented | {"torch", "absent weight", "handle"}


@pytest.mark.parametrize("name", [name for name in COVERED if name.startswith(("tensor", "nn"))])
def test_failures_of_torch(name: str) -> None:
    fails = any(case.name == name and case.error == "torch" for case in REFUSALS)
    assert fails != (name in EXEMPT.torch)


@pytest.mark.parametrize("name", COVERED)
def test_float_types(name: str) -> None:
    tested = {case.dtype for case in CASES if case.name == name}
    if tensors_in(name):
        assert (set(FLOATS) <= tested) != (name in EXEMPT.floats)


def test_tables_name_what_there_is() -> None:
    exempt = {*EXEMPT.values, *EXEMPT.torch, *EXEMPT.floats}
    assert {*VALUES, *exempt} <= set(COVERED)
    assert {*REFUSED, *ERRORS, *(case.function for case in HOSTILE)} <= set(NAMES)


@pytest.mark.parametrize("name", [name for name in NAMES if not in_tables(name)])
def test_called_elsewhere(name: str, texts_of_tests: str) -> None:
    namespace, _, function = name.partition("::")
    names = f"{namespace}|{NEWER.get(namespace, namespace)}"
    assert re.search(rf"\b({names})(\.|::){function}\b", texts_of_tests)


@pytest.fixture(scope="module")
def texts_of_tests(root: Path) -> str:
    """All test modules."""
    return "\n".join(
        path.read_text(encoding="utf-8") for path in sorted((root / "tests").glob("*/*.py"))
    )
