"""Programs in memory, and what the analysis finds in them."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from flintc.analysis.infer import infer
from flintc.analysis.resolve import resolve
from flintc.analysis.symbols import Module, Resolution, Typing, Variable
from flintc.analysis.type_names import type_name
from flintc.catalogue import Catalogue, load
from flintc.modules import load_program
from flintc.problems import Problem, Problems

RUNTIME = {
    "flint/runtime/__init__.py": 'NAMESPACES = {"llama": "llama", "tensor": "tensors"}\n',
    "flint/runtime/llama/__init__.py": "from .model import load, free, size, twin\n",
    "flint/runtime/llama/model.py": '''
class Model:
    """A model."""
class Batch:
    """A batch."""
def load(path: str) -> Model:
    """Read a model file."""
def free(model: Model) -> bool: ...
def size(model: Model, scale: int) -> int: ...
def twin(model: Model, other: "Model | None") -> Model | None: ...
def hidden(model: Model) -> int: ...
def _private() -> int: ...
''',
    "flint/runtime/tensors.py": """
from __future__ import annotations
from typing import TYPE_CHECKING
from flint.runtime.llama.model import Model
if TYPE_CHECKING:
    from torch import Tensor
def zeros(count: int) -> Tensor: ...
def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor: ...
def shape(x: Tensor) -> list[int]: ...
def of(model: Model) -> Tensor: ...
def anything(value: object) -> object: ...
""",
    "flint/lang/std/__init__.py": (
        'NAMESPACES: dict[str, str] = {"math": "flint.lang.std.math",'
        ' "json": "flint.lang.std.json", "re": "flint.lang.std.re"}\n'
    ),
    "flint/lang/std/math.py": """
def sqrt(x: int | float) -> float: ...
def abs(x: int | float) -> int | float: ...
def pi() -> float: ...
def floor(x: int | float) -> int | float: ...
def max(a: int | float, b: int | float) -> int | float: ...
""",
    "flint/lang/std/json.py": """
def decode(text: str) -> object: ...
def encode(value: object) -> str: ...
""",
    "flint/lang/std/re.py": """
def find(pattern: str, text: str, flags: str = "") -> str | None: ...
def match_(pattern: str, text: str) -> bool: ...
""",
}


@cache
def catalogue() -> Catalogue:
    """A small catalogue that does not change with the real runtime."""

    def read(path: Path) -> str:
        try:
            return RUNTIME[path.relative_to("/").as_posix()]
        except KeyError:
            raise FileNotFoundError(path) from None

    return load(Path("/"), read)


@dataclass
class MemoryFiles:
    """Files by path; `library` modules are those below `/library`."""

    texts: dict[str, str]

    def read(self, path: str) -> str:
        try:
            return self.texts[self.canonical(path)]
        except KeyError:
            raise FileNotFoundError(2, "No such file or directory", path) from None

    def exists(self, path: str) -> bool:
        return self.canonical(path) in self.texts

    def canonical(self, path: str) -> str:
        return posixpath.normpath(path.replace("\\", "/"))

    def library(self, name: str) -> str | None:
        path = f"/library/{name}.rss"
        return path if path in self.texts else None

    def library_names(self) -> list[str]:
        folder = "/library/"
        return [posixpath.splitext(p)[0][len(folder) :] for p in self.texts if p.startswith(folder)]


@dataclass
class Analysed:
    """A program's resolution and types."""

    resolution: Resolution
    typing: Typing
    problems: list[Problem]

    @property
    def codes(self) -> list[str]:
        return [problem.code for problem in self.problems]

    def module(self, name: str) -> Module:
        return next(module for module in self.resolution.modules if module.name == name)

    def variables(self) -> dict[str, Variable]:
        """The variables of all bodies by name; of those with the same name, the last."""
        scopes = self.resolution.scopes.values()
        return {variable.name: variable for scope in scopes for variable in scope.variables}

    def type_of(self, name: str) -> str:
        return type_name(self.variables()[name].type)

    def result_of(self, function: str) -> str:
        return type_name(self.resolution.root.functions[function].result)


def analyse(text: str, **modules: str) -> Analysed:
    """Analyse the program `main.rss`, with other files beside it by their stem."""
    texts = {f"{name}.rss": source for name, source in modules.items()}
    return analyse_files({"main.rss": text, **texts})


def analyse_files(texts: dict[str, str], root: str = "main.rss") -> Analysed:
    problems = Problems()
    modules = load_program(root, MemoryFiles(texts), problems)
    if not modules:
        return Analysed(Resolution([]), Typing(), problems.items)
    resolution = resolve(modules, catalogue(), problems)
    typing = infer(resolution, catalogue(), problems)
    return Analysed(resolution, typing, problems.items)


def sound(text: str, **modules: str) -> Analysed:
    """As `analyse`, for a program without problems."""
    analysed = analyse(text, **modules)
    assert [problem.title for problem in analysed.problems] == []
    return analysed
