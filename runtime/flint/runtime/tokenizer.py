"""`flint::tokenizer`: text to token tensors and back (host-functions.md 6)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import torch
from tokenizers import Encoding, Tokenizer
from torch import Tensor

from flint.regular_file import require_regular
from flint.runtime.chat_template import messages_of, render
from flint.runtime.context import current, running
from flint.runtime.host import Refused
from flint.runtime.model_folder import ModelFolder
from flint.runtime.op import op, reason
from flint.runtime.pair import Pair
from flint.runtime.tensor_size import require_room
from flint.runtime.token_labels import label_lines
from flint.runtime.token_stream import TokenStream

_EOS = 7
_LARGEST_ID = 2**32 - 1


class LoadedTokenizer:
    """A tokenizer, the path it came from, and the model's folder, in which that lies."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.tokenizer = _read(path)
        self.folder = ModelFolder(Path(path).parent)

    @cached_property
    def end_token_ids(self) -> frozenset[int]:
        """As the folder's configuration says, or else the tokenizer's end token; may be empty."""
        text = self.folder.special_tokens.get("eos_token")
        named = None if text is None else self.tokenizer.token_to_id(text)
        return self.folder.end_token_ids or frozenset([] if named is None else [named])


@op
def load(path: str) -> bool:
    """Read a `tokenizer.json`, unless this runner has read that path before.

    Truncation and padding that the file asks for are switched off.
    """
    session = current().session
    if session.tokenizer is None or session.tokenizer.path != path:
        session.tokenizer = LoadedTokenizer(path)
    return True


@op
def apply_chat_template(messages: str, add_generation_prompt: bool) -> str:
    """Return the prompt for `messages`, made by the chat template in the tokenizer's folder.

    `messages` is JSON: an array of objects with `role` and `content`. `add_generation_prompt`
    opens the assistant's turn. The template is `chat_template.jinja`, or else that of
    `tokenizer_config.json`; it runs in a sandbox, for 5 seconds at most. `encode` the result
    without special tokens: the template has put them there. A function of ours.
    """
    folder = _loaded().folder
    variables = {
        **folder.special_tokens,
        "messages": messages_of(messages),
        "add_generation_prompt": add_generation_prompt,
        "tools": None,
        "documents": None,
    }
    return render(folder.chat_template, variables)


@op
def encode(text: str, add_special_tokens: bool) -> Tensor:
    """Return the ids of `text`, int64 `[1, n]` on the device.

    `add_special_tokens` adds those that the tokenizer puts around a text. A function of ours.
    """
    return _row(_encoding(text, add_special_tokens).ids)


@op
def encode_chat(system: str, user: str) -> Tensor:
    """Return the ids of LFM2's chat prompt for these texts, int64 `[1, n]` on the device.

    The system turn is there even if `system` is empty.
    """
    turns = f"{_turn('system', system)}{_turn('user', user)}<|im_start|>assistant\n"
    return _row(_encoding(f"<|startoftext|>{turns}", add_special_tokens=False).ids)


@op
def encode_vl_chat(system: str, user: str, image_tokens: int) -> Tensor:
    """Return the ids of LFM2-VL's chat prompt with one image before the user's text.

    That is int64 `[1, n]` on the device; `image_tokens` is the number of places of the image.
    """
    if image_tokens < 0:
        raise Refused(f"image_tokens {image_tokens} is below 0")
    image = f"<|image_start|>{'<image>' * image_tokens}<|image_end|>"
    turns = f"{_turn('system', system)}{_turn('user', image + user)}<|im_start|>assistant\n"
    return _row(_encoding(f"<|startoftext|>{turns}", add_special_tokens=False).ids)


@op
def encode_padded(text: str, max_len: int, pad_token: int, add_special_tokens: bool) -> Pair:
    """Return a pair of int64 `[1, max_len]`: ids and attention mask (1 token, 0 padding).

    Longer texts are cut at the end, together with a closing special token.
    """
    if max_len < 0:
        raise Refused(f"max_len {max_len} is below 0")
    ids = _encoding(text, add_special_tokens).ids[:max_len]
    require_room((1, max_len), 8, torch.device("cpu"))
    padded = torch.full((1, max_len), pad_token)
    padded[0, : len(ids)] = torch.tensor(ids, dtype=torch.int64)
    mask = (torch.arange(max_len) < len(ids)).long()[None]
    device = current().session.device
    return Pair(padded.to(device), mask.to(device))


