"""What a model's folder says beside its weights: chat template, special tokens, end tokens.

The files are those of Hugging Face checkpoints, and they count in the order that transformers has.
"""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any

from flint.lang.json_reader import JsonFault, require_shallow
from flint.regular_file import require_regular
from flint.runtime.host import Refused
from flint.runtime.op import reason

_SPECIAL_TOKENS = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")


class ModelFolder:
    """A folder; each file is read when it is first asked for, a missing one is as an empty one."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def chat_template(self) -> str:
        """`chat_template.jinja`, or else the one in `tokenizer_config.json`; `Refused` without."""
        template = self._text("chat_template.jinja") or self._configured_template()
        if not isinstance(template, str):
            raise Refused(
                f"no chat template in {self.path}: neither chat_template.jinja"
                " nor chat_template in tokenizer_config.json"
            )
        return template

    @cached_property
    def special_tokens(self) -> dict[str, str]:
        """The tokens' texts by the names that templates use, such as `bos_token`."""
        return {
            f"{name}_token": content
            for name in _SPECIAL_TOKENS
            if (content := _content(self._tokenizer_config.get(f"{name}_token"))) is not None
        }

    @cached_property
    def end_token_ids(self) -> frozenset[int]:
        """`eos_token_id` of `generation_config.json`, or else of `config.json`; empty without."""
        for name in ("generation_config.json", "config.json"):
            value = self._object(name).get("eos_token_id")
            ids = value if isinstance(value, list) else [] if value is None else [value]
            if not all(type(each) is int for each in ids):
                raise Refused(f"{self.path / name}: eos_token_id is {value!r}, not ids of tokens")
            if ids:
                return frozenset(ids)
        return frozenset()

    @cached_property
    def _tokenizer_config(self) -> dict[str, Any]:
        return self._object("tokenizer_config.json")

    def _configured_template(self) -> object:
        """One template, or the one named `default` of several."""
        value = self._tokenizer_config.get("chat_template")
        if not isinstance(value, list):
            return value
        named = (each for each in value if isinstance(each, dict))
        return next((each.get("template") for each in named if each.get("name") == "default"), None)

    def _object(self, name: str) -> dict[str, Any]:
        text = self._text(name) or "{}"
        try:
            require_shallow(text)
            value = json.loads(text)
        except (ValueError, JsonFault) as error:
            raise Refused(f"cannot read {self.path / name}: {error}") from None
        if not isinstance(value, dict):
            raise Refused(f"{self.path / name} holds no JSON object")
        return value

    def _text(self, name: str) -> str | None:
        path = self.path / name
        try:
            require_regular(path)
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise Refused(f"cannot read {path}: {reason(error)}") from None


def _content(token: object) -> str | None:
    """A special token's text, which stands alone or with the token's properties."""
    content = token.get("content") if isinstance(token, dict) else token
    return content if isinstance(content, str) else None
