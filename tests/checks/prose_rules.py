#!/usr/bin/python3
"""Counts phrases that a native reader has to decode, in comments of C++ and in Markdown pages.

    prose_rules.py            compares with prose_counts.json; a count that rises is a finding
    prose_rules.py --record   lowers the recorded counts to the present ones
    prose_rules.py --list RULE [FOLDER]   prints each hit

Counts are per rule and folder and may only fall, so new prose follows CONTRIBUTING.md and old prose is
rewritten room by room. After files move to another folder, delete the counts of both and --record.
"""

import collections
import json
import pathlib
import re
import sys

from tree import ROOT, files

RECORD = pathlib.Path(__file__).with_name("prose_counts.json")
CODE_FOLDERS = ("protocol", "engine", "streams", "server", "tests")
# Pages that quote: what changed when, words to avoid.
NOT_PROSE = ("docs/changelog.md", "docs/internals/words.md")
WORDS_MAX = 40

# Name -> (pattern, what to write). One that begins with `^` or names a type minds capitals.
RULES = {
    "told": (r"\b(?:is|are|was|were|be|been)(?: \w+)? told\b", "name who reports or logs what"),
    "tells": (r"\btells? (?:of|it|them|why|what|when|how|whether|which)\b", "return, report, log"),
    "what becomes": (r"\bwhat (?:becomes?|became|comes?|came) (?:of|to)\b|\bcomes? to nothing\b",
                     "use a noun: result, outcome"),
    "behind": (r"\bbehind (?:it|them|this|that|these|those|all|each|another|which|"
               r"the (?:last|first|one|end|next))\b", "after"),
    "whoever": (r"\bwhoever\b|\bwho (?:asks|tells|reads|writes|checks|watches|comes)\b",
                "name who acts"),
    "nobody": (r"\b(?:nobody|somebody)\b", "name who acts, or use no ... / any ..."),
    "so many": (r"\bso (?:many|much|long)\b(?! (?:as|that)\b)", "give the quantity"),
    "as far as": (r"\bas far as\b|\bwant of\b|\bin the place of\b", "if, when, lack of, instead of"),
    "likewise": (r"^\s*(?:The same|Likewise)\b", "say what it does"),
    "there is": (r"\b(?:what|as|that|which|than) there (?:is|are|was|were)\b|"
                 r"\bthere (?:is|are)[.:;,]", "use a noun"),
    "kept": (r"\b(?:is|are|was|were)(?: \w+)? kept\b", "persisted, retained, stored"),
    "participle type": (r"\b(?:struct|class|enum class|using) (?:Kept|Left|Taken|Undone|"
                        r"(?!Expected|Failed|Keyed|Lowered|Published)[A-Z][a-z]+ed)\b"
                        r"(?=\s*[:{=])", "name it by a noun"),
    "long sentence": (None, f"at most {WORDS_MAX} words, 25 is better"),
}
PATTERNS = {name: re.compile(pattern, 0 if pattern.startswith("^") or "struct" in pattern else re.I)
            for name, (pattern, _) in RULES.items() if pattern}


def comment_blocks(text):
    """Runs of // lines as (line number, text); a comment after code is a run of its own."""
    start, words = 0, []
    for number, line in enumerate(text.split("\n") + [""], 1):
        alone = re.match(r"\s*//+ ?(.*)", line)
        if alone and alone[1].strip() and not alone[1].startswith(" "):  # indented: a table or drawing
            start = start or number
            words.append(alone[1])
            continue
        if words:
            yield start, " ".join(words)
            start, words = 0, []
        trailing = None if alone else re.search(r"\s//+ (.*)", line)
        if trailing:
            yield number, trailing[1]


def paragraphs(text):
    """Paragraphs, list entries and cells of a page as (line number, text), without code."""
    start, words, fenced = 0, [], False

    def flush():
        nonlocal start, words
        if words:
            yield start, " ".join(words)
        start, words = 0, []

    for number, line in enumerate(text.split("\n") + [""], 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            yield from flush()
        elif fenced:
            continue
        elif line.lstrip().startswith("|"):
            yield from flush()
            yield from ((number, cell) for cell in line.split("|") if cell.strip(" -"))
        elif not line.strip() or re.match(r"\s*(?:[-*#>]|\d+\.) ?", line):
            yield from flush()
            if line.strip():
                start, words = number, [line.strip().lstrip("-*#> ")]
        else:
            start = start or number
            words.append(line.strip())
    yield from flush()


def hits_in(prose, code=""):
    """(rule, line number, excerpt) of each hit in [(line number, text)] and in lines of code."""
    for number, text in prose:
        for name, pattern in PATTERNS.items():
            if name == "participle type":
                continue
            for match in pattern.finditer(text):
                yield name, number, text[max(match.start() - 30, 0):match.end() + 30]
        for sentence in re.split(r"(?<=[.!?:;]) +", text):
            if len(sentence.split()) > WORDS_MAX:
                yield "long sentence", number, sentence[:80]
    for number, line in enumerate(code.split("\n"), 1):
        if PATTERNS["participle type"].search(line):
            yield "participle type", number, line.strip()


def hits():
    """(folder, path, rule, line number, excerpt) over the tree."""
    for folder in CODE_FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                name, text = path.relative_to(ROOT), path.read_text("utf-8")
                for rule, number, excerpt in hits_in(comment_blocks(text), text):
                    yield str(name.parent), str(name), rule, number, excerpt
    for path in files(".md"):
        name = path.relative_to(ROOT)
        if str(name).startswith(NOT_PROSE):
            continue
        for rule, number, excerpt in hits_in(paragraphs(path.read_text("utf-8"))):
            yield f"{name.parent}/*.md", str(name), rule, number, excerpt


def compare(counts, recorded):
    """(folder, rule, count, recorded count) of those that rose."""
    return [(folder, rule, count, recorded.get(folder, {}).get(rule, 0))
            for folder, rules in counts.items() for rule, count in rules.items()
            if count > recorded.get(folder, {}).get(rule, 0)]


def lowered(counts, recorded):
    """What is recorded next: folders without a record begin with their counts, others only fall."""
    result = {}
    for folder, rules in counts.items():
        bound = recorded.get(folder)
        result[folder] = {rule: count if bound is None else min(count, bound.get(rule, 0))
                          for rule, count in rules.items()}
    return {folder: {rule: count for rule, count in rules.items() if count}
            for folder, rules in result.items()}


def main(arguments):
    found = list(hits())
    if arguments[:1] == ["--list"]:
        for folder, path, rule, number, excerpt in found:
            if rule == arguments[1] and (len(arguments) < 3 or folder.startswith(arguments[2])):
                print(f"{path}:{number}: {excerpt}")
        return 0
    counts = collections.defaultdict(collections.Counter)
    for folder, _, rule, _, _ in found:
        counts[folder][rule] += 1
    recorded = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    if arguments == ["--record"]:
        RECORD.write_text(json.dumps(lowered(counts, recorded), indent=1, sort_keys=True) + "\n", "utf-8")
        return 0
    risen = compare(counts, recorded)
    for folder, rule, count, bound in risen:
        print(f"{folder}: '{rule}' {count} times, {bound} recorded: {RULES[rule][1]}")
        for its_folder, path, its_rule, number, excerpt in found:
            if (its_folder, its_rule) == (folder, rule):
                print(f"  {path}:{number}: {excerpt}")
    total = sum(sum(rules.values()) for rules in counts.values())
    print(f"prose rules: {total} phrases left, {len(risen)} counts rose")
    return 1 if risen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
