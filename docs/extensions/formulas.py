"""Plain formulas of docstrings, which read as text in a terminal, typeset: to TeX, and docstrings to Markdown.

The dialect is small: Greek letters by name, an index as a digit or after _, a power after ^, a hat where none follows,
``x`` between spaces for the vector product, ``.`` between spaces for the inner one. A block set in by four spaces is a
formula, a line each; what stands after two or more spaces is set apart, and words among the letters stay words.
"""

import re
import textwrap

GREEK = (
    *("alpha", "beta", "gamma", "delta", "eta", "theta", "phi", "psi", "rho", "sigma", "tau", "zeta", "pi", "mu"),
    *("Omega", "Pi", "Psi", "Theta", "Gamma", "Phi", "Delta"),
)
FUNCTIONS = ("exp", "sin", "cos", "tan", "atan", "det")
OPERATORS = (
    *("cay", "dexp", "hat", "conj", "Im", "tr", "dist", "dr", "dcay", "log", "tanh"),
    *("angle", "err", "rtol", "atol"),
)
SPLIT = {"Qh": "Q_{h}", "ph": "p_{h}", "iJ": "J^{-1}"}  # names whose second letter is an index
SIGNS = {"<-": r"\leftarrow ", "->": r"\to ", "<=": r"\le ", ">=": r"\ge ", "...": r"\cdots ", "*": r"^{*}", "~": ""}

TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<sign><-|->|<=|>=|\.\.\.)|(?P<root>sqrt)|(?P<sum>sum)(?![a-z])"
    r"|(?P<name>[A-Za-z]+)|(?P<number>\d+(?:\.\d+)?)|(?P<other>.)",
    re.DOTALL,
)
SCRIPT = re.compile(r"\{([^{}]*)\}|\(([^()]*)\)|(-?[A-Za-z0-9]+(?:-\d)?)")
LABEL = r"(?:Misprints?|Pitfalls?|Source|Default|Reveals|Conserved|Not printed):"
"""What begins a paragraph of its own."""

SECTION = r"(?:Idea|What it keeps|For what|Pitfalls|Certificate)\."
"""What a paragraph of a lecture is about."""

CODE = re.compile(r"\b(?:void|double|import|def|return|lambda)\b")
"""What no formula says."""

WIDEST = 56
"""Characters of a row of formulas that fits on a telephone."""

FRACTION = re.compile(r"(?<![\w)^/])(h\^\d|h|\d)/(h|\d+)(?![\w(^/])")


def tex(formula: str) -> str:
    """One line of a formula as TeX."""
    text = re.sub(r"(?<=[\w)}*']) x (?=[\w(])", " \N{MULTIPLICATION SIGN} ", formula)
    text = re.sub(r"(?<=[\w)}]) \. (?=[\w(])", " ⋅ ", text)
    parts, at = [], 0
    while at < len(text):
        fraction = FRACTION.match(text, at)
        if fraction:
            above = re.sub(r"\^(\d)", r"^{\1}", fraction[1])
            parts.append(rf"\tfrac{{{above}}}{{{fraction[2]}}}")
            at = fraction.end()
            continue
        part, at = _part(text, at)
        parts.append(part)
    return re.sub(r" +", " ", "".join(parts)).strip()


def _part(text: str, at: int) -> tuple[str, int]:
    """The next part of a formula, and where it ends."""
    m = TOKEN.match(text, at)
    assert m is not None  # any character is a token
    if m["root"]:
        end = _closing(text, m.end())
        return rf"\sqrt{{{tex(text[m.end() + 1 : end])}}}", end + 1
    if m["sum"]:
        return _scripted(r"\sum", text, m.end())
    if m["name"]:
        return _named(m["name"], text, m.end())
    if m["space"]:
        return (r" \quad " if len(m[0]) > 1 else " "), m.end()
    if m["sign"]:
        return SIGNS[m[0]], m.end()
    if m[0] in ")]|":
        return _scripted(m[0], text, m.end())
    if m[0] in "^_":
        return _script(m[0], text, m.end())
    return {"\N{MULTIPLICATION SIGN}": r"\times ", "⋅": r"\cdot ", "{": r"\{", "}": r"\}"}.get(m[0], m[0]), m.end()


def _named(name: str, text: str, at: int) -> tuple[str, int]:
    """A letter with its marks and indices, a function, or a word."""
    if name in GREEK:
        head = "\\" + name
    elif name in FUNCTIONS:
        head = r"\operatorname{atan}" if name == "atan" else "\\" + name
    elif name in OPERATORS:
        head = rf"\operatorname{{{name}}}"
    elif name in SPLIT:
        head = SPLIT[name]
    elif len(name) == 1 or re.fullmatch(r"d[A-Za-z]|[a-z]{2}(?=w)|hw", name):
        head = name
    elif name.isupper() and len(name) == 2 and not text[at : at + 1].isdigit():
        head = f"{name[0]} {name[1]}"
    elif name.isupper():
        digits = re.match(r"\d*", text[at:])
        assert digits is not None
        return rf"\mathrm{{{name}{digits[0]}}}", at + digits.end()
    else:
        return rf"\text{{ {name} }}", at
    if text[at : at + 1] == "~":
        head, at = rf"\tilde{{{head}}}", at + 1
    digits = re.match(r"\d+", text[at:])
    if digits and name not in FUNCTIONS:
        head, at = f"{head}_{{{digits[0]}}}", at + digits.end()
    return _scripted(head, text, at)


