"""Flint for Python: compile RustScript programs and run them."""

from flint.compiler import CompiledScript, CompileError, compile_script_file, compile_source
from flint.lang.errors import HostError, ScriptError
from flint.output import ScriptTextOutput
from flint.program import Program
from flint.report import UserError
from flint.runner import ScriptRunner

__all__ = [
    "CompileError",
    "CompiledScript",
    "HostError",
    "Program",
    "ScriptError",
    "ScriptRunner",
    "ScriptTextOutput",
    "UserError",
    "compile_script_file",
    "compile_source",
]
