"""torch, llama.cpp and stable-diffusion.cpp in one process, imported in any order."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtime.support import python
from tests.runtime.tiny_gguf import write_model
from tests.sd.support import THREADS, model, pixels
from toy_klein import Paths

ORDERS = ["torch llama sd"]
SLOW_ORDERS = [
    *("llama sd torch", "sd torch llama", "torch sd llama", "llama torch sd", "sd llama torch"),
]
TOGETHER = """
import sys
import flint
from flint.program import Program
from flint.runtime import llama, sd

diffusion, vae, llm, folder, gguf_file, order = sys.argv[1:]

def torch_part():
    import torch
    square = torch.arange(4.0).reshape(2, 2)
    return (square @ square).tolist()

def llama_part():
    backend = llama.backend_init("cpu")
    model = llama.model_load(backend, llama.model_params_init(backend), gguf_file)
    context = llama.context_new(model, backend, llama.context_params_init(backend))
    batch = llama.batch_init(4, 1)
    llama.batch_add(batch, 1, 0, 0, True)
    llama.context_decode(context, batch)
    sampler = llama.sampler_chain_init(True)
    llama.sampler_add_greedy(sampler)
    llama.sampler_chain_build(sampler)
    return llama.sampler_sample(sampler, context, -1)

def sd_part():
    params = sd.ctx_params_init()
    sd.ctx_params_set_paths(params, "", diffusion, vae, llm)
    sd.ctx_params_set_flags(params, True, False, True)
    context = sd.new_sd_ctx(params)
    image = sd.img_gen_params_init()
    sd.img_gen_params_set_prompt(image, "a cat", "")
    sd.img_gen_params_set_size(image, 64, 64)
    sd.img_gen_params_set_sample(image, 2, 1, 1.0)
    sd.images_save(sd.generate_image(context, image), 0, folder + "/a.png")

parts = {"torch": torch_part, "llama": llama_part, "sd": sd_part}
main = lambda: print(dict(sorted((name, parts[name]()) for name in order.split())))
flint.ScriptRunner().run_text(Program("test", lambda: main))
"""


@pytest.mark.parametrize(
    "order", [*ORDERS, *(pytest.param(order, marks=pytest.mark.slow) for order in SLOW_ORDERS)]
)
def test_three_libraries_in_one_process(
    order: str, klein: Paths, expected: Path, tmp_path: Path
) -> None:
    arguments = (*model(klein), str(tmp_path), write_model(tmp_path / "small.gguf"), order)
    result = python("-c", TOGETHER, *arguments, **THREADS)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("{'llama': ")
    assert result.stdout.endswith(", 'sd': None, 'torch': [[2.0, 3.0], [6.0, 11.0]]}\n")
    assert pixels(tmp_path / "a.png") == pixels(expected)
