"""Appending and indexing."""


def result() -> int:
    text = ""
    i = 0
    while i < 20000:
        text += "ab"
        i += 1
    found = 0
    at = 0
    while at < 2000:
        if text[at] == "b":
            found += 1
        at += 1
    return found + len(text)
