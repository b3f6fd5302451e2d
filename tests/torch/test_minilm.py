"""`scripts/minilm.rss` with the real weights of all-MiniLM-L6-v2, against transformers."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel

import flint
from demo_model import minilm_folder
from flint.runtime import tokenizer, weights
from generated import minilm
from tests.torch.support import in_run

FOLDER = minilm_folder()
PAIRS = (
    # from the same thing said in two ways down to nothing in common
    ("A man is eating food.", "A man is eating a meal."),
    ("The cat sleeps on the sofa.", "A kitten is napping on the couch."),
    ("How do I reset my password?", "I forgot my password, what can I do?"),
    ("The stock market fell sharply today.", "Shares dropped a lot on Tuesday."),
    ("She plays the violin in an orchestra.", "He plays the guitar in a rock band."),
    ("Python is a programming language.", "Compilers translate source code."),
    ("The train to Berlin is late.", "Our flight was cancelled."),
    ("A man is eating food.", "The restaurant closes at nine."),
    ("The cat sleeps on the sofa.", "Interest rates rise next month."),
    ("Photosynthesis needs light.", "He signed the contract yesterday."),
)
ODD = (
    "",
    "naïve café — ½ 😀 東京",
    "a " * 254,  # as many tokens as there may be
    "a " * 255,
    "An embedding has a limit. " * 100,
    "x",
)


@pytest.fixture(scope="module")
def reference() -> Any:
    """transformers' tokenizer and model, with the pooling that the model's card describes."""
    tokens, model = AutoTokenizer.from_pretrained(FOLDER), AutoModel.from_pretrained(FOLDER)

    def embed(texts: list[str]) -> torch.Tensor:
        batches = [
            tokens(text, truncation=True, max_length=256, return_tensors="pt") for text in texts
        ]
        with torch.no_grad():
            means = [model(**batch).last_hidden_state.mean(1) for batch in batches]
        return torch.nn.functional.normalize(torch.cat(means))

    return embed


def embeddings(texts: list[str], folder: Path = FOLDER) -> torch.Tensor:
    """Ours, two at a time, so that one of them is padded."""

    def main() -> torch.Tensor:
        config = minilm.read_config(str(folder))
        weights.load(str(folder))
        limit = minilm.token_limit(str(folder))
        tokenizer.load(str(folder / "tokenizer.json"))
        pairs = zip(texts[::2], texts[1::2], strict=True)
        return torch.cat([minilm.embed(*pair, config, limit) for pair in pairs])

    return in_run(main)


def similarities(pairs: Any = PAIRS) -> list[float]:
    """As the script prints them."""
    runner = flint.TorchScriptRunner("cpu")
    texts = [runner.run_text(minilm, [str(FOLDER), *pair]).text for pair in pairs]
    return [float(text.removeprefix("similarity: ")) for text in texts]


def test_embeddings(reference: Any) -> None:
    texts = [*(text for pair in PAIRS for text in pair), *ODD]
    ours = embeddings(texts)
    assert ours.shape == (len(texts), 384)
    assert (ours - reference(texts)).abs().max() < 1e-5


def test_order_of_similarities(reference: Any) -> None:
    printed = similarities()
    expected = [torch.dot(*reference(list(pair))).item() for pair in PAIRS]
    assert printed == pytest.approx(expected, abs=1e-4)
    order = sorted(range(len(PAIRS)), key=printed.__getitem__, reverse=True)
    assert order == sorted(range(len(PAIRS)), key=expected.__getitem__, reverse=True)
    # and as a person would say: what means the same before what shares a subject, before the rest
    assert min(printed[:4]) > max(printed[4:8]) > max(printed[8:])


def test_a_text_is_itself() -> None:
    assert similarities([("one and the same", "One and the Same")]) == [1.0]


def test_random_weights(tmp_path: Path) -> None:
    """Other sizes, and norms that are not close to 1."""
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=30522,
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=64,
        max_position_embeddings=40,
        layer_norm_eps=0.1,
        initializer_range=0.2,
    )
    model = BertModel(config, add_pooling_layer=False).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "LayerNorm" in name or name.endswith("bias"):
                parameter.uniform_(0.5, 1.5)
    model.save_pretrained(tmp_path)
    shutil.copy(FOLDER / "tokenizer.json", tmp_path)
    tokens = AutoTokenizer.from_pretrained(FOLDER)
    for text in (PAIRS[1][0], ODD[1], ODD[-1]):
        # without the file that says how long texts may be, positions limit them
        ids = tokens(text, truncation=True, max_length=40, return_tensors="pt")
        with torch.no_grad():
            mean = model(**ids).last_hidden_state.mean(1)
        wanted = torch.nn.functional.normalize(mean)
        assert (embeddings([text, "short"], tmp_path)[:1] - wanted).abs().max() < 1e-5


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The model in a folder of the test's own, where files may be changed."""
    for name in ("config.json", "tokenizer.json", "sentence_bert_config.json"):
        shutil.copy(FOLDER / name, tmp_path)
    (tmp_path / "model.safetensors").symlink_to(FOLDER / "model.safetensors")
    return tmp_path


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"model_type": "distilbert"}, "config.json is of a model of another type: distilbert"),
        ({"num_attention_heads": 7}, "384 columns cannot be cut into 7 heads"),
        ({"num_hidden_layers": 7}, "no weight named 'encoder.layer.6."),
        ({"num_hidden_layers": -1}, "there is no model of -1 layers"),
        ({"hidden_act": "relu"}, "config.json asks for the activation relu, not gelu"),
        ({"pad_token_id": 30522}, "index 30522 out of range, the weight has 30522 rows"),
    ],
)
def test_a_configuration_that_does_not_fit(
    changes: dict[str, Any], reason: str, copied: Path
) -> None:
    path = copied / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(flint.HostError, match=re.escape(reason)):
        flint.TorchScriptRunner("cpu").run_text(minilm, [str(copied), *PAIRS[0]])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("config.json", "io_open failed: No such file"),
        ("model.safetensors", "no safetensors file in "),
        ("tokenizer.json", "flint::tokenizer::load: cannot read "),
    ],
)
def test_a_file_that_is_missing(name: str, reason: str, copied: Path) -> None:
    (copied / name).unlink()
    with pytest.raises(flint.HostError, match=re.escape(reason)):
        flint.TorchScriptRunner("cpu").run_text(minilm, [str(copied), *PAIRS[0]])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"max_seq_length": 1}', "a text cannot be cut to 1 tokens, see max_seq_length"),
        ("[]", "type mismatch: expected map"),
        ("{", "json_decode failed: "),
    ],
)
def test_a_length_that_does_not_fit(text: str, reason: str, copied: Path) -> None:
    path = copied / "sentence_bert_config.json"
    path.unlink()
    path.write_text(text)
    with pytest.raises(flint.ScriptError, match=re.escape(reason)):
        flint.TorchScriptRunner("cpu").run_text(minilm, [str(copied), *PAIRS[0]])


def test_a_configuration_without_what_is_usual(copied: Path) -> None:
    path = copied / "config.json"
    path.write_text(json.dumps({"num_hidden_layers": 6}))
    (copied / "sentence_bert_config.json").unlink()
    assert torch.equal(embeddings(list(PAIRS[0]), copied), embeddings(list(PAIRS[0])))


def test_one_text_is_not_enough() -> None:
    with pytest.raises(flint.HostError, match="no script argument 2"):
        flint.TorchScriptRunner("cpu").run_text(minilm, [str(FOLDER), "alone"])
