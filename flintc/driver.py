"""The passes of the compiler, in order: the file to read first.

    load        the root file and every module it uses      flintc.modules
    parse       text → tree (done while loading)            flintc.syntax
    resolve     what every name means                       flintc.analysis.resolve
    infer       the type of every expression                flintc.analysis.infer
    check       whether the types fit                       flintc.analysis.check
    ownership   whether values are there when used          flintc.analysis.ownership
    usage       where variables are bound, mutated, read    flintc.analysis.usage
    sharing     where arrays and maps must be copied        flintc.analysis.sharing
    callees     which functions a call of a value may run   flintc.analysis.callees
    ranges      which ints need no wrapping                 flintc.analysis.ranges
    depth       how the limit of nested calls is kept          flintc.analysis.depth
    emit        tree → Python tree → text                   flintc.emit

Each takes and returns plain data and is linear in the size of the program. Files are read through a
`Files` object, so that programs can come from memory; formatting and writing are the command
line's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from flintc.analysis import check, infer, ownership, resolve, sharing, usage
from flintc.analysis.callees import Callees
from flintc.analysis.depth import call_depths
from flintc.analysis.ranges import Ranges
from flintc.analysis.symbols import Resolution, Typing
from flintc.catalogue import Catalogue
from flintc.collection import no_collection
from flintc.emit.context import Facts, Options
from flintc.emit.module import EmittedModule, NestingTooDeep, emit_module
from flintc.modules import Files, LoadedModule, load_program
from flintc.problems import Phase, Problems
from flintc.source import SourceFile
from flintc.stack import with_room


@dataclass(slots=True)
class Compiled:
    """The outcome of one compilation: problems, and Python modules if there are no errors.

    The root module is the last one.
    """

    problems: Problems
    modules: list[EmittedModule] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.problems.has_errors


class Analysis(NamedTuple):
    """What the passes that find problems know about a program."""

    resolution: Resolution
    typing: Typing
    loaded: list[LoadedModule]  # what each `use` names; the root is last


@with_room
@no_collection()
def analyse(
    root: str | SourceFile, files: Files, catalogue: Catalogue, problems: Problems
) -> Analysis | None:
    """Run the passes that find problems; None if the root file cannot be read."""
    modules = load_program(root, files, problems)
    if not modules:
        return None
    resolution = resolve.resolve(modules, catalogue, problems)
    typing = infer.infer(resolution, catalogue, problems)
    # each of these rests on what the ones before have found sound
    if not problems.has_errors:
        check.check(resolution, typing, problems)
    if not problems.has_errors:
        ownership.check(resolution, typing, problems)
    return Analysis(resolution, typing, modules)


def facts_for_emission(analysis: Analysis) -> Facts:
    """What emission may leave out or has to add, for a program without errors."""
    resolution, typing, _ = analysis
    uses = usage.collect(resolution)
    callees = Callees(resolution, typing, uses)
    ranges = Ranges(resolution, typing, uses, callees)
    return Facts(
        resolution,
        typing,
        uses,
        sharing.find_copies(resolution, typing, uses),
        ranges,
        call_depths(resolution, callees, ranges),
    )


@with_room
@no_collection()
def compile_program(
    root: str | SourceFile, files: Files, catalogue: Catalogue, options: Options
) -> Compiled:
    """Compile the program whose root file is `root` (a path, or text in memory)."""
    compiled = Compiled(Problems())
    analysis = analyse(root, files, catalogue, compiled.problems)
    if analysis is not None and compiled.ok:
        facts = facts_for_emission(analysis)
        try:
            compiled.modules = [
                emit_module(facts, module, options) for module in facts.resolution.modules
            ]
        except NestingTooDeep as fault:
            compiled.problems.error("E_NESTING_TOO_DEEP", str(fault), fault.span, Phase.COMPILE)
    return compiled
