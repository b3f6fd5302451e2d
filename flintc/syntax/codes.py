"""Every problem code of the lexer and the parser, with one line on what it means."""

from __future__ import annotations

from typing import Final

SYNTAX_CODES: Final[dict[str, str]] = {
    # lexical (language reference 1.9)
    "E_INVALID_UTF8": "The file is not UTF-8 text.",
    "E_UNEXPECTED_CHARACTER": "A character outside strings and comments starts no token.",
    "E_UNTERMINATED_COMMENT": "A `/*` comment is never closed; such comments do not nest.",
    "E_UNTERMINATED_STRING": "A string or bytes literal has no closing quote.",
    "E_INVALID_ESCAPE": "A backslash in a literal is followed by something that is no escape.",
    "E_NON_ASCII_BYTES": "A bytes literal holds a character that is not ASCII.",
    "E_INVALID_NUMBER": "A number is too long, or `0x` has no digits.",
    "E_INT_OUT_OF_RANGE": "An integer literal does not fit a signed 64-bit integer.",
    # structure
    "E_NESTING_TOO_DEEP": "Expressions, types or blocks are nested too deep.",
    "E_UNCLOSED_BLOCK": "The file ends inside a block.",
    "E_UNEXPECTED_CLOSING": "A closing bracket has no opening one.",
    "E_EXPECTED_TOKEN": "A certain keyword or punctuation mark must stand here.",
    "E_EXPECTED_SEMICOLON": "A statement must end with `;`.",
    "E_EXPECTED_NAME": "A name must stand here.",
    "E_RESERVED_WORD": "A keyword stands where a name is needed.",
    "E_EXPECTED_EXPRESSION": "A value must stand here.",
    "E_EMPTY_STATEMENT": "A `;` stands alone.",
    "E_TRAILING_COMMA": "A comma stands before the closing bracket of a list that allows none.",
    "E_TOO_MANY_ITEMS": "A function takes at most 255 parameters, a call at most 255 arguments.",
    "E_DUPLICATE_NAME": "A name occurs twice among parameters or type parameters.",
    # statements
    "E_PUB_WITHOUT_FN": "`pub` may only precede `fn`.",
    "E_MISSING_INITIALIZER": "`let` needs a value.",
    "E_FOR_FORM": "`for` takes a range, or a pair of names and a borrowed map.",
    "E_MAP_LOOP": "A map loop breaks one of its rules on source, names or key type.",
    "E_BREAK_OUTSIDE_LOOP": "`break` stands outside a loop.",
    "E_CONTINUE_OUTSIDE_LOOP": "`continue` stands outside a loop.",
    "E_BLOCK_WITHOUT_VALUE": "A function body or if-expression branch must end with an expression.",
    "E_USE_FORM": "A `use` declaration has a form that does not exist.",
    "E_IMPORT_KEYWORD": "Modules are imported with `use`.",
    # types
    "E_TYPE_SYNTAX": "A type is written in a way the grammar does not have.",
    "E_STRICT_UNKNOWN_TYPE": "The type `unknown` cannot be written.",
    # expressions
    "E_MISSING_ELSE": "An if-expression needs an else branch.",
    "E_MATCH_WILDCARD": "A match needs exactly one `_` arm, the last.",
    "E_MATCH_PATTERN": "A match arm begins with something that is no pattern.",
    "E_MAP_KEY": "A map key must be a literal, a name, or an expression in brackets.",
    "E_MUT_BORROW_TARGET": "`&mut` takes a variable, or one field or element of a variable.",
    "E_UNWRAP": "There is no `.unwrap`.",
    "E_UNKNOWN_MACRO": "There are no macros.",
    "E_ARGUMENT_COUNT": "A builtin is called with a wrong number of arguments.",
}
