"""Write toy checkpoints with tokenizers: `python .ci/tools/toy_encoders.py FOLDER`.

`FOLDER/xlm-roberta` labels a few words that it knows; `FOLDER/qwen3` has random weights. Tests and
benchmarks make random ones in other sizes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    Qwen3Config,
    Qwen3ForCausalLM,
    XLMRobertaConfig,
    XLMRobertaForTokenClassification,
)

LABELS = ("O", "PER", "ORG", "ORG-P", "ORG-O", "LOC", "INS", "PRD", "EVT")
XLM_R_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
KNOWN = {
    "東京": "LOC",
    "京都": "LOC",
    "▁New": "LOC",
    "▁York": "LOC",
    "太郎": "PER",
    "株式会社": "ORG",
    "😀": "EVT",
}
UNKNOWN = ("▁is", "▁in", "さん")
QWEN3_SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>")


def xlm_roberta_tokenizer() -> Tokenizer:
    """Pieces as SentencePiece's unigram model makes them: some words, kana and single letters."""
    kana = [chr(code) for code in range(0x3041, 0x30FF)]
    letters = [chr(code) for code in range(0x21, 0x7F)]
    pieces = dict.fromkeys(
        (*XLM_R_SPECIAL, *KNOWN, *UNKNOWN, "▁", *kana, *letters, *"山田は東都に行く駅本社")
    )
    scores = [(piece, -1.0 * (2 - (len(piece) > 1))) for piece in pieces]
    result = Tokenizer(models.Unigram(scores, unk_id=XLM_R_SPECIAL.index("<unk>")))
    result.normalizer = normalizers.NFKC()
    result.pre_tokenizer = pre_tokenizers.Metaspace()
    result.decoder = decoders.Metaspace()
    result.add_special_tokens(list(XLM_R_SPECIAL))
    result.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return result


def xlm_roberta(folder: Path, **sizes: Any) -> Any:
    """Write `model.safetensors`, `config.json`, `tokenizer.json`; the model, in float32."""
    tokenizer = xlm_roberta_tokenizer()
    settings: dict[str, Any] = {
        "vocab_size": tokenizer.get_vocab_size(),
        "hidden_size": 64,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "intermediate_size": 96,
        "max_position_embeddings": 130,
        "type_vocab_size": 1,
        "layer_norm_eps": 1e-5,
        "pad_token_id": XLM_R_SPECIAL.index("<pad>"),
        "initializer_range": 0.2,
        "id2label": dict(enumerate(LABELS)),
        "label2id": {label: at for at, label in enumerate(LABELS)},
        **sizes,
    }
    torch.manual_seed(0)
    model = XLMRobertaForTokenClassification(XLMRobertaConfig(**settings))
    return _saved(folder, model, tokenizer)


def xlm_roberta_of_words(folder: Path) -> None:
    """Write a model that gives the words of KNOWN their labels, whatever is around them.

    It has no layers: a word's embedding, normalised, is the scores of its labels.
    """
    labels = len(LABELS)
    model = xlm_roberta(folder, hidden_size=labels, num_attention_heads=1, num_hidden_layers=0)
    held = {name: torch.zeros_like(weight) for name, weight in model.state_dict().items()}
    held["roberta.embeddings.LayerNorm.weight"] += 1
    held["classifier.weight"] = torch.eye(labels)
    words = held["roberta.embeddings.word_embeddings.weight"]
    words[:, LABELS.index("O")] = 1
    for word, label in KNOWN.items():
        words[xlm_roberta_tokenizer().token_to_id(word)] = torch.eye(labels)[LABELS.index(label)]
    save_file(held, folder / "model.safetensors")


def qwen3_tokenizer() -> Tokenizer:
    """Byte-level: one token a byte, after Qwen3's special tokens."""
    words = [*QWEN3_SPECIAL, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    result = Tokenizer(models.BPE({word: at for at, word in enumerate(words)}, []))
    result.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    result.decoder = decoders.ByteLevel()
    result.add_special_tokens(list(QWEN3_SPECIAL))
    return result


def qwen3(folder: Path, dtype: torch.dtype = torch.float32, **sizes: Any) -> Any:
    """Write the same files for Qwen3, with weights of `dtype`; the model, in float32."""
    tokenizer = qwen3_tokenizer()
    settings: dict[str, Any] = {
        "vocab_size": tokenizer.get_vocab_size(),
        "hidden_size": 48,
        "intermediate_size": 96,
        "num_hidden_layers": 29,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "rms_norm_eps": 1e-6,
        "rope_parameters": {"rope_theta": 1_000_000.0, "rope_type": "default"},
        "initializer_range": 0.1,
        **sizes,
    }
    torch.manual_seed(0)
    return _saved(folder, Qwen3ForCausalLM(Qwen3Config(**settings)), tokenizer, dtype)


def _saved(
    folder: Path, model: Any, tokenizer: Tokenizer, dtype: torch.dtype = torch.float32
) -> Any:
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            # weights of 1 and biases of 0 would hide one that is left out
            if "norm" in name.lower() and name.endswith("weight"):
                parameter.uniform_(0.5, 1.5)
            elif name.endswith("bias"):
                parameter.normal_(0, 0.2)
    folder.mkdir(parents=True, exist_ok=True)
    save_file(model.to(dtype).state_dict(), folder / "model.safetensors")
    model.config.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return model.float().eval()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python .ci/tools/toy_encoders.py FOLDER")
    xlm_roberta_of_words(Path(sys.argv[1]) / "xlm-roberta")
    qwen3(Path(sys.argv[1]) / "qwen3")
