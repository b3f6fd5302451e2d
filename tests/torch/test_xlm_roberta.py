"""`scripts/xlm_roberta_ner_japanese.rss` against transformers' token classifiers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import RobertaConfig, RobertaForTokenClassification

import flint
import toy_encoders
from flint.runtime import weights
from generated import xlm_roberta_ner_japanese as script
from tests.torch.support import in_run

LABELS = toy_encoders.LABELS
TOKENIZER = toy_encoders.xlm_roberta_tokenizer()
TEXTS = (
    "山田太郎さんは東京に行く",
    "😀東京😀👨‍👩‍👧株式会社 in New York 😀",
    "Is ｔｈｉｓ ㌔ ﬁne?  ½ day",  # noqa: RUF001 (two widths of a letter)
    "",
    " ",
    "\n\t太郎\n",
)
KINDS: dict[str, dict[str, Any]] = {
    "small": {},
    "one head": {"num_attention_heads": 1, "num_hidden_layers": 1},
    "wide": {"hidden_size": 96, "num_attention_heads": 12, "intermediate_size": 40},
    "eps": {"layer_norm_eps": 0.3},
    "padding": {"pad_token_id": 5, "max_position_embeddings": 140},
}


def small(folder: Path, **sizes: Any) -> Any:
    return toy_encoders.xlm_roberta(folder, **sizes)


def ids_of(text: str) -> list[int]:
    ids: list[int] = TOKENIZER.encode(text).ids
    return ids


def scores(model: Any, ids: list[int]) -> torch.Tensor:
    """transformers' `[S, labels]`; it computes positions from the ids, which may hold padding."""
    positions = torch.arange(len(ids))[None] + model.config.pad_token_id + 1
    with torch.no_grad():
        result: torch.Tensor = model(torch.tensor([ids]), position_ids=positions).logits[0]
    return result


def lines(text: str, labels: list[str]) -> str:
    """What is printed for one label a token, byte by byte: an independent way to the same lines."""
    result: list[list[Any]] = []
    for (start, end), label in zip(TOKENIZER.encode(text).offsets, labels, strict=False):
        first, last = len(text[:start].encode()), len(text[:end].encode())
        if first == last or label == "O":
            continue
        if result and result[-1][0] == label and first <= result[-1][2]:
            result[-1][2] = max(last, result[-1][2])
        else:
            result.append([label, first, last])
    data = text.encode()
    shown = [f"{name}\t{a}\t{b}\t{data[a:b].decode()}\n" for name, a, b in result]
    return "".join(shown) or "O\n"


def answer(folder: Path, text: str, *arguments: str, weights_path: Path | None = None) -> str:
    paths = [str(weights_path or folder), str(folder / "tokenizer.json")]
    return flint.TorchScriptRunner("cpu").run_text(script, [*paths, text, *arguments]).text


@pytest.fixture(scope="module", params=KINDS)
def kind(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Any]:
    folder = tmp_path_factory.mktemp("xlm_roberta")
    return folder, small(folder, **KINDS[request.param])


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    folder = tmp_path_factory.mktemp("xlm_roberta")
    return folder, small(folder)


@pytest.mark.parametrize("text", TEXTS)
def test_scores_and_labels(kind: tuple[Path, Any], text: str) -> None:
    folder, model = kind
    ids = ids_of(text)

    def ours() -> torch.Tensor:
        weights.load(str(folder))
        return script.classify(torch.tensor([ids]), script.read_config(str(folder)))

    expected = scores(model, ids)
    assert (in_run(ours)[0] - expected).abs().max() < 1e-4
    named = [LABELS[label] for label in expected.argmax(-1)]
    assert answer(folder, text) == lines(text, named)


def test_padding_changes_nothing(plain: tuple[Path, Any]) -> None:
    """The original computes padded positions too; transformers does on request."""
    ids = ids_of(TEXTS[0])
    padded = torch.tensor([[*ids, *[1] * 20]])
    with torch.no_grad():
        masked = plain[1](padded, attention_mask=(padded != 1).long()).logits[0, : len(ids)]
    assert (masked - scores(plain[1], ids)).abs().max() < 1e-4


@pytest.mark.parametrize("length", [1, 2, 7, 128])
def test_cut(plain: tuple[Path, Any], length: int) -> None:
    """As the original cuts: the first tokens, and the one that closes the text is lost."""
    text = TEXTS[0] * 20
    named = [LABELS[label] for label in scores(plain[1], ids_of(text)[:length]).argmax(-1)]
    assert answer(plain[0], text, str(length)) == lines(text, named)
    if length == 128:
        assert answer(plain[0], text) == lines(text, named)


