"""The state of one run: arguments, results, timers, and the native resources it must free."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from itertools import count
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

from flint.lang.errors import HostError, ProgramExit, translate
from flint.lang.state import run_state
from flint.output import ScriptTextOutput
from flint.runtime.op_profile import OpProfile
from flint.runtime.session import Session
from flint.runtime.tensor_state import TensorState
from flint.script_frames import add_script_notes, program_frames

if TYPE_CHECKING:
    from torch import Tensor


OnText: TypeAlias = Callable[[str], None]


class ListenerFailed(BaseException):
    """What `on_text` raised, on its way to whoever passed `on_text`: no failure of the program."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


class Releasable(Protocol):
    """A native resource that belongs to a run; a lower rank is freed earlier."""

    release_rank: int

    def close(self, why: str) -> None: ...


class RunContext:
    """One run of one program; every run starts with a fresh one.

    `inputs` are the tensors that the host supplies (`runtime::input`); `session` is what the
    runner keeps from run to run; `on_text` is called with text as the program generates it.
    """

    def __init__(
        self,
        args: Sequence[str] = (),
        inputs: Sequence[Tensor] = (),
        session: Session | None = None,
        on_text: OnText | None = None,
    ) -> None:
        self.args = tuple(args)
        self.inputs = tuple(inputs)
        self.session = session or Session()
        self.on_text = on_text
        self.profile = OpProfile() if self.session.profiles else None
        self.tensors = TensorState()
        self.output_tensor: Tensor | None = None
        self.text = ""
        self.generation_start: float | None = None
        self.generated_tokens: int | None = None
        self.decode_start: float | None = None
        self.decode_tokens: int | None = None
        self.option_handles = count(1)
        self._resources: dict[Releasable, None] = {}

    def adopt(self, resource: Releasable) -> None:
        """Make the resource this run's to free, unless the program does it."""
        self._resources[resource] = None

    def emit(self, text: str) -> None:
        """Hand generated text on to whoever listens."""
        if self.on_text is not None and text:
            self.session.hide_progress()
            try:
                self.on_text(text)
            except Exception as error:
                raise ListenerFailed(error) from None

    def forget(self, resource: Releasable) -> None:
        """The program freed or consumed the resource itself."""
        self._resources.pop(resource, None)

    def release(self) -> None:
        """Free what is left, users before what they use: samplers first, backends last."""
        self.session.hide_progress()
        for resource in sorted(self._resources, key=lambda resource: resource.release_rank):
            resource.close("freed at the end of its run")

    def result(self) -> ScriptTextOutput:
        """The run's results; elapsed times end now."""
        now = time.perf_counter()
        return ScriptTextOutput(
            text=self.text,
            generated_tokens=self.generated_tokens,
            elapsed=None if self.generation_start is None else now - self.generation_start,
            decode_tokens=self.decode_tokens,
            decode_elapsed=None if self.decode_start is None else now - self.decode_start,
        )


_current: ContextVar[RunContext | None] = ContextVar("flint_run", default=None)


def current() -> RunContext:
    """The context of the run that is calling; `HostError` outside a run."""
    context = _current.get()
    if context is None:
        raise HostError(
            "host functions work only during a run; use ScriptRunner.run_text or program.run_main"
        )
    return context


running: Callable[[], RunContext | None] = _current.get
"""The context of the run that is calling, if there is a run."""

active = cast("Callable[[], RunContext]", _current.get)
"""As `current`, for code that is known to be called in a run, where every call counts."""


def running_profile() -> OpProfile | None:
    """The profile of the run that is calling, if there is a run and it keeps one."""
    context = _current.get()
    return None if context is None else context.profile


def run(
    main: Callable[[], object],
    args: Sequence[str] = (),
    inputs: Sequence[Tensor] = (),
    session: Session | None = None,
    on_text: OnText | None = None,
) -> ScriptTextOutput:
    """Call `main` in a fresh context and return what it published; `on_text` as in `RunContext`.

    `ScriptError` if the program fails; what `on_text` raises comes through as it is. Resources that
    the program left are freed in every case.
    """
    return _run(main, RunContext(_checked_arguments(args), inputs, session, on_text))


def run_for_tensor(
    main: Callable[[], object], args: Sequence[str], inputs: Sequence[Tensor], session: Session
) -> Tensor:
    """As `run`, but return the tensor that the program made its output."""
    context = RunContext(_checked_arguments(args), inputs, session)
    _run(main, context)
    if context.output_tensor is None:
        raise HostError("the script published no tensor")
    return context.output_tensor


def _run(main: Callable[[], object], context: RunContext) -> ScriptTextOutput:
    with run_state(), _active(context), no_gradients():
        try:
            main()
        except ProgramExit:
            pass
        except ListenerFailed as failed:
            raise failed.error from None
        except Exception as error:
            script_error = translate(error)
            if script_error is not None:
                script_error.with_traceback(program_frames(error.__traceback__))
            add_script_notes(script_error or error)
            if script_error is None or script_error is error:
                raise
            raise script_error from None
        result = context.result()
    for line in context.profile.lines() if context.profile else ():
        print(line, file=sys.stderr)
    return result


def _checked_arguments(args: Sequence[str]) -> list[str]:
    """The arguments as strings of whole Unicode characters, which scripts rely on."""
    if isinstance(args, str):
        raise TypeError("script arguments are a sequence of strings, not one string")
    args = list(args)
    for index, value in enumerate(args):
        if not isinstance(value, str):
            raise TypeError(f"script argument {index} is {type(value).__name__}, not str")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise HostError(f"script argument {index} is not valid UTF-8") from None
    return args


def no_gradients() -> AbstractContextManager[None]:
    """Programs compute results only; nothing to do for those that do not load torch."""
    torch = sys.modules.get("torch")
    return nullcontext() if torch is None else torch.no_grad()


@contextmanager
def _active(context: RunContext) -> Iterator[None]:
    token = _current.set(context)
    try:
        yield
    finally:
        _current.reset(token)
        context.release()
