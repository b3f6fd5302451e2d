"""`scripts/lfm2_5.rss` against transformers' Lfm2ForCausalLM and Lfm2VlForConditionalGeneration."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file
from transformers import Siglip2ImageProcessorPil

import flint
import toy_lfm2_vl
from flint.runtime import image, vl, weights
from generated import lfm2_5
from generated.layers import lfm2 as decoder
from tests.torch import lfm2_model
from tests.torch.made_tokenizers import tiny_tokenizer
from tests.torch.support import in_run

SYSTEM, USER = "You are helpful.", "Was ist auf dem Bild?"
TOKENIZER = toy_lfm2_vl.tokenizer()
IMAGE_TOKENS = 256  # 32 x 32 patches, joined in squares of 2 x 2
HUB, NEWER = "model.vision_tower.vision_model.", "model.vision_tower."


def picture(path: Path, seed: int = 0, size: tuple[int, int] = (512, 512)) -> str:
    """A picture of coloured squares, which has large and small forms; the path."""
    squares = np.random.default_rng(seed).integers(0, 256, (9, 7, 3), dtype=np.uint8)
    Image.fromarray(squares).resize(size, Image.Resampling.NEAREST).save(path)
    return str(path)


class Toy:
    """A model, and the files that the script reads."""

    def __init__(self, folder: Path, **configs: Any) -> None:
        self.model = toy_lfm2_vl.write(folder, **configs)
        self.folder = folder
        self.image = picture(folder / "picture.png")

    def arguments(self, count: int, *more: str) -> list[str]:
        tokenizer = str(self.folder / "tokenizer.json")
        return [str(self.folder), tokenizer, SYSTEM, USER, str(count), *more]

    def inputs(self, path: str | None = None) -> dict[str, Any]:
        """What transformers' own processors make of the prompt and the image."""
        processor = Siglip2ImageProcessorPil(patch_size=16, max_num_patches=1024)
        with Image.open(path or self.image) as opened:
            patches = processor(opened, return_tensors="pt")
        ids = torch.tensor([prompt(with_image=True)])
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids), **patches}

    def expected(self, count: int, path: str | None = None, eos: int | None = None) -> list[int]:
        """The tokens that transformers chooses greedily."""
        return chosen(self.model, self.inputs(path), count, eos)


def prompt(*, with_image: bool) -> list[int]:
    places = f"<|image_start|>{'<image>' * IMAGE_TOKENS}<|image_end|>" if with_image else ""
    text = (
        f"<|startoftext|><|im_start|>system\n{SYSTEM}<|im_end|>\n"
        f"<|im_start|>user\n{places}{USER}<|im_end|>\n<|im_start|>assistant\n"
    )
    ids: list[int] = TOKENIZER.encode(text, add_special_tokens=False).ids
    return ids


def chosen(model: Any, inputs: dict[str, Any], count: int, eos: int | None = None) -> list[int]:
    made: Any = model.generate(
        **inputs, max_new_tokens=count, do_sample=False, eos_token_id=eos, pad_token_id=0
    )
    tokens: list[int] = made[0, inputs["input_ids"].shape[1] :].tolist()
    return tokens


def text_of(tokens: list[int]) -> str:
    return str(TOKENIZER.decode(tokens, skip_special_tokens=True))


def saved_as(folder: Path, toy: Toy, change: Any) -> list[str]:
    """The arguments for a copy of the model with its tensors changed."""
    held = load_file(toy.folder / "model.safetensors")
    save_file(change(held), folder / "model.safetensors")
    return [str(folder), *toy.arguments(12, "1", "1", toy.image)[1:]]


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    return Toy(tmp_path_factory.mktemp("lfm2_vl"))


@pytest.fixture(scope="module")
def runner() -> flint.TorchScriptRunner:
    return flint.TorchScriptRunner("cpu")


@pytest.mark.parametrize("ignore_eos", ["0", "1"])
def test_tokens_about_an_image(toy: Toy, runner: flint.TorchScriptRunner, ignore_eos: str) -> None:
    expected = toy.expected(40, eos=None if ignore_eos == "1" else 7)
    output = runner.run_text(lfm2_5, toy.arguments(40, ignore_eos, "1", toy.image))
    assert output.text == text_of(expected)
    assert output.generated_tokens == len(expected)
    assert output.decode_tokens == len(expected) - 1


def test_another_image_gets_another_answer(
    toy: Toy, runner: flint.TorchScriptRunner, tmp_path: Path
) -> None:
    other = picture(tmp_path / "other.png", seed=1)
    first, second = toy.expected(40), toy.expected(40, other)
    assert first != second
    assert runner.run_text(lfm2_5, toy.arguments(40, "1", "1", other)).text == text_of(second)


