"""What ggml computes sooner than torch with the weights of a checkpoint.

torch leaves the product of a matrix and a single row to one processor; ggml reads the weight with
all of them. Processors that cannot multiply half precision do it in ggml several times as fast as
in torch. A norm of one row is half a dozen operations of torch, and one graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from flint.runtime.eager import is_eager
from flint.runtime.ggml_graph import (
    FLOAT,
    FLOAT32,
    Q8_0,
    TYPES,
    Graph,
    address_of,
    available,
    lock,
    memory,
)
from flint.runtime.machine import is_overloaded

_KEY = "_flint_fast"  # of a weight's attributes
# Below this torch is done before ggml's threads have met.
_FEWEST_ELEMENTS = 2**19
_MOST_ROWS = 32  # of a norm; torch is as quick with more
_CALLS_BETWEEN_LOOKS = 256  # at the machine's load: a few tokens
_FEW_ROWS = 16  # of a product, for which reading the weight takes longer than multiplying
_MOST_GRAPHS = 16  # of a weight, one for each shape of input
_MOST_ELEMENTS = 2**14  # of an input whose graph is kept: a few rows, or one of a large model

_MULTIPLIED_NATIVELY: dict[torch.dtype, Callable[[], bool]] = {
    torch.bfloat16: torch.ops.mkldnn._is_mkldnn_bf16_supported,
    torch.float16: torch.ops.mkldnn._is_mkldnn_fp16_supported,
}
"""Whether this processor has instructions for it, which torch uses."""


class Product:
    """x W^T for one weight `[out, in]`, whose memory has to outlive this object.

    The weight itself is not held: it holds its product.
    """

    def __init__(self, weight: Tensor, kind: int, out: int, width: int) -> None:
        self._weight = weight.data_ptr(), weight.nbytes, kind, width, out
        self._out, self._width = out, width
        self._dtype = torch.float32 if kind == Q8_0 else weight.dtype
        self._most = None if kind == Q8_0 else _most_rows(weight.dtype)
        self._graphs: dict[object, _Steps] = {}

    def serves(self, tensor: Tensor, bias: Tensor | None = None) -> bool:
        """Whether the product with this tensor is better made here, and needs no gradient.

        A bias that does not fit is left to torch, which says so.
        """
        return self._serves(tensor, self._width) and self._fits(bias)

    def serves_gated(self, tensor: Tensor, bias: Tensor | None = None) -> bool:
        """As `serves`, of `gated`."""
        return self._serves(tensor, 2 * self._width) and self._fits(bias)

    def _fits(self, bias: Tensor | None) -> bool:
        return bias is None or (bias.shape == (self._out,) and bias.dtype is self._dtype)

    def _serves(self, tensor: Tensor, width: int) -> bool:
        return (
            tensor.shape[-1:] == (width,)
            and (self._most is None or tensor.numel() <= self._most * width)
            and tensor.numel() > 0
            and _is_plain(tensor, self._dtype)
        )

    def __call__(self, tensor: Tensor) -> Tensor:
        """`[…, in]` → `[…, out]`, in the dtype of the tensor."""
        with lock:
            return self._steps(tensor.shape, gated=False)(tensor)[0]

    def gated(self, tensor: Tensor) -> Tensor:
        """silu(first half) * second half, then as a call: `[…, 2 in]` → `[…, out]`."""
        with lock:
            return self._steps(tensor.shape, gated=True)(tensor)[0]

    def _steps(self, shape: torch.Size, gated: bool) -> _Steps:
        key = (shape, gated)
        return self._graphs.get(key) or self._new_steps(shape, gated)

    def _new_steps(self, shape: torch.Size, gated: bool) -> _Steps:
        rows = shape[:-1]
        graph = Graph()
        operand = given = graph.input(memory(*shape))
        if gated:
            operand = graph.add("swiglu", memory(*rows, self._width), given)
        weight = graph.weight(*self._weight)
        result = graph.add("mul_mat", memory(*rows, self._out), weight, operand)
        steps = _Steps(graph, [given], [result])
        # The memory of a whole prompt is not worth keeping.
        return _kept(self._graphs, (shape, gated), steps) if rows.numel() == 1 else steps


class Norm:
    """The root mean square norm with one weight `[n]`."""

    def __init__(self, weight: Tensor) -> None:
        self._dtype, self._width = weight.dtype, len(weight)
        # The weight itself is not held: it holds its norm.
        self._address = weight.data_ptr() if weight.dtype is torch.float32 else None
        self._values = None if self._address else memory(len(weight)).copy_(weight.detach())
        self._graphs: dict[object, _Steps] = {}

    def serves(self, tensor: Tensor, eps: float) -> bool:
        """Whether the norm of this tensor can be computed here, and needs no gradient."""
        width = self._width
        return (
            eps >= 0  # ggml would end the process
            and tensor.shape[-1:] == (width,)
            and 0 < tensor.numel() <= _MOST_ROWS * width
            and _is_plain(tensor, self._dtype)
        )

    def __call__(self, tensor: Tensor, eps: float) -> Tensor:
        """The norm of every row of `[…, n]`, in its dtype."""
        with lock:
            return self._steps(tensor.shape, eps, 1)(tensor)[0]

    def of_sum(self, left: Tensor, right: Tensor, eps: float) -> tuple[Tensor, Tensor]:
        """The float32 sum of two tensors of one shape, and the norm of every row of it."""
        with lock:
            total, normed = self._steps(left.shape, eps, 2)(left, right)
        return total, normed

    def _steps(self, shape: torch.Size, eps: float, inputs: int) -> _Steps:
        key = (shape, eps, inputs)
        return self._graphs.get(key) or self._new_steps(shape, eps, inputs)

    def _new_steps(self, shape: torch.Size, eps: float, inputs: int) -> _Steps:
        graph = Graph()
        given = [graph.input(memory(*shape)) for _ in range(inputs)]
        total = [graph.add("add", memory(*shape), *given)] if inputs == 2 else []
        scaled = graph.add("rms_norm", memory(*shape), (total or given)[0], eps)
        result = graph.add("mul", memory(*shape), scaled, self._operand(graph))
        steps = _Steps(graph, given, [*total, result], threads=1)
        few = shape.numel() <= _MOST_ELEMENTS
        return _kept(self._graphs, (shape, eps, inputs), steps) if few else steps

    def _operand(self, graph: Graph) -> int:
        if self._values is not None:
            return graph.input(self._values)
        assert self._address is not None
        return graph.weight(self._address, 4 * self._width, FLOAT32, self._width)


class _Steps:
    """A graph with float32 inputs and results, whose shapes are fixed."""

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[int],
        results: Sequence[int],
        threads: int | None = None,
    ) -> None:
        self._graph, self._threads = graph, threads
        self._inputs = [graph.memory[tensor] for tensor in inputs]
        self._results = [graph.memory[tensor] for tensor in results]
        self._shapes = [result.shape for result in self._results]
        places = [graph.place_of(tensor) for tensor in (*inputs, *results)]
        self._places = [place for place in places if place is not None]
        self._places_are_known = len(self._places) == len(places)

    def __call__(self, *tensors: Tensor) -> list[Tensor]:
        """The results in the dtype of the tensors, which all have the same."""
        if tensors[0].dtype is not FLOAT or not self._places_are_known:
            return self._copying(tensors)
        # ggml reads and writes what torch holds.
        given = [tensor.contiguous() for tensor in tensors]
        made = [torch.empty(shape, dtype=FLOAT, device="cpu") for shape in self._shapes]
        for place, tensor in zip(self._places, given + made, strict=True):
            place.value = address_of(tensor)
        self._graph.compute(self._threads or _threads())
        return made

    def _copying(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        for place, tensor in zip(self._inputs, tensors, strict=True):
            place.copy_(tensor)
        self._graph.compute(self._threads or _threads())
        return [result.to(tensors[0].dtype, copy=True) for result in self._results]


class _Threads:
    """As many threads as torch uses, but one while other programs want the processors.

    Threads of OpenMP spin while they wait, and those that they wait for do not get to run: at a
    load of 10 on two processors SmolLM2 made a token in 12 seconds.
    """

    def __init__(self) -> None:
        self._calls, self._alone = 0, True

    def __call__(self) -> int:
        if self._calls % _CALLS_BETWEEN_LOOKS == 0:
            self._alone = not is_overloaded()
        self._calls += 1
        return torch.get_num_threads() if self._alone else 1


_threads = _Threads()


def attach(weight: Tensor) -> None:
    """Let `product_of` and `norm_of` find what ggml can do with this weight of a checkpoint."""
    if (
        type(weight) is not Tensor  # a subclass keeps its values elsewhere
        or not weight.is_cpu
        or weight.dtype not in TYPES
        or not weight.is_contiguous()
        or weight.data_ptr() % weight.element_size()
        or not available()
    ):
        return
    if weight.dim() == 2 and weight.numel() >= _FEWEST_ELEMENTS:
        weight.__dict__[_KEY] = Product(weight, TYPES[weight.dtype], *weight.shape)
    elif weight.dim() == 1 and weight.numel() > 0:
        weight.__dict__[_KEY] = Norm(weight)


def attach_blocks(weight: Tensor, blocks: Tensor) -> None:
    """As `attach`, for a matrix whose values are kept as blocks of Q8_0."""
    if blocks.is_cpu and available():
        weight.__dict__[_KEY] = Product(blocks, Q8_0, *weight.shape)


def product_of(weight: Tensor) -> Product | None:
    """The product with this weight; None for small ones, and in compiled graphs."""
    found = _fast(weight)
    return found if type(found) is Product else None


def norm_of(weight: Tensor) -> Norm | None:
    """The norm with this weight; None in compiled graphs."""
    found = _fast(weight)
    return found if type(found) is Norm else None


def _most_rows(dtype: torch.dtype) -> int | None:
    """Of products with weights of that dtype that ggml is to make; None for any number."""
    native = _MULTIPLIED_NATIVELY.get(dtype)
    return _FEW_ROWS if native is None or native() else None


def _fast(weight: Tensor) -> object:
    return weight.__dict__.get(_KEY) if is_eager() else None


def _is_plain(tensor: Tensor, dtype: torch.dtype) -> bool:
    """Whether ggml can read the tensor where it lies, once it is contiguous."""
    return (
        type(tensor) is Tensor  # a subclass keeps its values elsewhere
        and tensor.dtype is dtype
        and tensor.is_cpu
        and tensor.layout is torch.strided
        and not tensor.is_neg()
        and not tensor.requires_grad
    )


def _kept(graphs: dict[object, _Steps], key: object, steps: _Steps) -> _Steps:
    """Prompts differ in length, so that only the latest shapes are worth their memory."""
    if len(graphs) >= _MOST_GRAPHS:
        graphs.clear()
    graphs[key] = steps
    return steps
