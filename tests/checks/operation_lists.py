#!/usr/bin/python3
"""Compares the lists of operations with the rows that the source defines.

    operation_lists.py           prints what is missing, one line each, and exits 1 when anything is
    operation_lists.py --write   first writes the blocks of README.md and docs/differences.md anew

A row is a function named in a family's list (`OperationFamily x_operations()`). Operations that are not built are
those of protocol/model/*.service.json without a row. Each row needs a case in tests/cases, a request in a
*resources_test.cpp and a call in a conformance suite. tests/unit/streams/operation_lists_test.cpp compares the written
blocks with the rows of the compiled program, so this reading of the source cannot differ from it.
"""

import json
import re
import sys

import tree
from tree import ROOT

FAMILY = re.compile(r"^OperationFamily (\w+)\(\) \{(.*?)^\}", re.S | re.M)
# What operations that are not built are for, in the order of the page: (subject, pattern of their names, folder of
# engine/operations that ./dev new operation makes for them).
SUBJECTS = [
    ("Kinesis destinations", "Kinesis", "kinesis"),
    ("backups and point-in-time recovery", "Backup|RestoreTable", "backups"),
    ("exports", "Export", "exports"),
    ("imports", "Import", "imports"),
    ("bulk operations", "Bulk", "bulk"),
    ("global tables", "Global|Replica", "global_tables"),
    ("resource policies", "ResourcePolicy", "policies"),
    ("vector indexes", "Vector", "vectors"),
]
OTHERS = "others"  # no pattern matches: a newer model
# (page, name of the block); a block lies between two comments with its name.
BLOCKS = [("README.md", "built"), ("README.md", "not built"), ("docs/differences.md", "not built")]
CALLERS = (".py", ".mjs", ".js", ".ts", ".go", ".java", ".sh")


def snake_case(name):
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def rows(root):
    """{family's function: [operation]} in the order of the sources."""
    families = {}
    for path in sorted([*root.glob("engine/operations/*/*.cpp"), *root.glob("streams/*.cpp")]):
        for function, body in FAMILY.findall(path.read_text("utf-8")):
            if "kKinesisTarget" in body:  # of another service than DynamoDB
                continue
            families[function] = [operation_of(path.parent, row)
                                  for row in re.findall(r"\b(\w+_row)\(\)", body)]
    order = re.findall(r"(\w+)\(\)[,}]", (root / "engine/api/families.cpp").read_text("utf-8"))
    return {name: families[name] for name in sorted(
        families, key=lambda name: order.index(name) if name in order else len(order))}


def operation_of(folder, row):
    """The name of the operation that a row's function defines."""
    for path in sorted(folder.glob("*.cpp")):
        text = path.read_text("utf-8")
        struct = re.search(rf"^Operation\s{row}\(\) \{{\s*return define<(\w+)>\(\);", text, re.M)
        if struct:
            name = re.search(rf"^struct {struct[1]}\b[^{{]*\{{\s*static constexpr std::string_view name = \"(\w+)\";",
                             text, re.M)
            if name:
                return name[1]
    raise ValueError(f"{folder}: no file defines {row}() as a struct that begins with its name")


def modelled(root):
    """Operations of the API model, in its order."""
    names = []
    for path in sorted(root.glob("protocol/model/*.service.json")):
        names += json.loads(path.read_text("utf-8"))["operations"]
    return names


def by_subject(names):
    """[(subject, [operation])] without empty ones."""
    subjects = {subject: [] for subject, *_ in SUBJECTS} | {OTHERS: []}
    for name in names:
        subjects[next((subject for subject, pattern, _ in SUBJECTS if re.search(pattern, name)), OTHERS)].append(name)
    return [(subject, some) for subject, some in subjects.items() if some]


def block_texts(root):
    """{(page, block): text}, as the rows demand it."""
    families = rows(root)
    built = {name for some in families.values() for name in some}
    missing = by_subject([name for name in modelled(root) if name not in built])
    table = "".join(f"| {subject} | {', '.join(some)} |\n" for subject, some in missing)
    return dict(zip(BLOCKS, [
        "; ".join(", ".join(some) for some in families.values()),
        ", ".join(subject for subject, _ in missing),
        f"\n| Subject | Operations |\n|---|---|\n{table}",
    ]))


def split_at_block(text, page, block):
    """(before, inside, after); the markers belong to what is before and after."""
    match = re.fullmatch(rf"(.*<!-- {block} -->)(.*)(<!-- /{block} -->.*)", text, re.S)
    if not match:
        raise ValueError(f"{page}: no block <!-- {block} --> … <!-- /{block} -->")
    return match.groups()


def write_blocks(root):
    for (page, block), wanted in block_texts(root).items():
        path = root / page
        before, _, after = split_at_block(path.read_text("utf-8"), page, block)
        path.write_text(before + wanted + after, "utf-8")


def without_comments(path):
    text = path.read_text("utf-8")
    mark = {".cases": "--", ".py": "#", ".sh": "#"}.get(path.suffix, "//")
    return "\n".join(line for line in text.split("\n") if not line.lstrip().startswith(mark))


def text_below(root, folder, suffix):
    return "\n".join(map(without_comments, tree.files(suffix, folder, root=root)))


def call_texts(name):
    """How clients call it: boto3, its paginators, the command line, the wire, SDKs of JavaScript, Go and Java."""
    snake, camel = snake_case(name), name[0].lower() + name[1:]
    words = [snake.replace("_", "-"), snake, name, "DynamoDB_20120810." + name]
    return [f".{snake}(", f" {words[0]} ", f" {name}Command(", f".{name}(", f".{camel}(",
            *(quote + word + quote for word in words for quote in "\"'")]


def findings(root):
    families = rows(root)
    built = [name for some in families.values() for name in some]
    known = modelled(root)
    for name in built:
        if name not in known:
            yield f"{name}: no operation of protocol/model/*.service.json"
    for (page, block), wanted in block_texts(root).items():
        if split_at_block((root / page).read_text("utf-8"), page, block)[1] != wanted:
            yield f"{page}: the block \"{block}\" is not what the rows demand: operation_lists.py --write"
    cases = text_below(root, "tests/cases", ".cases")
    resources = text_below(root, "tests/unit", "resources_test.cpp")
    calls = text_below(root, "conformance", CALLERS)
    for name in built:
        if not re.search(rf"\b{name} \{{", cases):
            yield f"{name}: no case in tests/cases: add one that begins with `{name} {{` to a .cases file"
        if f'{{"{name}",' not in resources:
            yield f"{name}: no expectation of resources: add a row `{{\"{name}\", request, what it touches}}` " \
                  "to tests/unit/engine/operations/resources_test.cpp, or to that of its layer"
        if not any(text in calls for text in call_texts(name)):
            yield f"{name}: no conformance suite calls it: add a test with boto3, `.{snake_case(name)}(`, to " \
                  f"{python_suite(root)}, or with any other client"


def python_suite(root):
    """The suite of boto3, wherever below conformance/."""
    return next(iter(sorted(root.glob("conformance/**/python/run")))).parent.relative_to(root)


def main():
    if sys.argv[1:] not in ([], ["--write"]):
        sys.exit(__doc__)
    try:
        if sys.argv[1:]:
            write_blocks(ROOT)
        found = list(findings(ROOT))
        count = sum(len(some) for some in rows(ROOT).values())
    except ValueError as error:
        found, count = [str(error)], 0
    for line in found:
        print(line)
    print(f"operation lists: {count} operations, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
