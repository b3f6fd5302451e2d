"""The tokenizer of a GGUF model as `tokenizer.json` and `tokenizer_config.json`.

ggml names the way in which a text is cut before it is encoded (`tokenizer.ggml.pre`); here is what
the names stand for. Source: llama.cpp, src/llama-vocab.cpp.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)

from flint.convert.source import GgufModel
from flint.report import UserError

# gguf.TokenType
_CONTROL, _USER_DEFINED = 3, 4
_SPACE = "\u2581"
_LLAMA3_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_LLAMA3 = ("llama-bpe", "llama3", "llama-v3", "lfm2")
_GPT2 = ("gpt-2", "default")
_TEXTS = {"bos": "bos", "eos": "eos", "unk": "unknown", "pad": "padding"}


def tokenizer_of(model: GgufModel) -> Tokenizer:
    """The tokenizer; `UserError` if there is none or it is of a kind that is not known."""
    kind = model.text_or_none("tokenizer.ggml.model")
    if kind not in ("gpt2", "llama") or not model.tokens:
        raise UserError(f"{model.path}: a tokenizer of the kind {kind!r}; known are gpt2 and llama")
    if len(set(model.tokens)) < len(model.tokens):
        raise UserError(f"{model.path}: a token occurs twice in the vocabulary")
    tokenizer = _byte_level(model) if kind == "gpt2" else _sentencepiece(model)
    _add_tokens(tokenizer, model)
    _add_bos(tokenizer, model, default=kind == "llama")
    return tokenizer


def tokenizer_config(model: GgufModel) -> dict[str, Any]:
    """`tokenizer_config.json`: special tokens by their texts, and the chat template if any."""
    ids = {name: model.token_id(key) for name, key in _TEXTS.items()}
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        **{f"{name}_token": model.tokens[at] for name, at in ids.items() if at is not None},
    }
    template = model.text_or_none("tokenizer.chat_template")
    return config if template is None else {**config, "chat_template": template}


def _byte_level(model: GgufModel) -> Tokenizer:
    cut = model.text_or_none("tokenizer.ggml.pre") or "default"
    pairs = [tuple(merge.split(" ")) for merge in model.array("tokenizer.ggml.merges")]
    if not all(len(pair) == 2 for pair in pairs):
        raise UserError(f"{model.path}: a merge in tokenizer.ggml.merges is no pair")
    # models of this family have whole words in the vocabulary that no merges lead to
    tokenizer = _bpe(model, pairs, ignore_merges=cut in _LLAMA3)
    tokenizer.pre_tokenizer = _cut(model, cut)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _cut(model: GgufModel, name: str) -> pre_tokenizers.PreTokenizer:
    if name in _GPT2:
        return pre_tokenizers.ByteLevel(add_prefix_space=False)
    if name == "smollm":
        digits = pre_tokenizers.Digits(individual_digits=True)
        return pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    if name in _LLAMA3:
        words = pre_tokenizers.Split(Regex(_LLAMA3_WORDS), "isolated")
        spelled = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        return pre_tokenizers.Sequence([words, spelled])
    known = ", ".join([*_GPT2, "smollm", *_LLAMA3])
    raise UserError(f"{model.path}: texts are cut in the way {name!r}; known are {known}")


def _sentencepiece(model: GgufModel) -> Tokenizer:
    unknown = model.token_id("unknown")
    tokenizer = _bpe(
        model,
        [(left, right) for _, left, right in sorted(_joins(model))],
        unk_token=None if unknown is None else model.tokens[unknown],
        fuse_unk=True,
        byte_fallback=True,
    )
    prefixed = model.flag("tokenizer.ggml.add_space_prefix", True)
    spaces = normalizers.Replace(" ", _SPACE)
    # at the front, and also after every special token
    front = [normalizers.Prepend(_SPACE)] if prefixed else []
    tokenizer.normalizer = normalizers.Sequence([*front, spaces])
    first = [decoders.Strip(" ", 1, 0)] if prefixed else []
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace(_SPACE, " "), decoders.ByteFallback(), decoders.Fuse(), *first]
    )
    return tokenizer


def _joins(model: GgufModel) -> Iterator[tuple[tuple[float, int], str, str]]:
    """Every way to join two tokens to a third, with its rank: sentencepiece joins by score."""
    scores = model.array("tokenizer.ggml.scores")
    if len(scores) != len(model.tokens):
        raise UserError(f"{model.path}: {len(scores)} scores for {len(model.tokens)} tokens")
    known = set(model.tokens)
    for at, (token, score) in enumerate(zip(model.tokens, scores, strict=True)):
        for cut in range(1, len(token)):
            if token[:cut] in known and token[cut:] in known:
                yield (-score, at), token[:cut], token[cut:]


def _bpe(model: GgufModel, merges: list[Any], **settings: Any) -> Tokenizer:
    vocabulary = {token: at for at, token in enumerate(model.tokens)}
    try:
        return Tokenizer(models.BPE(vocabulary, merges, **settings))
    except Exception as error:  # the library has no exception class of its own
        raise UserError(f"{model.path}: the tokenizer cannot be made: {error}") from None


def _add_tokens(tokenizer: Tokenizer, model: GgufModel) -> None:
    types = model.array("tokenizer.ggml.token_type")
    for token, kind in zip(model.tokens, types, strict=False):
        if token and kind in (_CONTROL, _USER_DEFINED):
            special = kind == _CONTROL
            tokenizer.add_tokens([AddedToken(token, special=special, normalized=False)])


def _add_bos(tokenizer: Tokenizer, model: GgufModel, default: bool) -> None:
    bos = model.token_id("bos")
    if bos is not None and model.flag("tokenizer.ggml.add_bos_token", default):
        token = model.tokens[bos]
        tokenizer.post_processor = processors.TemplateProcessing(
            single=[token, "$A"], pair=[token, "$A", token, "$B:1"], special_tokens=[(token, bos)]
        )
