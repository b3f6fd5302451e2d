"""Renders one chat template; run as a process of its own, under limits, by `chat_template`.

Reads a JSON object from stdin (`template`, `variables`, `cpu_seconds`, `memory_bytes`) and writes
one to stdout: `{"text": …}` or `{"error": …}`. Imports nothing of flint.
"""

from __future__ import annotations

import json
import resource
import sys
from datetime import datetime
from typing import Any, NoReturn

from jinja2 import TemplateError, TemplateSyntaxError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment


class Generation(Extension):
    """`{% generation %}` marks what an assistant wrote, for training; here it is its content."""

    tags = {"generation"}  # noqa: RUF012 (jinja2's own declaration)

    def parse(self, parser: Parser) -> nodes.Node:
        """The content, whose variables stay inside."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body, lineno=line)


def environment() -> ImmutableSandboxedEnvironment:
    """Templates as Hugging Face models have them: the settings of transformers 5."""
    made = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    made.filters["tojson"] = _tojson
    made.globals["raise_exception"] = _raise_exception
    made.globals["strftime_now"] = lambda format: datetime.now().strftime(format)
    return made


def main() -> None:
    """Render what stdin asks for."""
    request = json.load(sys.stdin)
    _limit(resource.RLIMIT_CPU, request["cpu_seconds"])
    _limit(resource.RLIMIT_AS, request["memory_bytes"])
    _limit(resource.RLIMIT_CORE, 0)
    json.dump(_answer(request["template"], request["variables"]), sys.stdout)


def _answer(template: str, variables: dict[str, Any]) -> dict[str, str]:
    try:
        return {"text": environment().from_string(template).render(variables)}
    except TemplateSyntaxError as error:
        return {"error": f"line {error.lineno}: {error.message}"}
    except TemplateError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "it needs too much memory"}
    except RecursionError:
        return {"error": "it calls itself without end"}
    except Exception as error:  # a template is a program: it can raise anything
        return {"error": f"{type(error).__name__}: {error}"}


def _limit(kind: int, value: int) -> None:
    try:
        resource.setrlimit(kind, (value, value))
    except (ValueError, OSError):  # macOS has no limit on memory, others may allow less already
        return


def _tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    # jinja2's own filter escapes what HTML would read
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _raise_exception(message: str) -> NoReturn:
    raise TemplateError(message)


if __name__ == "__main__":
    main()
