"""Flint for Python: compile RustScript programs and run them."""

from flint.compiler import CompiledScript, CompileError, compile_script_file, compile_source
from flint.devices import auto_device, parse_device, preload_libtorch, resolve_device
from flint.lama import LamaRustScript
from flint.lang.errors import HostError, ScriptError
from flint.output import ScriptTextOutput
from flint.program import Program
from flint.report import UserError
from flint.runner import ScriptRunner, TorchScriptRunner

__all__ = [
    "CompileError",
    "CompiledScript",
    "HostError",
    "LamaRustScript",
    "Program",
    "ScriptError",
    "ScriptRunner",
    "ScriptTextOutput",
    "TorchScriptRunner",
    "UserError",
    "auto_device",
    "compile_script_file",
    "compile_source",
    "parse_device",
    "preload_libtorch",
    "resolve_device",
]
