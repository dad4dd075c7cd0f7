#!/usr/bin/python3
"""House rules that no compiler checks, over the C++ of the tree.

Layer direction and where third-party headers may appear, length of lines, files and functions,
words that have no place here, a comment that opens each file (a source file may leave that to its
header), headers nobody includes, sources nobody compiles, paths and sections that comments cite.
Prints one line per finding and exits 1 when there is any.
"""

import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAYERS = ["protocol", "engine", "streams", "server"]  # each may include itself and those before it
# Rooms of the engine: each may include itself and those before it; engine/*.h stands behind all.
ROOMS = ["seams", "schema", "capacity", "storage", "call", "state", "indexes", "items", "pages",
         "maintenance", "operations"]
# Families of operations -> families each may include besides itself and operations/*, which in turn
# includes none.
FAMILIES = {"batches": ["items"], "items": [], "reads": [], "tables": ["tags"], "tags": [],
            "partiql": ["items", "reads", "transactions"], "transactions": ["items"]}
COLUMNS_MAX = 100
FILE_LINES_MAX = {"source": 450, "test": 900}
FUNCTION_LINES_MAX = {"source": 60, "test": 120}

# Third-party include -> files that may see it (regular expressions on the path).
CONTAINED = [
    (r"<lmdb\.h>", r"engine/storage/"),
    (r"<rapidjson/", r"protocol/json_(reader|stream|writer|tree)\.(h|cpp)$"),
    (r"<spdlog/", r"server/log\.(h|cpp)$"),
    (r"<CLI/", r"server/(command_mistakes\.(h|cpp)|(command_|data/data_)?options\.cpp|option_values\.h|server_flags\.(h|cpp))$"),
    (r"<boost/", r"(server|tests/unit/server|tests/bench)/"),
    (r"<openssl/", r"(server|tests/unit/server)/|engine/storage/(digest|key_codec|seal)\.cpp"),
    (r"<zlib\.h>", r"(server|tests/unit/server)/"),
    (r"<libdeflate\.h>", r"server/compression\.cpp|engine/storage/kept_pages\.cpp"),
    (r"<prometheus/", r"server/metrics/metric_family\.(h|cpp)$"),
    (r"<catch2/", r"tests/"),
]
COROUTINES = r"(server/(session|listener|app)\.(h|cpp)|tests/bench/bare_server\.cpp)$"

# Word -> (files where it is allowed, why it is not welcome elsewhere).
BANNED = [
    (r"\b(TODO|FIXME|XXX|HACK)\b", None, "leave no work behind"),
    (r"\busing namespace std;", None, "names the standard library wholesale"),
    (r"\[[=]\]|\[=,", None, "lambdas name their captures"),
    (r"\b(sleep_for|sleep_until|usleep|nanosleep)\b", None, "wait for an event instead"),
    (r"\b(strcpy|strcat|sprintf|gets|atoi|atol|atof)\s*\(", None, "unbounded or unchecked"),
    (r"\bstd::rand\b|\bsrand\b|\brandom_device\b|\bmt19937(_64)?\b", r"engine/seams/random\.|tests/",
     "randomness comes from engine/seams/random.h"),
    (r"system_clock::now|\btime\(nullptr\)|\bgettimeofday\b", r"engine/seams/clock\.|tests/|server/log\.",
     "time comes from engine/seams/clock.h"),
    (r"\bgetenv\b", r"server/(server_flags|data/data_options)\.cpp|tests/",
     "the environment is read where command lines are"),
    (r"\bstd::cout\b", r"tests/", "stdout carries one line, written in server/main.cpp"),
    (r"\bnew [A-Za-z_:]+[({[]", r"protocol/arena\.", "owned by nobody"),
    (r"\bco_(await|return|yield)\b", COROUTINES, "coroutines stay in few files of server/"),
]


