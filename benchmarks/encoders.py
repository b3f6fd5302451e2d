"""Programs that encode texts and images beside transformers on the same weights: time, memory.

`python -m benchmarks encoders`. The two take turns, every turn in a process of its own, which loads
the weights, does the job, and does it again. Times are processor time of one thread, which other
programs disturb least. What a process imports is not timed, but its memory counts. The models have
random weights in the sizes of published ones, MiniLM its real ones.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import lfm2_vl
from benchmarks.bench import Bench
from benchmarks.table import Figure, Row

ROUNDS = 3
AGAIN, AGAIN_SECONDS = 3, 1.0
"""How often a job is done again: so many times at least, and for so long."""

TEXT = "山田太郎さんは東京に行く。 New York is in the east. " * 8
PROMPT = "a lighthouse in a storm, oil on canvas, with small people for scale"
PAIR = ("The cat sleeps on the sofa.", "A kitten is napping on the couch.")
QWEN3_LENGTH, HEAD_SIZE = 512, 128

Job = Callable[[], object]


def figures(bench: Bench) -> Iterator[Row]:
    """Seconds and megabytes of every program."""
    with tempfile.TemporaryDirectory() as name:
        for program, make in MODELS.items():
            folder = str(make(Path(name) / program))
            run = partial(_measured, program, folder)
            yield from compared(bench, program, "transformers", run)


def compared(
    bench: Bench, program: str, other: str, measured: Callable[[str], dict[str, float]]
) -> Iterator[Figure]:
    """The figures of a program; `measured` runs the side it is told, "ours" or `other`, once."""
    bench.watch.begin()
    turns: dict[str, list[dict[str, float]]] = {"ours": [], other: []}
    for turn in range(ROUNDS):
        for side in sorted(turns, reverse=bool(turn % 2)):
            turns[side].append(measured(side))
        bench.watch.look()
    for label, key, unit in (
        ("load and run", "first", "s"),
        ("run again", "again", "s"),
        ("peak memory", "peak", "MB"),
    ):
        ours, theirs = ([each[key] for each in turns[side]] for side in turns)
        yield Figure.of_samples(
            f"{program}, {label}", ours, theirs, other, unit, goal=1.0, timed=unit == "s"
        )


def _measured(program: str, folder: str, side: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.encoders", side, program, folder]
    result = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    figures: dict[str, float] = json.loads(result.stdout.splitlines()[-1])
    return figures


# -- the models -----------------------------------------------------------------------------------


def _xlm_roberta(folder: Path) -> Path:
    """The sizes of XLM-RoBERTa base, but for the vocabulary."""
    _random().xlm_roberta(
        folder,
        vocab_size=32000,
        hidden_size=768,
        num_hidden_layers=12,
        num_attention_heads=12,
        intermediate_size=3072,
        max_position_embeddings=514,
        initializer_range=0.02,
    )
    return folder


def _qwen3(folder: Path) -> Path:
    """The proportions of Qwen3-4B at a fifth of its width; transformers needs one layer more."""
    _random().qwen3(
        folder,
        vocab_size=30000,
        hidden_size=512,
        intermediate_size=1920,
        num_hidden_layers=28,
        num_attention_heads=8,
        num_key_value_heads=2,
        head_dim=HEAD_SIZE,
        initializer_range=0.02,
    )
    return folder


def _minilm(_: Path) -> Path:
    return Path(_tool("demo_model").minilm_folder())


def _lfm2_vl(folder: Path) -> Path:
    return lfm2_vl.write(folder, _tool("toy_lfm2_vl"))


def _random() -> Any:
    return _tool("toy_encoders")


def _tool(name: str) -> Any:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / ".ci" / "tools"))
    return __import__(name)


MODELS = {
    "XLM-R base": _xlm_roberta,
    "Qwen3 prompt": _qwen3,
    "MiniLM": _minilm,
    "LFM2.5-VL": _lfm2_vl,
}

# -- the jobs: each returns the job itself, which loads what is not loaded yet -------------------


def _ours(module: str, *arguments: str) -> Job:
    import importlib

    import flint
    from flint.runtime import cache, nn, tensor, tokenizer, weights  # noqa: F401 (before the clock)

    script, runner = importlib.import_module(f"generated.{module}"), flint.TorchScriptRunner("cpu")
    return lambda: runner.run_text(script, arguments).text


def _our_xlm_roberta(folder: str) -> Job:
    return _ours("xlm_roberta_ner_japanese", folder, f"{folder}/tokenizer.json", TEXT)


def _our_qwen3(folder: str) -> Job:
    sizes = (str(QWEN3_LENGTH), "0", "36", str(HEAD_SIZE))
    paths = (folder, f"{folder}/tokenizer.json", PROMPT, f"{folder}/embeds.safetensors")
    return _ours("flux_klein_encode_prompt", *paths, *sizes)


def _our_minilm(folder: str) -> Job:
    return _ours("minilm", folder, *PAIR)


def _our_lfm2_vl(folder: str) -> Job:
    return _ours("lfm2_5", *lfm2_vl.arguments(folder))


class _Loaded:
    """A transformers model and its tokenizer, loaded when they are first asked for."""

    def __init__(self, kind: str, folder: str) -> None:
        import transformers

        self._class: Any = getattr(transformers, kind)
        self._tokenizer: Any = transformers.PreTrainedTokenizerFast
        self._folder = folder

    def __call__(self) -> tuple[Any, Any]:
        if not hasattr(self, "parts"):
            tokenizer = self._tokenizer(tokenizer_file=f"{self._folder}/tokenizer.json")
            self.parts = self._class.from_pretrained(self._folder), tokenizer
        return self.parts


def _their_xlm_roberta(folder: str) -> Job:
    import torch

    loaded = _Loaded("XLMRobertaForTokenClassification", folder)

    def job() -> list[int]:
        model, tokenizer = loaded()
        ids = torch.tensor([tokenizer(TEXT).input_ids[:128]])
        labels: list[int] = model(ids).logits.argmax(-1).tolist()
        return labels

    return job


def _their_qwen3(folder: str) -> Job:
    import torch
    from safetensors.torch import save_file

    loaded = _Loaded("Qwen3Model", folder)

    def job() -> None:
        model, tokenizer = loaded()
        turn = f"<|im_start|>user\n{PROMPT}<|im_end|>\n<|im_start|>assistant\n"
        ids = tokenizer(f"{turn}<think>\n\n</think>\n\n").input_ids
        tokens, mask = torch.zeros(2, 1, QWEN3_LENGTH, dtype=torch.int64)
        tokens[0, : len(ids)], mask[0, : len(ids)] = torch.tensor(ids), 1
        states = model(tokens, mask, output_hidden_states=True, use_cache=False).hidden_states
        embeds = torch.cat([states[9], states[18], states[27]], dim=-1)
        save_file({"prompt_embeds": embeds}, f"{folder}/theirs.safetensors")

    return job


def _their_minilm(folder: str) -> Job:
    from torch.nn import functional as F

    loaded = _Loaded("BertModel", folder)

    def job() -> float:
        model, tokenizer = loaded()
        tokenizer.pad_token = "[PAD]"
        batch = tokenizer(list(PAIR), padding=True, return_tensors="pt")
        mask = batch["attention_mask"][..., None]
        hidden = model(batch["input_ids"], batch["attention_mask"]).last_hidden_state
        left, right = F.normalize((hidden * mask).sum(1) / mask.sum(1))
        return float(left @ right)

    return job


def _their_lfm2_vl(folder: str) -> Job:
    return lfm2_vl.their_job(folder, _Loaded("Lfm2VlForConditionalGeneration", folder))


JOBS: dict[tuple[str, str], Callable[[str], Job]] = {
    ("ours", "XLM-R base"): _our_xlm_roberta,
    ("ours", "Qwen3 prompt"): _our_qwen3,
    ("ours", "MiniLM"): _our_minilm,
    ("ours", "LFM2.5-VL"): _our_lfm2_vl,
    ("transformers", "XLM-R base"): _their_xlm_roberta,
    ("transformers", "Qwen3 prompt"): _their_qwen3,
    ("transformers", "MiniLM"): _their_minilm,
    ("transformers", "LFM2.5-VL"): _their_lfm2_vl,
}


def measured(make: Callable[[str], Job], path: str) -> dict[str, float]:
    """What one process measures: seconds of the first job and of the next ones, peak megabytes."""
    import torch

    torch.set_num_threads(1)
    job = make(path)
    gc.collect()
    with torch.inference_mode():
        first, again = _seconds(job), [_seconds(job)]
        while len(again) < AGAIN or sum(again) < AGAIN_SECONDS:
            again.append(_seconds(job))
    return {"first": first, "again": min(again), "peak": peak_megabytes()}


def _seconds(job: Job) -> float:
    started = time.process_time()
    job()
    return time.process_time() - started


def peak_megabytes() -> float:
    """Linux keeps it in /proc; what `getrusage` says there includes the parent's."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    made_for, of_program, folder = sys.argv[1:]
    print(json.dumps(measured(JOBS[made_for, of_program], folder)))