def test_any_size_is_that_of_the_square(
    toy: Toy, runner: flint.TorchScriptRunner, tmp_path: Path
) -> None:
    """As transformers answers about the image after it was made 512 x 512."""
    wide = picture(tmp_path / "wide.png", seed=2, size=(900, 300))
    square = str(tmp_path / "square.png")
    with Image.open(wide) as opened:
        opened.resize((512, 512), Image.Resampling.BILINEAR).save(square)
    output = runner.run_text(lfm2_5, toy.arguments(20, "1", "1", wide))
    assert output.text == text_of(toy.expected(20, square))


@pytest.fixture(scope="module")
def features(toy: Toy) -> tuple[torch.Tensor, torch.Tensor]:
    """What the language model sees of the image: ours, and transformers'."""

    def ours() -> torch.Tensor:
        weights.load(str(toy.folder))
        heads = lfm2_5.vision_heads(lfm2_5.read_config(str(toy.folder)))
        return lfm2_5.image_features(toy.image, heads)

    inputs = toy.inputs()
    del inputs["input_ids"], inputs["attention_mask"]
    with torch.no_grad():
        return in_run(ours), toy.model.get_image_features(**inputs).pooler_output[0]


def test_image_features(features: tuple[torch.Tensor, torch.Tensor]) -> None:
    ours, theirs = features
    assert ours.shape == theirs.shape == (IMAGE_TOKENS, 64)
    assert (ours - theirs).abs().max() < 1e-4


def test_patches_are_those_of_transformers(toy: Toy) -> None:
    theirs = toy.inputs()["pixel_values"]
    assert (in_run(lambda: image.lfm2_vl_patches(toy.image)) - theirs).abs().max() < 1e-6