def strip_strings_and_comments(line):
    """Blanks literals and a trailing comment, so that rules see code only."""
    line = re.sub(r'"(\\.|[^"\\])*"', '""', line)
    line = re.sub(r"'(\\.|[^'\\])'", "' '", line)
    return re.sub(r"//.*", "", line)


def layer_findings(path, lines):
    parts = path.split("/")
    if parts[0] in LAYERS:
        own = parts[0]
    elif parts[:2] == ["tests", "unit"] and len(parts) > 3:
        own = parts[2]
    elif parts[:2] == ["tests", "model"]:
        own = "engine"
    else:
        return
    allowed = LAYERS[: LAYERS.index(own) + 1]
    for number, line in enumerate(lines, 1):
        match = re.match(r'\s*#\s*include\s+"([^"/]+)(/?)', line)
        if not match:
            continue
        if not match[2]:
            yield number, "include by the path from the root"
        elif match[1] in LAYERS and match[1] not in allowed:
            yield number, f"{own} must not include {match[1]}"


def room_findings(path, lines):
    """Between rooms of the engine includes point one way."""
    def room_of(name):
        parts = name.split("/")
        if parts[0] != "engine":
            return None
        return ROOMS.index(parts[1]) if len(parts) > 2 else len(ROOMS)

    own = room_of(path)
    if own is None:
        return
    for number, line in enumerate(lines, 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        other = room_of(match[1]) if match else None
        if other is not None and other > own:
            yield number, f"{path.split('/')[1]} must not include {match[1]}"


def family_findings(path, lines):
    """Families of operations do not include each other in circles."""
    def family_of(name):
        parts = name.split("/")
        return parts[2] if parts[:2] == ["engine", "operations"] and len(parts) > 3 else None

    if not path.startswith("engine/operations/"):
        return
    own = family_of(path)
    if own is not None and own not in FAMILIES:
        yield 1, f"{own} is no family listed in FAMILIES"
        return
    for number, line in enumerate(lines, 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        other = family_of(match[1]) if match else None
        if other not in (None, own, *FAMILIES.get(own, [])):
            yield number, f"{own or 'operations'} must not include {match[1]}"


def word_findings(path, lines):
    raw_string = False
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS_MAX and 'R"' not in line and not raw_string:
            yield number, f"{len(line)} columns, at most {COLUMNS_MAX}"
        if 'R"' in line and ')"' not in line.split('R"', 1)[1]:
            raw_string = True
        elif raw_string:
            raw_string = not re.search(r'\)[a-zA-Z_]*"', line)
            continue
        if "\t" in line or line != line.rstrip():
            yield number, "tab or trailing space"
        include = re.match(r"\s*#\s*include\s+(<[^>]+>)", line)
        for pattern, where in CONTAINED:
            if include and re.match(pattern, include[1]) and not re.search(where, path):
                yield number, f"{include[1]} belongs in {where}"
        code = strip_strings_and_comments(line)
        if "unique_ptr" in " ".join(lines[max(number - 2, 0) : number]):
            code = code.replace("new ", "")  # a private constructor: owned at once
        for pattern, where, why in BANNED:
            text = line if "TODO" in pattern else code
            if re.search(pattern, text) and not (where and re.search(where, path)):
                yield number, f"{re.search(pattern, text)[0].strip()}: {why}"


CITED = re.compile(
    r"(?<![\w/.])((?:protocol|engine|streams|server|tests|conformance|docs|docker)/[\w./*-]*\w"
    r"|[\w./-]+\.md(?!\w))(?: (\d+(?:\.\d+)*))?")


def citation_findings(path, lines):
    """What a comment cites is there: from the root, or a page beside the file; a number behind a
    page is a section's. Of Python, where comments are hard to tell, pages of facts alone."""
    is_python = path.endswith(".py")
    for number, line in enumerate(lines, 1):
        comment = line if is_python else line.partition("//")[2]
        for cited, section in CITED.findall(comment):
            if is_python and not cited.startswith("conformance/observed/"):
                continue
            found = [*ROOT.glob(cited), *(ROOT / path).parent.glob(cited)]
            if not found:
                yield number, f"cites {cited}, which is not there"
            elif section and not re.search(rf"^#+ {re.escape(section)}[. ]",
                                           found[0].read_text("utf-8"), re.M):
                yield number, f"cites {cited} {section}, which has no such section"


NOT_A_FUNCTION = re.compile(
    r"\s*(namespace|class|struct|enum|union|if|else|for|while|switch|do|try|catch|case|default|"
    r"extern|return|static_assert|constexpr std::array|[}\])])\b|\s*}")


def function_findings(kind, lines):
    """Formatted code: a body opens with a line that ends in `) {` or like it and closes with a
    brace at the same depth of indentation as the statement that opened it."""
    limit = FUNCTION_LINES_MAX[kind]
    for start, line in enumerate(lines):
        if not line.endswith("{") or NOT_A_FUNCTION.match(line):
            continue
        opener = line
        first = start
        # Its first line: behind arguments in several lines, and a constructor's initializers.
        while first > 0 and (opener.count(")") > opener.count("(")
                             or re.match(r"\s+[:,] ", lines[first])):
            first -= 1
            opener = lines[first] + opener
        if "(" not in opener or NOT_A_FUNCTION.match(lines[first]):
            continue
        indent = len(lines[first]) - len(lines[first].lstrip())
        for end in range(start + 1, len(lines)):
            if re.match(rf" {{{indent}}}}}", lines[end]):
                if end - first + 1 > limit:
                    yield first + 1, f"a function of {end - first + 1} lines, at most {limit}"
                break


def findings(path, text):
    lines = text.split("\n")
    kind = "test" if path.startswith("tests/") else "source"
    if not text.endswith("\n") or text.endswith("\n\n"):
        yield len(lines), "end the file with one newline"
    if len(lines) - 1 > FILE_LINES_MAX[kind]:
        yield 1, f"{len(lines) - 1} lines, at most {FILE_LINES_MAX[kind]}: look for a seam"
    has_header = (ROOT / path).with_suffix(".h").exists() or path.endswith("_test.cpp")
    if not has_header and not any(line.startswith("//") for line in lines[:4]):
        yield 1, "open the file with what it is for"
    if path.endswith(".h") and "#pragma once" not in lines:
        yield 1, "no #pragma once"
    yield from layer_findings(path, lines)
    yield from room_findings(path, lines)
    yield from family_findings(path, lines)
    yield from word_findings(path, lines)
    yield from citation_findings(path, lines)
    yield from function_findings(kind, lines)


def main():
    files = sorted(
        path for folder in LAYERS + ["tests"] for suffix in ("h", "cpp")
        for path in (ROOT / folder).rglob(f"*.{suffix}"))
    texts = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in files}
    count = 0
    included = set()
    for path, text in texts.items():
        included.update(re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M))
        for number, message in findings(path, text):
            print(f"{path}:{number}: {message}")
            count += 1
    for file in (*ROOT.glob("tests/**/*.py"), *ROOT.glob("conformance/*/*.py")):
        path = str(file.relative_to(ROOT))
        for number, message in citation_findings(path, file.read_text("utf-8").split("\n")):
            print(f"{path}:{number}: {message}")
            count += 1
    names = {}
    for path in texts:
        other = names.setdefault(pathlib.PurePath(path).name, path)
        if other != path:
            print(f"{path}:1: {other} has the same name")
            count += 1
    listed = re.findall(r"[a-z0-9_/*]+\.cpp", (ROOT / "CMakeLists.txt").read_text("utf-8"))
    for path in texts:
        if path.endswith(".h") and path not in included:
            print(f"{path}:1: nobody includes this header")
            count += 1
        if path.endswith(".cpp") and not any(fnmatch.fnmatch(path, entry) for entry in listed):
            print(f"{path}:1: not listed in CMakeLists.txt")
            count += 1
    print(f"source rules: {len(texts)} files, {count} findings")
    return 1 if count or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
