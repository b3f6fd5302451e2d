"""Text to tokens and comments (language reference 1), by one regular expression.

All lexical problems of a file are reported; the tokens around them are kept.
"""

from __future__ import annotations

import re
import unicodedata
from string import ascii_letters, digits
from typing import Final

from flintc.problems import Phase, Problems
from flintc.source import SourceFile, Span
from flintc.syntax import literals
from flintc.syntax.nodes import Comment
from flintc.syntax.tokens import (
    BYTES,
    END,
    FLOAT,
    INT,
    KEYWORDS,
    LONG_PUNCTUATION,
    NAME,
    SHORT_PUNCTUATION,
    STRING,
    Token,
    TokenValue,
)

# Unicode White_Space; `\s` would also match U+001C to U+001F.
_SPACE: Final = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_BODY: Final = r"[^Q\\]*+(?:\\.[^Q\\]*+)*+"  # Q stands for the quote
_DOUBLE, _SINGLE = (_BODY.replace("Q", quote) for quote in "\"'")
_LONG: Final = "|".join(map(re.escape, LONG_PUNCTUATION))
_SHORT: Final = re.escape(SHORT_PUNCTUATION)
_STRING: Final = re.compile(f"b?\"{_DOUBLE}\"|'{_SINGLE}'", re.DOTALL)
_PATTERNS: Final = (
    r'(?!b")[A-Za-z_][A-Za-z0-9_]*',
    r"//[^\n]*",
    r"/\*.*?\*/",
    r"/\*.*",  # never closed
    f"{_LONG}|[{_SHORT}]",
    r"[0-9]+\.[0-9]+",
    r"0[xX][0-9A-Fa-f]*|[0-9]+",
    _STRING.pattern,
    rf"b?\"{_DOUBLE}\\?|'{_SINGLE}\\?",  # never closed
    ".",  # stray
)
_TOKEN: Final = re.compile(f"([{_SPACE}]*+)({'|'.join(_PATTERNS)})", re.DOTALL)
_FIXED: Final = KEYWORDS | set(LONG_PUNCTUATION) | set(SHORT_PUNCTUATION)
_NAME_START: Final = frozenset(ascii_letters + "_")
_DIGITS: Final = frozenset(digits)
_NOT_UTF8: Final = re.compile(r"[\ud800-\udfff]+")

_STRAY_HELP: Final = {
    "#": "comments are written `// …`; there are no attributes",
    "^": "there are no bit operators",
    "~": "there are no bit operators",
    "`": "text is written in double or single quotes",
    "\\": "a backslash belongs inside a string",
    "\ufeff": "save the file without a byte order mark",
}
_TYPOGRAPHIC_QUOTES: Final = "\u201c\u201d\u201e\u2018\u2019\u201a\xab\xbb"
_STRAY_HELP.update(dict.fromkeys(_TYPOGRAPHIC_QUOTES, "use the plain quotes \" or '"))


class _Lexer:
    def __init__(self, file: SourceFile, problems: Problems) -> None:
        self.file = file
        self.problems = problems
        self.tokens: list[Token] = []
        self.comments: list[Comment] = []
        self._last_end = 0  # of the latest token, comment or stray character
        self._stray_end = -1

    def run(self) -> None:
        add, end = self.tokens.append, 0
        for space, word in _TOKEN.findall(self.file.text):
            start = end + len(space)
            end = start + len(word)
            if word in _FIXED:
                add(Token(word, word, start, end))
            elif word[0] in _NAME_START and word[1:2] != '"':
                add(Token(NAME, word, start, end))
            else:
                self._other(word, start, end)
            self._last_end = end
        length = len(self.file.text)
        add(Token(END, "", length, length))

    def _other(self, text: str, start: int, end: int) -> None:
        if text.startswith("//") or (text.startswith("/*") and _is_closed(text)):
            self._comment(text, start)
        elif text.startswith("/*"):
            self._report("E_UNTERMINATED_COMMENT", "this comment is never closed", start, start + 2)
        elif text[0] in _DIGITS or _STRING.fullmatch(text):
            self._literal(text, start, end)
        elif text[0] in "\"'b":
            self._unterminated(text, start, end)
        else:
            self._stray(text, start)

    def _literal(self, text: str, start: int, end: int) -> None:
        kind, value = self._value(text, start)
        self.tokens.append(Token(kind, text, start, end, value))

    def _value(self, text: str, base: int) -> tuple[str, TokenValue]:
        def report(code: str, title: str, start: int, end: int, hint: str | None) -> None:
            self._report(code, title, base + start, base + end, hint)

        first = text[0]
        if first == "b":
            return BYTES, literals.byte_string(text[2:-1], 2, report)
        if first in "\"'":
            return STRING, literals.unescape(text[1:-1], 1, report)
        if "." in text:
            return FLOAT, float(text)
        return INT, literals.integer(text, report)

    def _comment(self, text: str, start: int) -> None:
        if text[1] == "/":
            text = text.removesuffix("\r")
        last = self._last_end
        own_line = last == 0 or "\n" in self.file.text[last:start]
        span = Span(self.file, start, start + len(text))
        self.comments.append(Comment(span, text, own_line))

    def _unterminated(self, text: str, start: int, end: int) -> None:
        opening = 2 if text[0] == "b" else 1
        name = "bytes literal" if opening == 2 else "string"
        title = f"this {name} is never closed"
        quote = text[opening - 1]
        hint = f"add the closing {quote}"
        self._report("E_UNTERMINATED_STRING", title, start, start + opening, hint)
        kind, value = (BYTES, b"") if opening == 2 else (STRING, "")
        self.tokens.append(Token(kind, text, start, end, value))

    def _stray(self, char: str, start: int) -> None:
        if start == self._stray_end:  # a run of them is one problem
            self._stray_end += 1
            return
        self._stray_end = start + 1
        shown = char if char.isprintable() else _code_point(char)
        title = f"unexpected character `{shown}`"
        hint = _STRAY_HELP.get(char)
        if hint is None and char.isalpha():
            hint = "names consist of the letters a-z and A-Z, digits and `_`"
        self._report("E_UNEXPECTED_CHARACTER", title, start, start + 1, hint)

    def _report(self, code: str, title: str, start: int, end: int, hint: str | None = None) -> None:
        self.problems.error(code, title, Span(self.file, start, end), Phase.PARSE, help=hint)


def _is_closed(comment: str) -> bool:
    return len(comment) >= len("/**/") and comment.endswith("*/")


def _code_point(char: str) -> str:
    name = unicodedata.name(char, "")
    return f"U+{ord(char):04X}" + (f" {name}" if name else "")


def tokenize(file: SourceFile, problems: Problems) -> tuple[list[Token], list[Comment]]:
    """All tokens of a file, the last of kind END, and its comments.

    Text between tokens is white space, comments or characters that have been reported.
    """
    found = _NOT_UTF8.search(file.text)
    if found:  # most likely no text at all: its other problems would say nothing
        title = "the file is not valid UTF-8 text"
        span = Span(file, *found.span())
        problems.error("E_INVALID_UTF8", title, span, Phase.PARSE, help="save it as UTF-8")
        problems = Problems()
    lexer = _Lexer(file, problems)
    lexer.run()
    return lexer.tokens, lexer.comments
