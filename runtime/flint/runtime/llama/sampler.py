"""Sampler chains, which choose a token from logits (host-functions.md 4.7)."""

from __future__ import annotations

from typing import ClassVar

from flint.runtime.c_values import int32, natural32, uint32
from flint.runtime.host import Refused, host
from flint.runtime.llama.context import Context
from flint.runtime.llama.handles import LlamaResource
from flint.runtime.llama.native import contexts
from flint.runtime.llama.values import library_error

# The components that choose a token; the others only narrow the choice down.
_CHOOSERS = ("dist", "greedy")


class Sampler(LlamaResource):
    """A chain: first a list of components with their settings, then a native chain."""

    kind: ClassVar[str] = "sampler"

    def __init__(self, no_perf: bool) -> None:
        super().__init__()
        self.no_perf = no_perf
        self.components: list[tuple[str, tuple[float, ...]]] = []
        self._chain: int | None = None

    def add(self, component: str, *settings: float) -> bool:
        """Append a component, before the chain is built."""
        if self._chain is not None:
            raise library_error("chain already built, cannot add")
        self.components.append((component, settings))
        return True

    def build(self) -> None:
        """Make the native chain."""
        if self._chain is not None:
            raise library_error("chain already built")
        if not self.components:
            raise library_error("chain is empty")
        self._chain = contexts.new_sampler_chain(self.no_perf)
        for component, settings in self.components:
            contexts.add_to_chain(self._chain, component, *settings)

    @property
    def chain(self) -> int:
        """The native chain."""
        if self._chain is None:
            raise library_error("chain not built yet")
        return self._chain

    @property
    def chooses(self) -> bool:
        """Whether the chain ends with a component that chooses a token."""
        return self.components[-1][0] in _CHOOSERS

    def _release(self) -> None:
        if self._chain is not None:
            contexts.free_sampler(self._chain)


@host
def sampler_chain_init(no_perf: bool) -> Sampler:
    """Return an empty chain; `no_perf` switches llama.cpp's time measurement off."""
    return Sampler(no_perf)


@host
def sampler_add_top_k(sampler: Sampler, k: int) -> bool:
    """Add: keep the `k` most likely tokens; all if `k` is 0 or less."""
    return sampler.add("top_k", int32("k", k))


@host
def sampler_add_top_p(sampler: Sampler, p: float, min_keep: int) -> bool:
    """Add: keep the most likely tokens that together reach probability `p`."""
    return sampler.add("top_p", _number("p", p), natural32("min_keep", min_keep))


@host
def sampler_add_min_p(sampler: Sampler, p: float, min_keep: int) -> bool:
    """Add: drop tokens less likely than `p` times the most likely one."""
    return sampler.add("min_p", _number("p", p), natural32("min_keep", min_keep))


@host
def sampler_add_temp(sampler: Sampler, temperature: float) -> bool:
    """Add: divide logits by `temperature`; 0 or less keeps only the best token."""
    return sampler.add("temp", _number("temperature", temperature))


@host
def sampler_add_dist(sampler: Sampler, seed: int) -> bool:
    """Add: choose at random by probability; seed 4294967295 is a random one."""
    return sampler.add("dist", uint32("seed", seed))


@host
def sampler_add_greedy(sampler: Sampler) -> bool:
    """Add: choose the most likely token."""
    return sampler.add("greedy")


@host
def sampler_chain_build(sampler: Sampler) -> bool:
    """Finish the chain, in the order in which its components were added."""
    sampler.build()
    return True


@host
def sampler_sample(sampler: Sampler, context: Context, index: int) -> int:
    """Return a token chosen by the logits of batch token `index`; -1 is the last with logits.

    The chain has then accepted the token already.
    """
    chain = sampler.chain
    if not sampler.chooses:
        raise library_error("the chain does not end with dist or greedy, so it chooses no token")
    if not context.has_logits(index):
        raise library_error(f"no logits at index {index}; {_outputs(context)}")
    return contexts.sample(chain, context.pointer, index)


@host
def sampler_accept(sampler: Sampler, token: int) -> bool:
    """Tell the chain's components that `token` was taken."""
    contexts.accept(sampler.chain, int32("token", token))
    return True


@host
def sampler_free(sampler: Sampler) -> bool:
    """Free the chain, built or not."""
    sampler.close()
    return True


def _number(name: str, value: float) -> float:
    if value != value:
        raise Refused(f"{name} is not a number")
    return value


def _outputs(context: Context) -> str:
    if not context.outputs:
        return "the context has none, since nothing was decoded with logits"
    return f"the last batch has logits at {', '.join(map(str, sorted(context.outputs)[:8]))}"