@op
def format_token_labels(
    text: str, labels: Tensor, label_names: str, add_special_tokens: bool
) -> str:
    """Return the labelled spans of `text`, one line each: label, start, end, surface by TABs.

    `labels` `[…]` holds one id a token, `label_names` the names by id, split by commas; id 0 is no
    label. Start and end count UTF-8 bytes. Neighbours of one label are joined; no span gives `O`.
    """
    offsets = _encoding(text, add_special_tokens).offsets
    return label_lines(text, offsets, _flat(labels), label_names)


@op
def decode_generated(tokens: Tensor, prompt_len: int) -> str:
    """Return the text of `tokens` `[…]` after the first `prompt_len`, without special tokens."""
    if prompt_len < 0:
        raise Refused(f"negative prompt length {prompt_len}")
    return _decoded(_flat(tokens)[prompt_len:])


@op
def append_token(tokens: Tensor, token: int) -> Tensor:
    """Return `tokens` `[1, n]` with one more id: `[1, n + 1]`."""
    _stream(lambda: [token])
    return torch.cat((tokens, torch.tensor([[token]], device=tokens.device)), dim=1)


@op
def append_token_tensor(tokens: Tensor, token: Tensor) -> Tensor:
    """Return `tokens` `[b, n]` with `token` `[b, k]` behind: `[b, n + k]`."""
    _stream(lambda: _flat(token))
    return torch.cat((tokens, token), dim=1)


@op
def clear_generated_tokens() -> bool:
    """Empty the run's list of generated tokens."""
    current().tensors.start_generation()
    return True


@op
def push_generated_token_tensor(token: Tensor) -> bool:
    """Append `token` `[1, k]` to the run's list, without waiting for the device.

    With `--stream` the device is waited for.
    """
    current().tensors.generated.append(token)
    _stream(lambda: _flat(token))
    return True


@op
def decode_generated_tokens() -> str:
    """Return the text of the run's list of generated tokens, without special tokens."""
    generated = current().tensors.generated
    return _decoded(_flat(torch.cat(generated, dim=1)) if generated else [])


@op
def single_token(token: int) -> Tensor:
    """Return `token` as int64 `[1, 1]` on the device."""
    return _row([token])


@op
def is_eos(token: int) -> bool:
    """Return whether `token` is 7, which ends a turn of LFM2 models."""
    return token == _EOS


@op
def is_end_token(token: int) -> bool:
    """Return whether `token` ends a text, by the configuration in the tokenizer's folder.

    That is `eos_token_id` of `generation_config.json`, or else of `config.json`, one id or several,
    or else `eos_token` of `tokenizer_config.json`. A function of ours.
    """
    return token in _loaded().end_token_ids


def _turn(role: str, content: str) -> str:
    return f"<|im_start|>{role}\n{content}<|im_end|>\n"


def _read(path: str) -> Tokenizer:
    try:
        require_regular(path)
        tokenizer = Tokenizer.from_file(path)
    except Exception as error:  # the library has no exception class of its own
        raise Refused(f"cannot read {path}: {reason(error)}") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _loaded() -> LoadedTokenizer:
    loaded = current().session.tokenizer
    if loaded is None:
        raise Refused("no tokenizer loaded")
    return loaded


def _encoding(text: str, add_special_tokens: bool) -> Encoding:
    tokenizer = _loaded().tokenizer
    try:
        return tokenizer.encode(text, add_special_tokens=add_special_tokens)
    except Exception as error:
        raise Refused(f"encoding failed: {reason(error)}") from None


def _stream(ids: Callable[[], list[int]]) -> None:
    """Pass generated tokens on to whoever wants their text now."""
    run = running()
    if run is None or run.on_text is None or run.session.tokenizer is None:
        return
    if run.tensors.token_stream is None:
        run.tensors.token_stream = TokenStream(run.session.tokenizer.tokenizer, run.emit)
    run.tensors.token_stream.push(_known(ids()))


def _known(ids: list[int]) -> list[int]:
    """Without numbers that no tokenizer takes for an id."""
    return [token for token in ids if 0 <= token <= _LARGEST_ID]


def _decoded(ids: list[int]) -> str:
    tokenizer = _loaded().tokenizer
    try:
        return str(tokenizer.decode(_known(ids), skip_special_tokens=True))
    except Exception as error:
        raise Refused(f"decoding failed: {reason(error)}") from None


def _row(ids: list[int]) -> Tensor:
    return torch.tensor([ids], dtype=torch.int64, device=current().session.device)


def _flat(tokens: Tensor) -> list[int]:
    if tokens.is_complex():
        raise Refused(f"tokens have to be ints, not {str(tokens.dtype).removeprefix('torch.')}")
    ids: list[int] = tokens.to("cpu", torch.int64).flatten().tolist()
    return ids