def windows(model: Any, ids: list[int], length: int, overlap: int) -> list[str]:
    """The label of each token in the window where it is farthest from what the window lacks."""
    first, last, step, width = 1, len(ids) - 1, length - 2 - overlap, length - 2
    starts = [first]
    while starts[-1] + width < last:
        starts.append(starts[-1] + step)
    best: dict[int, tuple[float, str]] = {}
    for start in starts:
        stop = min(start + width, last)
        window = scores(model, [ids[0], *ids[start:stop], ids[-1]]).argmax(-1).tolist()
        for at in range(start, stop):
            before = at - start if start > first else float("inf")
            after = stop - 1 - at if stop < last else float("inf")
            seen = min(before, after)
            if at not in best or seen > best[at][0]:
                best[at] = seen, LABELS[window[at - start + 1]]
    return ["O", *[best[at][1] for at in range(first, last)], "O"]


@pytest.mark.parametrize(
    ("length", "overlap"), [(16, 2), (16, 6), (9, 4), (40, 20), (5, 2), (128, 64), (8, 0)]
)
def test_windows(plain: tuple[Path, Any], length: int, overlap: int) -> None:
    text = " ".join([*TEXTS[:3]] * 3)
    ids = ids_of(text)
    if overlap:
        named = windows(plain[1], ids, length, overlap)
    else:
        named = [LABELS[label] for label in scores(plain[1], ids[:length]).argmax(-1)]
    assert answer(plain[0], text, str(length), "", str(overlap)) == lines(text, named)


def test_a_text_that_fits_is_one_window(plain: tuple[Path, Any]) -> None:
    for text in TEXTS:
        length = str(len(ids_of(text)) + 1)
        assert answer(plain[0], text, length, "", "0") == answer(plain[0], text, "100", "", "9")


