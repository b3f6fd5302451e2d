"""Tokenizers whose ids are known by construction: one a word, or one a byte."""

from __future__ import annotations

from tokenizers import Tokenizer, models, pre_tokenizers, processors
from tokenizers.decoders import ByteLevel, WordPiece

SPECIAL = ("<|pad|>", "<|startoftext|>", "<|endoftext|>", "<|im_sep|>", "<|a|>", "<|b|>")
TURN = ("<|im_start|>", "<|im_end|>")
WORDS = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "東京", "都", "に", "new", "york", "is", "big")


def word_tokenizer() -> Tokenizer:
    """One id a word, by place in WORDS; texts get [CLS] and [SEP] around them."""
    result = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, "[UNK]"))
    result.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(word, "isolated") for word in ("東京", "都")]
        + [pre_tokenizers.Whitespace()]
    )
    result.decoder = WordPiece()
    result.add_special_tokens(list(WORDS[:4]))
    result.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return result


def greedy_truncation() -> Tokenizer:
    """The word tokenizer with truncation and padding, which loading has to switch off."""
    result = word_tokenizer()
    result.enable_truncation(3)
    result.enable_padding(length=20)
    return result


def without_unknown() -> Tokenizer:
    """A tokenizer that fails for every word but `a`."""
    return Tokenizer(models.WordLevel({"a": 0}, "[UNK]"))


def tiny_tokenizer() -> Tokenizer:
    """Byte-level: one token a byte, after LFM2's special tokens with their ids (7 ends a turn)."""
    special = [*SPECIAL, *TURN]
    words = [*special, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(models.BPE({word: at for at, word in enumerate(words)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = ByteLevel()
    tokenizer.add_special_tokens(special)
    return tokenizer
