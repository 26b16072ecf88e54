"""The sources, from references.bib: one file, at the root of the repository and inside the installed package."""

import functools
import pathlib
import re
from collections.abc import Iterable

from polhode.errors import InputError

HERE = pathlib.Path(__file__).parent


@functools.cache
def entries() -> dict[str, str]:
    """Every BibTeX entry as written, by key."""
    text = _text()
    by_key = {}
    for start in re.finditer(r"^@(\w+)\s*\{\s*([^,\s]+)\s*,", text, re.MULTILINE):
        by_key[start[2]] = text[start.start() : _closing(text, text.index("{", start.start())) + 1]
    return by_key


def bibtex(keys: Iterable[str]) -> str:
    """The BibTeX of some keys, in their order."""
    by_key = entries()
    if not by_key:
        raise InputError("references.bib is missing: install polhode again, or run it from a complete checkout.")
    missing = [k for k in keys if k not in by_key]
    if missing:
        raise InputError(f"references.bib has no entry {', '.join(missing)}.")
    return "\n\n".join(by_key[k] for k in keys)


def fields(key: str) -> dict[str, str]:
    """The fields of one entry, without braces and with accents as characters; empty if there is no such entry."""
    entry = entries().get(key, "")
    values = {}
    for start in re.finditer(r"^\s*(\w+)\s*=\s*([{\"])", entry, re.MULTILINE):
        opening = start.end() - 1
        end = _closing(entry, opening) if start[2] == "{" else entry.index('"', opening + 1)
        values[start[1].lower()] = _readable(entry[opening + 1 : end])
    return values


def _text() -> str:
    for folder in (HERE, HERE.parents[1]):  # installed; or a checkout, where the package is in src/
        if (folder / "references.bib").exists():
            return (folder / "references.bib").read_text(encoding="utf-8")
    return ""


def _closing(text: str, opening: int) -> int:
    """Where the brace that opens at `opening` closes."""
    depth = 0
    for i in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return i
    raise InputError(f"references.bib is broken: a brace opened at character {opening} never closes.")


ACCENTS = {
    "'": "\u0301",
    "`": "\u0300",
    '"': "\u0308",
    "^": "\u0302",
    "~": "\u0303",
    "c": "\u0327",
    "v": "\u030c",
    "r": "\u030a",
}
LETTERS = {r"\o": "ø", r"\O": "Ø", r"\l": "ł", r"\ss": "ß", r"\ae": "æ", r"\aa": "å", r"\i": "i"}


def _readable(text: str) -> str:
    import unicodedata

    text = re.sub(
        r"\\(['`\"^~]|[cvr](?=[\s{]))\s*\{?\s*(\\?\w)\}?", lambda m: LETTERS.get(m[2], m[2]) + ACCENTS[m[1]], text
    )
    text = re.sub(r"\\(?:ss|ae|aa|[oOli])(?![a-zA-Z])\s?", lambda m: LETTERS[m[0].strip()], text)
    text = text.replace("---", "\N{EM DASH}").replace("--", "\N{EN DASH}").replace("~", " ").replace(r"\&", "&")
    return unicodedata.normalize("NFC", " ".join(re.sub(r"[{}]", "", text).split()))