@pytest.fixture(scope="module")
def by_word(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that labels the words it knows, whatever is around them."""
    folder = tmp_path_factory.mktemp("by_word")
    toy_encoders.xlm_roberta_of_words(folder)
    return folder


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a kanji or kana is three bytes, an emoji four
        ("東京に行く", "LOC\t0\t6\t東京\n"),
        ("東京京都", "LOC\t0\t12\t東京京都\n"),
        ("山田太郎さんは東京に", "PER\t6\t12\t太郎\nLOC\t21\t27\t東京\n"),
        ("😀東京😀", "EVT\t0\t4\t😀\nLOC\t4\t10\t東京\nEVT\t10\t14\t😀\n"),
        ("It is in New York 😀", "LOC\t8\t17\t New York\nEVT\t18\t22\t😀\n"),
        ("é😀株式会社", "EVT\t2\t6\t😀\nORG\t6\t18\t株式会社\n"),
        ("nothing", "O\n"),
        ("", "O\n"),
    ],
)
def test_bytes_of_labels(by_word: Path, text: str, expected: str) -> None:
    assert answer(by_word, text) == expected


def test_names_of_labels(by_word: Path) -> None:
    """As given, or else those of config.json, or else tsmatz's, for weights on their own."""
    file, alone = by_word / "model.safetensors", by_word / "alone" / "model.safetensors"
    alone.parent.mkdir()
    alone.write_bytes(file.read_bytes())
    assert answer(by_word, "東京", weights_path=file) == "LOC\t0\t6\t東京\n"
    given = "O, a, b, c, d, place, f, g, h, more than there are"
    assert answer(by_word, "東京", "128", given) == "place\t0\t6\t東京\n"
    # without a configuration a head has 64 columns, and there is one of 9
    with pytest.raises(flint.HostError, match="9 columns cannot be cut into 0 heads"):
        answer(by_word, "東京", weights_path=alone)
    config = json.loads((by_word / "config.json").read_text())
    del config["id2label"]
    (alone.parent / "config.json").write_text(json.dumps(config))
    assert answer(by_word, "東京", weights_path=alone) == "LOC\t0\t6\t東京\n"


@pytest.mark.parametrize("text", ["[]", "null", "5", '"config"'])
def test_a_configuration_that_is_none(by_word: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "model.safetensors").symlink_to(by_word / "model.safetensors")
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(flint.ScriptError, match="type mismatch: expected map"):
        answer(by_word, "東京", weights_path=tmp_path)


def test_a_comma_in_a_name(by_word: Path, tmp_path: Path) -> None:
    """Names are passed on with commas between."""
    (tmp_path / "model.safetensors").symlink_to(by_word / "model.safetensors")
    config = json.loads((by_word / "config.json").read_text())
    config["id2label"] |= {"5": "place, town"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert answer(by_word, "東京", weights_path=tmp_path) == "place; town\t0\t6\t東京\n"


def test_no_entity_may_have_another_place(by_word: Path, tmp_path: Path) -> None:
    """Published classifiers have "O" last, too."""
    for file in by_word.glob("*.*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    held = load_file(tmp_path / "model.safetensors")
    held["classifier.weight"] = torch.eye(9).roll(-1, 0)
    save_file(held, tmp_path / "model.safetensors")
    names = ",".join([*LABELS[1:], "O"])
    for text in ("山田太郎さんは東京に", "It is in New York 😀", "nothing"):
        assert answer(tmp_path, text, "128", names) == answer(by_word, text)


def test_weights_alone(tmp_path: Path) -> None:
    """The sizes of published models are known without a configuration."""
    model = small(tmp_path, num_attention_heads=1)
    (tmp_path / "config.json").unlink()
    named = [LABELS[label] for label in scores(model, ids_of(TEXTS[0])).argmax(-1)]
    assert answer(tmp_path, TEXTS[0]) == lines(TEXTS[0], named)


def test_roberta(tmp_path: Path) -> None:
    config = RobertaConfig(
        vocab_size=TOKENIZER.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=66,
        type_vocab_size=1,
        initializer_range=0.2,
        num_labels=2,
    )
    torch.manual_seed(0)
    model = RobertaForTokenClassification(config).eval()
    model.save_pretrained(tmp_path)
    TOKENIZER.save(str(tmp_path / "tokenizer.json"))
    named = [("O", "x")[label] for label in scores(model, ids_of(TEXTS[1])).argmax(-1)]
    assert answer(tmp_path, TEXTS[1], "64", "O,x") == lines(TEXTS[1], named)


@pytest.mark.parametrize("variable", ["half", "bf16"])
def test_other_kinds(
    plain: tuple[Path, Any], variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, model = plain
    monkeypatch.setenv("KOHARU_TORCH_WEIGHT_KIND", variable)

    def ours() -> torch.Tensor:
        weights.load(str(folder))
        return script.classify(torch.tensor([ids_of(TEXTS[0])]), script.read_config(str(folder)))

    exact = scores(model, ids_of(TEXTS[0]))
    assert torch.cosine_similarity(in_run(ours)[0].float(), exact).min() > 0.99


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("0",), "LENGTH has to be from 1 to 128, not 0"),
        (("129",), "LENGTH has to be from 1 to 128, not 129"),
        (("many",), "script argument 3 cannot be read as int"),
        (("16", "O,PER"), "the model has 9 labels, but there are 2 names"),
        (("16", "", "14"), "OVERLAP has to be from 0 to 13, not 14"),
        (("16", "", "-1"), "OVERLAP has to be from 0 to 13, not -1"),
        (("2", "", "1"), "OVERLAP has to be from 0 to 0, not 1"),
    ],
)
def test_arguments_that_do_not_fit(
    plain: tuple[Path, Any], arguments: tuple[str, ...], reason: str
) -> None:
    with pytest.raises(flint.HostError, match=re.escape(reason)):
        answer(plain[0], TEXTS[0], *arguments)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"hidden_act": "relu"}, "config.json asks for the activation relu, not gelu"),
        ({"num_attention_heads": 5}, "64 columns cannot be cut into 5 heads"),
        ({"num_attention_heads": 0}, "64 columns cannot be cut into 0 heads"),
        ({"num_hidden_layers": 4}, "no weight named 'roberta.encoder.layer.3."),
        ({"num_hidden_layers": -1}, "there is no model of -1 layers"),
        ({"pad_token_id": 129}, "the model has no position 130, where its tokens begin"),
        ({"pad_token_id": -2}, "the model has no position -1, where its tokens begin"),
        ({"id2label": {"0": "O"}}, "the model has 9 labels, but there are 1 names"),
    ],
)
def test_a_configuration_that_does_not_fit(
    changes: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    small(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(flint.HostError, match=re.escape(reason)):
        answer(tmp_path, TEXTS[0])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("model.safetensors", "no safetensors file in "),
        ("tokenizer.json", "flint::tokenizer::load: cannot read "),
    ],
)
def test_a_file_that_is_missing(name: str, reason: str, tmp_path: Path) -> None:
    small(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(flint.HostError, match=re.escape(reason)):
        answer(tmp_path, TEXTS[0])


@pytest.mark.slow
@pytest.mark.long
def test_base_size(tmp_path: Path) -> None:
    """The sizes of the published model, but for the vocabulary."""
    sizes = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12}
    model = small(
        tmp_path,
        **sizes,
        intermediate_size=3072,
        max_position_embeddings=514,
        initializer_range=0.02,
    )
    text = " ".join(TEXTS) * 3
    named = [LABELS[label] for label in scores(model, ids_of(text)).argmax(-1)]
    assert answer(tmp_path, text, "512") == lines(text, named)
