#!/usr/bin/python3
"""Every relative link of every Markdown page leads to a file of the tree, and to a heading in it.

A code span that is a path of the tree names something that is there. Prints one line per finding and
exits 1 when there is any.
"""

import re
import sys

from tree import ROOT, files

LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")
PATH = re.compile(
    r"`((?:protocol|engine|streams|server|tests|conformance|docs|docker)/[\w./*-]*)`")
ELSEWHERE = ("http://", "https://", "mailto:")


def prose(text):
    """The page without code blocks, line for line."""
    lines, fenced = [], False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            line = ""
        lines.append("" if fenced else line)
    return lines


def anchors(page):
    """How headings are called in links: lower case, without punctuation, blanks as dashes."""
    found, fenced = set(), False
    for line in page.read_text("utf-8").split("\n"):
        fenced ^= line.lstrip().startswith("```")
        heading = None if fenced else re.match(r"#+ (.*)", line)
        if heading:
            found.add(re.sub(r"[^\w\- ]", "", heading[1].lower()).replace(" ", "-"))
    return found


def findings(page):
    for number, line in enumerate(prose(page.read_text("utf-8")), 1):
        for path in PATH.findall(line):
            if not any(ROOT.glob(path)):
                yield number, f"no such file: {path}"
        for target in LINK.findall(re.sub(r"`[^`]*`", "``", line)):
            if target.startswith(ELSEWHERE):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists() or ROOT not in file.parents:
                yield number, f"no such file: {target}"
            elif anchor and (file.suffix != ".md" or anchor not in anchors(file)):
                yield number, f"no such heading: {target}"


def main():
    checked = list(files(".md"))
    count = 0
    for page in checked:
        for number, message in findings(page):
            print(f"{page.relative_to(ROOT)}:{number}: {message}")
            count += 1
    print(f"links: {len(checked)} pages, {count} findings")
    return 1 if count or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