@pytest.fixture(scope="module")
def stepwise(
    toy: Toy, features: tuple[torch.Tensor, torch.Tensor]
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Logits after the prompt and 20 more tokens: ours step by step, theirs by one forward."""
    ids, prefix = prompt(with_image=True), "model.language_model."
    tokens = torch.tensor([ids + toy.expected(20)])

    def steps() -> torch.Tensor:
        weights.load(str(toy.folder))
        start = tokens[:, : len(ids)]
        embeddings = vl.scatter_image_embeddings(
            start, decoder.embed(start, prefix), features[0], toy_lfm2_vl.IMAGE_TOKEN_ID
        )
        rows = [decoder.next_logits(embeddings, prefix, 0, False)]
        for at in range(len(ids), tokens.shape[1]):
            rows.append(decoder.model(tokens[:, at : at + 1], prefix, at, True))
        return torch.cat(rows)

    inputs = {**toy.inputs(), "input_ids": tokens, "attention_mask": torch.ones_like(tokens)}
    with torch.no_grad():
        yield in_run(steps), toy.model(**inputs).logits[0, len(ids) - 1 :]


def test_logits_at_every_position(stepwise: tuple[torch.Tensor, torch.Tensor]) -> None:
    steps, full = stepwise
    assert steps.shape == full.shape
    assert (steps - full).abs().max() < 1e-4


def test_names_of_newer_checkpoints(
    toy: Toy, runner: flint.TorchScriptRunner, tmp_path: Path
) -> None:
    """transformers 5 writes the vision model without `vision_model.`; here without config.json."""
    held = toy.model.state_dict()
    assert all(name.startswith(NEWER) and HUB not in name for name in held if "vision" in name)
    heads_of_64 = {**toy_lfm2_vl.vision_config(), "hidden_size": 128, "num_attention_heads": 2}
    newer = Toy(tmp_path / "hub", vision=heads_of_64)
    arguments = saved_as(
        tmp_path, newer, lambda held: {k.replace(HUB, NEWER): v for k, v in held.items()}
    )
    assert runner.run_text(lfm2_5, arguments).text == text_of(newer.expected(12))


def test_projector_with_a_norm(runner: flint.TorchScriptRunner, tmp_path: Path) -> None:
    older = Toy(tmp_path, projector_use_layernorm=True)
    output = runner.run_text(lfm2_5, older.arguments(12, "1", "1", older.image))
    assert output.text == text_of(older.expected(12))


def test_text_about_no_image(toy: Toy, runner: flint.TorchScriptRunner) -> None:
    """A model with vision answers to text alone too."""
    ids = torch.tensor([prompt(with_image=False)])
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    expected = text_of(chosen(toy.model, inputs, 20))
    assert runner.run_text(lfm2_5, toy.arguments(20, "1")).text == expected
    assert runner.run_text(lfm2_5, toy.arguments(20, "1", "0", "/nowhere.png")).text == expected


def test_model_of_text(runner: flint.TorchScriptRunner, tmp_path: Path) -> None:
    model = lfm2_model.save(tmp_path)
    TOKENIZER.save(str(tmp_path / "tokenizer.json"))
    # ids beyond the tiny vocabulary do not occur in a prompt without an image
    ids = torch.tensor([prompt(with_image=False)])
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    paths = [str(tmp_path), str(tmp_path / "tokenizer.json")]
    output = runner.run_text(lfm2_5, [*paths, SYSTEM, USER, "40", "1"])
    assert output.text == text_of(chosen(model, inputs, 40))


@pytest.fixture(scope="module")
def colours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model that says which colour a picture has most of."""
    folder = tmp_path_factory.mktemp("colours")
    toy_lfm2_vl.write_colours(folder)
    return folder


def frames(path: Path) -> None:
    first, second = (Image.new("RGB", (20, 30), colour) for colour in ("red", "blue"))
    first.save(path, save_all=True, append_images=[second])


PICTURES: dict[str, tuple[str, Callable[[Path], None]]] = {
    "red.jpg": ("red", lambda path: Image.new("CMYK", (90, 9), (0, 255, 255, 0)).save(path)),
    "green.webp": ("green", lambda path: Image.new("RGB", (9, 90), "green").save(path)),
    "frames.gif": ("red", frames),
    "frames.png": ("red", frames),
    "invisible.png": ("blue", lambda path: Image.new("RGBA", (8, 8), (0, 0, 255, 0)).save(path)),
    "palette.png": ("blue", lambda path: Image.new("RGB", (1, 1), "blue").convert("P").save(path)),
    "grass.png": ("green", toy_lfm2_vl.meadow),
}


@pytest.mark.parametrize("name", PICTURES)
def test_colours(colours: Path, runner: flint.TorchScriptRunner, tmp_path: Path, name: str) -> None:
    """Of files of all kinds; alpha is dropped, of several frames the first is seen."""
    colour, save = PICTURES[name]
    save(tmp_path / name)
    words = [str(colours), str(colours / "tokenizer.json"), "", "Which colour?", "8", "0", "1"]
    output = runner.run_text(lfm2_5, [*words, str(tmp_path / name)])
    assert (output.text, output.generated_tokens) == (colour, 2)


@pytest.mark.parametrize("kind", ["bf16", "half", "native"])
def test_other_kinds(toy: Toy, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `native` a checkpoint in float32 has rotary positions in bfloat16."""
    monkeypatch.setenv("KOHARU_TORCH_WEIGHT_KIND", kind)
    output = flint.TorchScriptRunner("cpu").run_text(lfm2_5, toy.arguments(4, "1", "1", toy.image))
    assert output.generated_tokens == 4


def broken(path: Path) -> str:
    whole = Path(picture(path)).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    return str(path)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (["2"], "KIND has to be 0 (text) or 1 (an image and text), not 2"),
        (["1"], "flint::runtime::arg: "),
        (["1", "/nowhere.png"], "cannot read image /nowhere.png: No such file or directory"),
        (["1", "{folder}"], "Is a directory"),
        (["1", "{folder}/tokenizer.json"], "tokenizer.json: it is none of "),
        (["1", "{broken}"], "image file is truncated"),
    ],
)
def test_bad_images(
    toy: Toy, runner: flint.TorchScriptRunner, tmp_path: Path, more: list[str], reason: str
) -> None:
    values = {"folder": str(toy.folder), "broken": broken(tmp_path / "broken.png")}
    words = [word.format(**values) for word in more]
    with pytest.raises(flint.HostError, match=re.escape(reason)):
        runner.run_text(lfm2_5, toy.arguments(4, "0", *words))


def test_model_without_vision(toy: Toy, runner: flint.TorchScriptRunner, tmp_path: Path) -> None:
    arguments = saved_as(
        tmp_path, toy, lambda held: {k: v for k, v in held.items() if "vision" not in k}
    )
    with pytest.raises(flint.HostError, match="no vision model"):
        runner.run_text(lfm2_5, arguments)


def test_heads_that_do_not_fit(toy: Toy, runner: flint.TorchScriptRunner, tmp_path: Path) -> None:
    arguments = saved_as(tmp_path, toy, dict)
    for heads in (0, 7):
        config = {"vision_config": {"num_attention_heads": heads}}
        (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
        with pytest.raises(flint.HostError, match=f"64 columns cannot be cut into {heads} heads"):
            runner.run_text(lfm2_5, arguments)


def test_tokenizer_without_images(
    toy: Toy, runner: flint.TorchScriptRunner, tmp_path: Path
) -> None:
    tiny_tokenizer().save(str(tmp_path / "tokenizer.json"))
    arguments = toy.arguments(4, "0", "1", toy.image)
    arguments[1] = str(tmp_path / "tokenizer.json")
    with pytest.raises(flint.HostError, match="the tokenizer has no <image> of id 396"):
        runner.run_text(lfm2_5, arguments)


def test_a_prompt_with_an_image_of_its_own(toy: Toy, runner: flint.TorchScriptRunner) -> None:
    arguments = toy.arguments(4, "0", "1", toy.image)
    arguments[3] = "What is <image>?"
    with pytest.raises(flint.HostError, match="257 places for an image, but 256 rows"):
        runner.run_text(lfm2_5, arguments)
