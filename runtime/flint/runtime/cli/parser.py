"""The command line of a script: what it declares through `flint::cli`, and how words are read.

Source: host-functions.md 12. Its rules are not those of argparse: no abbreviations, no bundles, an
option takes the next word whatever it looks like, `-5` is an option.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from flint.runtime.host import Refused
from flint.runtime.numbers import parse_float, parse_int

Value: TypeAlias = str | int | float | bool

_TYPES: dict[type, str] = {
    str: "a string",
    int: "an int",
    float: "a float",
    bool: "a bool",
}
_TAKES_VALUE = {"Store": True, "StoreOption": True, "StoreTrue": False, "StoreFalse": False}
_HELP = ("-h", "--help")


@dataclass(eq=False, slots=True)
class Reference:
    """A value that the command line sets, named by options or by its place.

    `names` is empty until it is attached.
    """

    handle: int
    parser: Parser = field(repr=False)
    value: Value
    names: tuple[str, ...] = ()
    positional: bool = False
    action: str = "Store"
    help: str = ""
    metavar: str = "VALUE"
    required: bool = False
    given: bool = False

    @property
    def takes_value(self) -> bool:
        return _TAKES_VALUE[self.action]

    def attach(self, names: Sequence[str], action: str, help: str, positional: bool) -> None:
        """Name the reference, in place of earlier names; `Refused` if the action does not fit."""
        if action not in _TAKES_VALUE:
            raise Refused(f"no action {action!r}; the four are {', '.join(_TAKES_VALUE)}")
        if positional and not _TAKES_VALUE[action]:
            raise Refused(f"positional needs a value action, not {action}")
        if not _TAKES_VALUE[action] and type(self.value) is not bool:
            kind = _TYPES[type(self.value)]
            raise Refused(f"flag action {action} needs a bool reference; its value is {kind}")
        self.names, self.positional = tuple(names), positional
        self.action, self.help = action, help

    def store(self, text: str) -> None:
        """Take the value from a word of the command line."""
        self.value, self.given = _parsed(text, type(self.value)), True

    def switch(self) -> None:
        """Take the value that the flag stands for."""
        self.value, self.given = self.action == "StoreTrue", True

    def help_line(self) -> str:
        value = f" {self.metavar}" if self.takes_value else ""
        required = " (required)" if self.required else ""
        text = f"\t{self.help}" if self.help else ""
        return f"  {', '.join(self.names)}{value}{required}{text}\n"


@dataclass(eq=False, slots=True)
class Parser:
    """The options and positional arguments of one script."""

    handle: int
    description: str = ""
    references: list[Reference] = field(default_factory=list)
    parsed: bool = False

    def refer(self, handle: int, initial: object) -> Reference:
        """A new reference that has this value unless the command line gives another."""
        if not isinstance(initial, str | int | float):
            raise Refused("reference type has to be string, int, float or bool")
        self.references.append(Reference(handle, self, initial))
        return self.references[-1]

    def parse(self, words: Sequence[str]) -> str | None:
        """Set the references from the words, once; the help text if they ask for it."""
        if self.parsed:
            raise Refused("already parsed")
        options = self._options()
        positionals = iter([item for item in self.references if item.positional])
        rest = iter(words)
        for word in rest:
            if word == "--":
                break
            if not word.startswith("-"):
                _store_positional(positionals, word)
            elif _set_option(options, word, rest):
                return self.help()
        for word in rest:
            _store_positional(positionals, word)
        self._require_all()
        self.parsed = True
        return None

    def help(self) -> str:
        """What `--help` shows; the layout is the original's."""
        description = f"{self.description}\n\n" if self.description else ""
        lines = "".join(reference.help_line() for reference in self.references)
        return f"{description}Options:\n  {', '.join(_HELP)}\tshow this text\n{lines}"

    def _options(self) -> dict[str, Reference]:
        options: dict[str, Reference] = {}
        for reference in self.references:
            if not reference.names:
                raise Refused(f"reference {reference.handle} was never attached")
            for name in () if reference.positional else reference.names:
                if name in options:
                    raise Refused(f"option {name} defined twice")
                options[name] = reference
        return options

    def _require_all(self) -> None:
        for reference in self.references:
            if reference.required and not reference.given:
                raise Refused(f"required {reference.names[0]} not given")


def _set_option(options: dict[str, Reference], word: str, rest: Iterator[str]) -> bool:
    """Set the option that `word` names, from `rest` if need be; whether it asks for help."""
    name, has_value, inline = word.partition("=") if word.startswith("--") else (word, "", "")
    if name in _HELP:
        return True
    reference = options.get(name)
    if reference is None:
        raise Refused(f"unknown option {name}")
    if not reference.takes_value:
        if has_value:
            raise Refused(f"option {name} takes no value")
        reference.switch()
        return False
    text = inline if has_value else next(rest, None)
    if text is None:
        raise Refused(f"option {name} needs a value")
    reference.store(text)
    return False


def _store_positional(positionals: Iterator[Reference], word: str) -> None:
    reference = next(positionals, None)
    if reference is None:
        raise Refused(f"surplus positional {word!r}")
    reference.store(word)


def _parsed(text: str, kind: type) -> Value:
    try:
        return _PARSE[kind](text)
    except ValueError as error:
        raise Refused(f"{text!r} is not {_TYPES[kind]}: {error}") from None


def _parse_bool(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError("it has to be true or false")
    return text == "true"


_PARSE: dict[type, Callable[[str], Value]] = {
    str: str,
    int: parse_int,
    float: parse_float,
    bool: _parse_bool,
}