def _scripted(head: str, text: str, at: int) -> tuple[str, int]:
    """What stands below, above and behind a letter."""
    below, above = "", ""
    while at < len(text) and text[at] in "_^'*":
        if text[at] == "'":
            above, at = above + r"\prime ", at + 1
        elif text[at] == "*":
            above, at = above + "*", at + 1
        else:
            kind, found = text[at], SCRIPT.match(text, at + 1)
            if not found and kind == "^":  # a hat
                head, at = rf"\hat{{{head}}}", at + 1
                continue
            if not found:
                break
            inner = tex(next(x for x in found.groups() if x is not None)).replace(r"\quad", "")
            below, above = (below + inner, above) if kind == "_" else (below, above + inner)
            at = found.end()
    if below and head.endswith("}") and "_{" in head:
        head, below = head[:-1] + "," + below + "}", ""
    return head + (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "") + " ", at


def _script(kind: str, text: str, at: int) -> tuple[str, int]:
    found = SCRIPT.match(text, at)
    if not found:
        return "\\" + kind if kind == "_" else r"\hat{}", at
    return f"{kind}{{{tex(next(x for x in found.groups() if x is not None))}}}", found.end()


def _closing(text: str, at: int) -> int:
    """Where the parenthesis that opens at `at` closes."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i
    return len(text)


POWER = re.compile(r"(?<![\w$\\^/.|)])(\d+|[A-Za-z])\^(-?\d+(?:\.\d+)?|[a-z](?![a-z])|\([^() ]*\))(?![\w^])")


def powers(text: str) -> str:
    """A page of Markdown whose powers, such as 10^8, are formulas; code stays as it is."""
    lines, fence = [], ""
    for line in text.split("\n"):
        mark = re.match(r" *(`{3,})", line)
        if mark:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        is_code = fence or mark or line.startswith("    ")
        pieces = [line] if is_code else re.split(r"(`[^`]*`|\$[^$]*\$)", line)
        lines.append("".join(x if i % 2 or is_code else POWER.sub(_power, x) for i, x in enumerate(pieces)))
    return "\n".join(lines)


def _power(m: re.Match) -> str:
    return f"${m[1]}^{{{m[2].strip('()')}}}$"


# ---- docstrings --------------------------------------------------------------------------------------------


def markdown(docstring: str) -> str:
    """A docstring as Markdown: paragraphs with their letters typeset, indented blocks as formulas."""
    blocks = re.split(rf"\n\s*\n|\n(?={LABEL})", docstring)
    return "\n\n".join(filter(None, map(_block, blocks)))


def _block(block: str) -> str:
    lines = block.split("\n")
    if not block.strip():
        return ""
    if all(line.startswith("    ") or not line.strip() for line in lines):
        if CODE.search(block):
            return _code(textwrap.dedent(block).split("\n"))
        return displayed(textwrap.dedent(block).split("\n"))
    if re.match(r"\w[\w, ]*? {2,}\S", lines[0]):
        return listed(lines)
    for i, line in enumerate(lines):  # a formula right below its sentence
        if line.startswith("    "):
            rest = "\n".join(lines[i:])
            return _block("\n".join(lines[:i])) + "\n\n" + _block(rest) if i else _code(lines)
    return re.sub(rf"^({LABEL}|{SECTION})", r"**\1**", prose(" ".join(block.split())))


def listed(lines: list[str]) -> str:
    """Names and what they are, in columns, as a list."""
    items: list[list[str]] = []
    for line in lines:
        name = re.match(r"(\w[\w, ]*?) {2,}(\S.*)|(\w+) (\S.*)", line)
        if name and not line.startswith(" "):
            items.append([name[1] or name[3], name[2] or name[4]])
        elif items:
            items[-1][1] += " " + line.strip()
    return "\n".join(f"- **{name}**: {prose(words)}" for name, words in items)


def _code(lines: list[str]) -> str:
    return "```text\n" + "\n".join(lines) + "\n```"


def displayed(lines: list[str]) -> str:
    """Lines of a formula, aligned at their first sign of equality where all have one."""
    plain = [re.sub(r" {2,}(?==)", " ", line.strip()) for line in lines if line.strip()]
    columns = [re.split(r"(?<=\S) {3,}(?=\S)", line) for line in plain]
    said = all("=" in row[0] for row in columns)
    if said:
        columns = [part for row in columns for part in _broken(row)]
    rows = []
    for row in columns:
        cells = [words(cell) if _is_words(cell) else tex(cell) for cell in row]
        if said and _is_words(row[0]):
            cells[0] = " &= ".join(words(part.strip()) for part in row[0].split("=", 1))
        elif said:
            cells[0] = cells[0].replace("=", "&=", 1)
        rows.append(r" \qquad ".join(cells))
    begin, end = ("\\begin{split}", "\\end{split}") if said else ("\\begin{array}{l}", "\\end{array}")
    return f"```{{math}}\n{begin}\n" + " \\\\\n".join(rows) + f"\n{end}\n```"


def _broken(row: list[str]) -> list[list[str]]:
    """A long row as several, one for each formula; words stay with the formula before them."""
    if sum(map(len, row)) <= WIDEST or not all("=" in cell or _is_words(cell) for cell in row):
        return [row]
    found: list[list[str]] = []
    for cell in row:
        if _is_words(cell) and found:
            found[-1].append(cell)
        else:
            found.append([cell])
    return found


def _is_words(cell: str) -> bool:
    known = {*GREEK, *FUNCTIONS, *OPERATORS, *SPLIT, "sqrt", "sum"}
    found = [w for w in re.findall(r"[A-Za-z]{2,}", cell) if w not in known]
    return len(found) >= 3 or cell.startswith(("implicit", "explicit"))


def words(cell: str) -> str:
    """Words beside a formula, with the letters among them."""
    return r"\text{" + re.sub(r"\b(Omega|Pi|Psi|Theta|tau)(\d?)", _unicode, cell.replace("_", " ")) + "}"


def _unicode(m: re.Match) -> str:
    letter = {"Omega": "Ω", "Pi": "Π", "Psi": "Ψ", "Theta": "Θ", "tau": "τ"}[m[1]]
    return letter + m[2].translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


_NAMES = "|".join(sorted((*GREEK, *FUNCTIONS, *OPERATORS, *SPLIT, "sqrt", "sum"), key=len, reverse=True))
_MATHY = re.compile(rf"(?:(?:{_NAMES}|hw)(?![a-z])|(?<![A-Za-z])[A-Za-z](?![a-z])|\d|[-+*/^_()\[\]{{}}|'~=<>.,])+")
_STRONG = re.compile(
    rf"(?<![A-Za-z])(?:{'|'.join(GREEK)})(?![a-z])|\^|[A-Za-z0-9)]_|\b(?:exp|cay|sqrt|dexp|hat|O)\(|\b[A-Za-z]\d\b|\|\w+\|"
)
_LONE = set("QhJpqwFTHCrsdyUEPKDYLWR")


def prose(text: str) -> str:
    """A paragraph with formulas in its sentences between dollar signs; what stands in backquotes is code."""
    pieces = re.split(r"(``.*?``|`.*?`)", text)
    return "".join(x.replace("``", "`") if i % 2 else _sentences(x) for i, x in enumerate(pieces))


def plain(text: str) -> str:
    """Words as they are, for descriptions of arguments, which speak of code; what stands in backquotes is code."""
    pieces = re.split(r"(``.*?``|`.*?`)", text)
    return "".join(x.replace("``", "`") if i % 2 else _escaped(x) for i, x in enumerate(pieces))


def _sentences(text: str) -> str:
    """Runs of words that can be mathematics, if one of them must be."""
    found, run = [], []
    for word in [*re.split(r"( +)", text), None]:
        if word is not None and (_MATHY.fullmatch(word.rstrip(".,;:")) or (run and (word.isspace() or word == "."))):
            run.append(word)
            continue
        found += _typeset(run)
        run = []
        if word is not None:
            found.append(_escaped(word))
    return "".join(found)


def _typeset(run: list[str]) -> list[str]:
    """A run as mathematics between the words and signs that are not part of it."""
    before, after = [], []
    while run and (run[0].isspace() or run[0] in ("-", "a", "A", "I", "+", "|")):
        before.append(run.pop(0))
    while run and (run[-1].isspace() or run[-1] in ("-", "a", "A", "I")):
        after.insert(0, run.pop())
    text = "".join(run)
    if not text:
        return [*before, *after]
    head = "(" if text.startswith("(") and text.count("(") > text.count(")") else ""
    core = text[len(head) :].rstrip(".,;:")
    tail = text[len(head) + len(core) :]
    if core.endswith(")") and core.count(")") > core.count("("):
        core, tail = core[:-1], ")" + tail
    balanced = core.count("(") == core.count(")") and core.count("[") == core.count("]") and core.count("|") % 2 == 0
    if balanced and (_STRONG.search(core) or core in _LONE or re.search(r"\S = \S", core)):
        return [*before, head, _side_by_side(core), tail, *after]
    return [*before, _escaped(text), *after]


def _side_by_side(core: str) -> str:
    """Formulas in a row, each by itself: a browser breaks a line between two, never within one."""
    parts, depth, last = [""], 0, ""
    for x in core:
        depth += (x in "([{") - (x in ")]}")
        parts[-1] += x
        if x == " " and last and last in ",;:" and depth == 0:
            parts.append("")
        last = x
    return " ".join(f"${tex(core)}${end}" for core, end in map(_ended, parts))


def _ended(part: str) -> tuple[str, str]:
    """A formula, and the sign after it."""
    part = part.rstrip()
    return (part[:-1], part[-1]) if part[-1] in ",;:" else (part, "")


def _escaped(word: str) -> str:
    return re.sub(r"([*_<|$])", r"\\\1", word)
