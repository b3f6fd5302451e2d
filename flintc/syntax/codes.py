"""Every problem code of the lexer and the parser; `flintc.explain` has a page on each."""

from __future__ import annotations

from typing import Final

SYNTAX_CODES: Final = frozenset(
    {
        # lexical (language reference 1.9)
        "E_INVALID_UTF8",
        "E_UNEXPECTED_CHARACTER",
        "E_UNTERMINATED_COMMENT",
        "E_UNTERMINATED_STRING",
        "E_INVALID_ESCAPE",
        "E_NON_ASCII_BYTES",
        "E_INVALID_NUMBER",
        "E_INT_OUT_OF_RANGE",
        # structure
        "E_NESTING_TOO_DEEP",
        "E_UNCLOSED_BLOCK",
        "E_UNEXPECTED_CLOSING",
        "E_EXPECTED_TOKEN",
        "E_EXPECTED_SEMICOLON",
        "E_EXPECTED_NAME",
        "E_RESERVED_WORD",
        "E_EXPECTED_EXPRESSION",
        "E_EMPTY_STATEMENT",
        "E_TRAILING_COMMA",
        "E_TOO_MANY_ITEMS",
        "E_DUPLICATE_NAME",
        # statements
        "E_PUB_WITHOUT_FN",
        "E_MISSING_INITIALIZER",
        "E_FOR_FORM",
        "E_MAP_LOOP",
        "E_BREAK_OUTSIDE_LOOP",
        "E_CONTINUE_OUTSIDE_LOOP",
        "E_BLOCK_WITHOUT_VALUE",
        "E_USE_FORM",
        "E_IMPORT_KEYWORD",
        # types
        "E_TYPE_SYNTAX",
        "E_STRICT_UNKNOWN_TYPE",
        # expressions
        "E_MISSING_ELSE",
        "E_MATCH_WILDCARD",
        "E_MATCH_PATTERN",
        "E_MAP_KEY",
        "E_MUT_BORROW_TARGET",
        "E_UNWRAP",
        "E_UNKNOWN_MACRO",
        "E_ARGUMENT_COUNT",
    }
)
