"""Chat templates and messages (host-functions.md 4.3)."""

from __future__ import annotations

from typing import ClassVar

from flint.runtime.c_values import c_text
from flint.runtime.host import host
from flint.runtime.llama.handles import LlamaResource
from flint.runtime.llama.model import Model
from flint.runtime.llama.native import vocabularies
from flint.runtime.llama.values import library_error


class ChatResource(LlamaResource):
    """What `chat_free` frees: a template or a list of messages."""

    kind: ClassVar[str] = "chat resource"


class ChatTemplate(ChatResource):
    """A template text stored in a model."""

    kind: ClassVar[str] = "chat template"

    def __init__(self, text: bytes) -> None:
        super().__init__()
        self.text = text


class ChatMessages(ChatResource):
    """Messages as pairs of role and content."""

    kind: ClassVar[str] = "chat messages"

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[tuple[bytes, bytes]] = []


@host
def chat_template(model: Model, name: str) -> ChatTemplate:
    """Return the template that the model's file stores under `name`; its main one if empty."""
    text = vocabularies.chat_template(model.weights.pointer, c_text("name", name) or None)
    if text is None:
        raise library_error(f"model has no such chat template: {name or 'the main one'}")
    return ChatTemplate(text)


@host
def chat_messages_init() -> ChatMessages:
    """Return an empty list of messages."""
    return ChatMessages()


@host
def chat_messages_add(messages: ChatMessages, role: str, content: str) -> bool:
    """Append a message."""
    messages.messages.append((c_text("role", role), c_text("content", content)))
    return True


@host
def apply_chat_template(
    model: Model, template: ChatTemplate, messages: ChatMessages, add_assistant: bool
) -> str:
    """Return the messages as one prompt; `add_assistant` opens the assistant's turn at the end.

    llama.cpp formats by code that it chooses by looks of the template (no Jinja).
    """
    prompt = vocabularies.apply_chat_template(template.text, messages.messages, add_assistant)
    if isinstance(prompt, int):
        raise library_error(f"template not applicable ({prompt})")
    return prompt.decode("utf-8", "replace")


@host
def chat_free(chat: ChatResource) -> bool:
    """Free a template or a list of messages."""
    chat.close()
    return True
