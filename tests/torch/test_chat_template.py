"""`tokenizer::apply_chat_template` and `is_end_token`: transformers is the reference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from transformers import PreTrainedTokenizerFast

from flint.runtime import chat_template, tokenizer
from flint.runtime.gguf_file import read_header
from flint.runtime.session import Session
from tests.torch.made_tokenizers import tiny_tokenizer
from tests.torch.support import in_run, refusal

CHATML = """\
{% for message in messages %}
    {% if loop.first and message['role'] != 'system' %}
{{ '<|im_start|>system\\nYou are kind.<|im_end|>\\n' }}
    {% endif %}
{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] | trim + '<|im_end|>' + '\\n' }}
{% endfor %}
{% if add_generation_prompt %}
{{ '<|im_start|>assistant\\n' }}
{% endif %}
"""
TOOLS_AND_TURNS = """\
{{- bos_token -}}
{%- set ns = namespace(turns=0) -%}
{%- if tools is not none %}{{ tools | tojson(indent=2) }}{% endif -%}
{%- for message in messages if message.role != 'tool' -%}
  {%- if message.content is not string %}{% continue %}{% endif -%}
  {%- set ns.turns = ns.turns + 1 -%}
  [{{ message.role | upper }} {{ ns.turns }}] {{ message.content }}{{ eos_token }}
  {%- if ns.turns == 3 %}{% break %}{% endif -%}
{%- endfor -%}
{% generation %}{% set inner = 1 %}{{ messages | tojson }}{% endgeneration %}{{ inner is defined }}
{%- if documents %}never{% endif %}{{ pad_token is defined }} {{ messages[0].nothing }}
"""
DATED = "{{ strftime_now('%Y') }} {{ messages[-1]['content'].split('e')[0] | default('x') }}"
MACRO = """\
{% macro turn(message) %}<{{ message.role }}>{{ message.content | replace('<', '&') }}{% endmacro %}
{% for message in messages recursive %}{{ turn(message) }}
   {% endfor %}
{{- raise_exception('no answer wanted') if not add_generation_prompt }}"""
TEMPLATES = {"chatml": CHATML, "turns": TOOLS_AND_TURNS, "dated": DATED, "macro": MACRO}
CHAT = [
    {"role": "system", "content": "Sei höflich <b>."},
    {"role": "user", "content": "  What's 2 + 2?\n"},
    {"role": "assistant", "content": 'Vier & fünf "quoted" 東京'},
    {"role": "user", "content": "Sure?"},
]
CHATS = {"long": CHAT, "short": CHAT[1:2], "parts": [{"role": "user", "content": ["a"]}, *CHAT]}


def folder_with(folder: Path, **files: Any) -> Session:
    """A session with the tiny tokenizer in `folder`, beside JSON files of these contents."""
    tiny_tokenizer().save(str(folder / "tokenizer.json"))
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    session = Session("cpu")
    in_run(lambda: tokenizer.load(str(folder / "tokenizer.json")), session=session)
    return session


def with_template(folder: Path, template: object) -> Session:
    return folder_with(
        folder,
        tokenizer_config={
            "chat_template": template,
            "bos_token": "<|startoftext|>",
            "eos_token": {"content": "<|im_end|>", "lstrip": False},
            "pad_token": None,
        },
    )


def applied(session: Session, messages: object, prompt: bool = True) -> str:
    text = json.dumps(messages)
    return in_run(lambda: tokenizer.apply_chat_template(text, prompt), session=session)


def refused(folder: Path, template: object) -> str:
    session = with_template(folder, template)
    text = json.dumps(CHAT)
    message = refusal(lambda: tokenizer.apply_chat_template(text, True), session)
    return message.removeprefix("flint::tokenizer::apply_chat_template: ")


@pytest.mark.parametrize(
    ("name", "chat"),
    [*((name, chat) for name in TEMPLATES for chat in ("long", "short")), ("turns", "parts")],
)
def test_as_transformers(name: str, chat: str, tmp_path: Path) -> None:
    session = with_template(tmp_path, TEMPLATES[name])
    reference = PreTrainedTokenizerFast(
        tokenizer_file=str(tmp_path / "tokenizer.json"),
        bos_token="<|startoftext|>",
        eos_token="<|im_end|>",
        chat_template=TEMPLATES[name],
    )
    expected = reference.apply_chat_template(
        CHATS[chat], tokenize=False, add_generation_prompt=True
    )
    assert applied(session, CHATS[chat]) == expected


def test_of_the_real_model(smollm2: Path, tmp_path: Path) -> None:
    """The template that SmolLM2 has in its GGUF, filled in by hand."""
    template = read_header(str(smollm2)).texts[b"tokenizer.chat_template"].decode()
    session = with_template(tmp_path, template)
    assert applied(session, CHAT[:2], prompt=False) == (
        "<|im_start|>system\nSei höflich <b>.<|im_end|>\n"
        "<|im_start|>user\n  What's 2 + 2?\n<|im_end|>\n"
    )


def test_the_file_counts_before_the_configuration(tmp_path: Path) -> None:
    session = with_template(tmp_path, "from the configuration")
    (tmp_path / "chat_template.jinja").write_text("{{ messages | length }} in a file")
    assert applied(session, CHAT) == "4 in a file"


def test_the_default_of_several(tmp_path: Path) -> None:
    templates = [
        {"name": "rag", "template": "wrong"},
        {"name": "default", "template": "right {{ add_generation_prompt }}"},
    ]
    assert applied(with_template(tmp_path, templates), CHAT, prompt=False) == "right False"


@pytest.mark.parametrize("template", [None, 5, [], [{"name": "rag", "template": "x"}]])
def test_no_template(template: object, tmp_path: Path) -> None:
    assert refused(tmp_path, template).startswith(f"no chat template in {tmp_path}: neither ")


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{% for x in y %}", "line 1: Unexpected end of template."),
        ("\n{{ a b }}", "line 2: expected token"),
        ("{{ raise_exception('roles must take turns') }}", "roles must take turns"),
        ("{{ messages.__class__.__mro__ }}", "access to attribute '__class__' of 'list' object"),
        ("{{ ''.__class__.__mro__ }}", "access to attribute '__class__' of 'str' object"),
        ("{{ raise_exception.__globals__['json'] }}", "access to attribute '__globals__'"),
        ("{{ messages.append(1) }}", "access to attribute 'append' of 'list' object is unsafe"),
        ("{{ messages | map(attribute='__class__.x') | list }}", "access to attribute '__class__'"),
        ("{% include 'x' %}", "TypeError: no loader for this environment specified"),
        ("{{ range(10000000) | length }}", "OverflowError: Range too big"),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "it calls itself without end"),
        ("{{ 1 // 0 }}", "ZeroDivisionError"),
        ("{{ 'x' * 10**11 }}", "it needs too much memory"),
        ("{{ '\\ud800' }}", "its text holds half a character"),
        ("{{ messages[0].content + 1 }}", "TypeError: can only concatenate str"),
    ],
)
def test_hostile_templates(template: str, reason: str, tmp_path: Path) -> None:
    assert refused(tmp_path, template).startswith(f"chat template: {reason}")


@pytest.mark.parametrize(
    "template",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{{ 9 ** (9 ** 9) }}",
    ],
)
def test_endless_templates(template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_template, "CPU_SECONDS", 1)
    assert refused(tmp_path, template) == "chat template: not done after 1 s of computing"


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ("", "messages: no JSON: "),
        ("[" * 100_000, "messages: no JSON: recursion limit exceeded at line 1 column 1001"),
        ("{}", "messages: not a JSON array of objects with role and content"),
        ('["hello"]', "messages: not a JSON array of objects with role and content"),
    ],
)
def test_messages_that_are_none(messages: str, reason: str, tmp_path: Path) -> None:
    session = with_template(tmp_path, CHATML)
    message = refusal(lambda: tokenizer.apply_chat_template(messages, True), session)
    assert message.startswith(f"flint::tokenizer::apply_chat_template: {reason}")


@pytest.mark.parametrize("content", ["{", "[]", '"text"', '{"a":' * 100_000])
def test_damaged_configuration(content: str, tmp_path: Path) -> None:
    session = with_template(tmp_path, CHATML)
    path = tmp_path / "tokenizer_config.json"
    path.write_text(content)
    message = refusal(lambda: tokenizer.apply_chat_template("[]", True), session)
    assert str(path) in message


END_TOKENS = [
    ({"generation_config": {"eos_token_id": [5, 7]}, "config": {"eos_token_id": 3}}, {5, 7}),
    ({"generation_config": {"eos_token_id": None}, "config": {"eos_token_id": 3}}, {3}),
    ({"generation_config": {}, "config": {"eos_token_id": [4]}}, {4}),
    ({"config": {}, "tokenizer_config": {"eos_token": "<|im_end|>"}}, {7}),
    ({"tokenizer_config": {"eos_token": {"content": "<|endoftext|>"}}}, {2}),
    ({"tokenizer_config": {"eos_token": "unknown"}}, set()),
    ({}, set()),
]


@pytest.mark.parametrize(("files", "ends"), END_TOKENS)
def test_end_tokens(files: dict[str, Any], ends: set[int], tmp_path: Path) -> None:
    session = folder_with(tmp_path, **files)
    found = {
        token
        for token in range(-1, 20)
        if in_run(lambda token=token: tokenizer.is_end_token(token), session=session)  # type: ignore[misc]
    }
    assert found == ends


@pytest.mark.parametrize("value", ["2", [1, None], True, 1.5, {}])
def test_end_tokens_that_are_none(value: object, tmp_path: Path) -> None:
    session = folder_with(tmp_path, config={"eos_token_id": value})
    message = refusal(lambda: tokenizer.is_end_token(2), session)
    assert f"config.json: eos_token_id is {value!r}, not ids of tokens" in message


@pytest.mark.parametrize(
    "call", [lambda: tokenizer.is_end_token(2), lambda: tokenizer.apply_chat_template("[]", True)]
)
def test_no_tokenizer(call: Any) -> None:
    assert refusal(call).endswith(": no tokenizer loaded")
