#!/usr/bin/python3
"""Begins an operation of the API model: its file, its row, and a place for each test that the checks ask for.

    ./dev new operation NAME [FAMILY]

FAMILY is a folder of engine/operations, made when there is none of that name. Without one it is that of the
operation's subject in tests/checks/operation_lists.py. The skeleton compiles, checks the constraints of the model and
answers UnknownOperationException; its tests fail until they are written. Refused: a name that the model does not have,
and an operation that is built. Then nothing is written.
"""

import argparse
import difflib
import json
import pathlib
import re
import runpy
import shutil
import string
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/checks"))
import operation_lists as lists  # noqa: E402
import source_rules  # noqa: E402

TEMPLATES = pathlib.Path(__file__).resolve().parent / "templates"
OPERATIONS = "engine/operations"
FAMILIES = "engine/api/families.cpp"
RESOURCES = "tests/unit/engine/operations/resources_test.cpp"
RULES = "tests/checks/source_rules.py"
MAP = "ARCHITECTURE.md"
READS = r"(Describe|List|Get|Search)[A-Z]"
TABLE_ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/Songs"
# Type in the model -> (type of the request's member, how it is read).
SCALARS = {
    "string": ("std::string_view", "string_member"), "integer": ("std::int64_t", "integer_member"),
    "long": ("std::int64_t", "integer_member"), "boolean": ("bool", "boolean_member"),
}


class Refused(Exception):
    """The text says why nothing is written."""


class Changes:
    """Texts of files to be, by path from the root. Nothing is written before write()."""

    def __init__(self):
        self.texts = {}

    def read(self, path):
        file = ROOT / path
        return self.texts.get(path, file.read_text("utf-8") if file.exists() else "")

    def replace(self, path, pattern, new):
        text, count = re.subn(pattern, lambda match: match.expand(new), self.read(path), count=1, flags=re.S | re.M)
        if count == 0:
            raise Refused(f"{path}: no place for what has to be added ({pattern})")
        self.texts[path] = text

    def write(self):
        for path, text in self.texts.items():
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(text, "utf-8")
        sources = [str(ROOT / path) for path in self.texts if path.endswith((".h", ".cpp"))]
        if shutil.which("clang-format-14"):
            subprocess.run(["clang-format-14", "-i", *sources], check=True)


def template(file, /, **values):
    return string.Template((TEMPLATES / file).read_text("utf-8")).substitute(values)


class Model:
    def __init__(self):
        self.operations, self.shapes = {}, {}
        for path in sorted(ROOT.glob("protocol/model/*.service.json")):
            model = json.loads(path.read_text("utf-8"))
            self.operations.update(model["operations"])
            self.shapes.update(model["shapes"])

    def input_of(self, name):
        """(its shape's name, {member: type}, required members)"""
        shape = self.operations[name]["input"]["shape"]
        members = self.shapes[shape].get("members", {})
        return (shape, {member: self.shapes[at["shape"]]["type"] for member, at in members.items()},
                self.shapes[shape].get("required", []))

    def sample(self, shape_name, member=""):
        """A value that passes the constraints of the model, with what is required alone."""
        shape = self.shapes[shape_name]
        kind, least = shape["type"], int(shape.get("min", 0))
        if kind == "structure":
            return {name: self.sample(shape["members"][name]["shape"], name) for name in shape.get("required", [])}
        if kind == "list":
            return [self.sample(shape["member"]["shape"])] * max(least, 1)
        if kind == "map":
            return {"a": self.sample(shape["value"]["shape"])}
        if kind == "string":
            if "enum" in shape:
                return shape["enum"][0]
            if member.endswith("Arn"):
                return TABLE_ARN
            return "Songs" if member == "TableName" else "a" * max(least, 3)
        return True if kind == "boolean" else max(least, 1)


def find_family(name, wanted):
    """(folder, function of its list, whether it exists)"""
    folder = wanted or next((family for _, pattern, family in lists.SUBJECTS if re.search(pattern, name)), "")
    if not re.fullmatch(r"[a-z][a-z_]*", folder):
        folders = ", ".join(sorted(path.name for path in (ROOT / OPERATIONS).iterdir() if path.is_dir()))
        raise Refused(f"{name}: name a FAMILY, a folder of {OPERATIONS} in snake_case. There are {folders}")
    for path in sorted((ROOT / OPERATIONS / folder).glob("*_operations.cpp")):
        return folder, path.stem, True
    return folder, re.sub("ie$", "y", folder.removesuffix("s")) + "_operations", False


def add_source(changes, model, name, folder):
    """The operation's file."""
    shape, members, required = model.input_of(name)
    fields, values, includes = [], [], {"protocol/model/shapes.h", "protocol/shapes/shape.h"}
    for member, kind in members.items():
        field = lists.snake_case(member)
        if kind in SCALARS:
            kind, read = SCALARS[kind]
            value = f'{read}(body, "{member}")'
            if member in required:
                fields.append(f"{kind} {field};")
                value = "*" + value
            else:
                fields.append(f"std::optional<{kind}> {field};")
        elif kind == "list":
            fields.append(f"std::span<const JsonNode> {field};")
            value = f'list_member(body, "{member}")'
        else:
            fields.append(f"const JsonNode* {field};" + ("" if member in required else "  // nullptr if absent"))
            value = f'body.find("{member}")'
        values.append(value)
    checks = [f"STATOR_CHECK(check_types(body, model::k{shape}));",
              f"STATOR_CHECK(check_constraints(body, model::k{shape}, call.wording));"]
    if "TableName" in required:
        checks = [f"STATOR_CHECK(parse_table_request(body, model::k{shape}, call));"]
        includes.add("engine/tables/table_definition.h")
    changes.texts[f"{OPERATIONS}/{folder}/{lists.snake_case(name)}.cpp"] = template(
        "operation.cpp", name=name, row=row_of(name), includes="".join(f'#include "{one}"\n' for one in sorted(includes)),
        members="\n" + "\n".join(fields) + "\n" if fields else "", checks="\n    ".join(checks),
        values=", ".join(values), mutation="" if re.match(READS, name) else "Mutation& /*mutation*/,",
        resources=resources_of(members, required))


def resources_of(members, required):
    """The function `resources`. A table that the request need not name is taken to narrow a list."""
    begin = "\n  static void resources(const Request& {}, Resources& touched) {{\n"
    for member in ("TableName", "ResourceArn", "TableArn"):
        if member not in members:
            continue
        field = "request." + lists.snake_case(member)
        push = "touched.push_back({.table = " + field + ("" if member in required else '.value_or("")')
        if "IndexName" in members:
            push += ", .index = request.index_name" + ("" if "IndexName" in required else '.value_or("")')
        if member not in required:
            push += ", .reach = Reach::AllTables"
        return begin.format("request") + f"    {push}}});\n  }}\n"
    return (begin.format("/*request*/") +
            "    // TODO: what the request touches.\n    touched.push_back({.reach = Reach::Account});\n  }\n")


def row_of(name):
    return lists.snake_case(name) + "_row"


def add_row(changes, name, folder, function, exists):
    path, row = f"{OPERATIONS}/{folder}/{function}", row_of(name)
    if not exists:
        changes.texts[path + ".h"] = template("family.h", subject=folder.replace("_", " "), function=function)
        changes.texts[path + ".cpp"] = template("family.cpp", header=path + ".h", row=row, function=function)
        changes.replace(FAMILIES, r'((?:#include "engine/operations/[^\n]*\n)+)', rf'\1#include "{path}.h"\n')
        changes.replace(FAMILIES, r"\(\)\};", rf"(), {function}()}};")
        changes.replace(RULES, r"((?:^engine/operations[^\n]*\n)+)", rf"\1{OPERATIONS}/{folder}\n")
        changes.replace(MAP, r"((?:^\| `engine/operations[^\n]*\n)+)",
                        rf"\1| `{OPERATIONS}/{folder}` | {folder.replace('_', ' ')} |\n")
        return
    text = changes.read(path + ".cpp")
    rows = sorted({*re.findall(r"^Operation (\w+)\(\);$", text, re.M), row})
    changes.replace(path + ".cpp", r"(?:^Operation \w+\(\);\n)+", "".join(f"Operation {one}();\n" for one in rows))
    changes.replace(path + ".cpp", r"kRows\{.*?\};", "kRows{\n" + "".join(f"      {one}(),\n" for one in rows) + "  };")


def add_resources(changes, model, name):
    body = json.dumps(model.sample(model.operations[name]["input"]["shape"]), separators=(",", ":"))
    row = f'      {{"{name}", R"({body})", "TODO: the actions and resources that it needs"}},\n'
    changes.replace(RESOURCES, r"(std::vector<AccessRow> rows_of_tables\(\) \{\n.*?  return \{\n.*?)(  \};\n)", r"\1" + row.replace("\\", r"\\") + r"\2")


def add_cases(changes, name, folder):
    path = f"tests/cases/engine/{folder.replace('_', '-')}.cases"
    before = changes.read(path) or f"-- Operations on {folder.replace('_', ' ')}.\n"
    changes.texts[path] = before + template("cases", name=name)


def suite_for(name):
    """The suite with boto3 that knows the operation: Debian's is of 2022. Where none is installed, it is assumed to."""
    packaged = lists.python_suite(ROOT)
    current = packaged.with_name("current_boto3")
    try:
        import botocore.session
    except ImportError:
        return packaged
    known = botocore.session.get_session().get_service_model("dynamodb").operation_names
    return packaged if name in known or not (ROOT / current).is_dir() else current


def add_conformance_test(changes, name, folder):
    suite, file = suite_for(name), f"test_{folder}.py"
    known = [str(path.relative_to(ROOT)) for path in sorted((ROOT / suite).rglob(file))]
    path = known[0] if known else f"{suite}/tables/{file}" if suite.name == "python" else f"{suite}/{file}"
    before = changes.read(path) or f'"""Operations on {folder.replace("_", " ")} with boto3."""\n\nimport pytest\n'
    changes.texts[path] = before + template("conformance_test.py", name=name, snake=lists.snake_case(name))


def left_to_do(changes):
    """The marks in what was written, and what the checks find: of its folders, of the lists."""
    for path in changes.texts:
        for number, line in enumerate((ROOT / path).read_text("utf-8").split("\n"), 1):
            if "TODO" in line and path != RULES:
                yield f"{path}:{number}: {line.strip()}"
    for folder, message in source_rules.folder_findings():
        if any(path.startswith(f"{folder}/") for path in changes.texts):
            yield f"{folder}: {message}"
    # Anew: its own list of folders may have got one more.
    rules = runpy.run_path(str(ROOT / RULES))
    for page, message in rules["map_findings"]():
        yield f"{page}: {message}"
    yield from lists.findings(ROOT)


def begin(name, wanted):
    known = lists.modelled(ROOT)
    if name not in known:
        close = difflib.get_close_matches(name, known, 1)
        raise Refused(f"{name}: no operation of the API model" + (f"; {close[0]} is one" if close else ""))
    if any(name in rows for rows in lists.rows(ROOT).values()):
        raise Refused(f"{name} is built")
    folder, function, exists = find_family(name, wanted)
    model, changes = Model(), Changes()
    add_source(changes, model, name, folder)
    add_row(changes, name, folder, function, exists)
    add_resources(changes, model, name)
    add_cases(changes, name, folder)
    add_conformance_test(changes, name, folder)
    changes.write()
    return changes


def main():
    parser = argparse.ArgumentParser(prog="./dev new", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["operation"])
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("family", metavar="FAMILY", nargs="?")
    asked = parser.parse_args()
    try:
        changes = begin(asked.name, asked.family)
    except (Refused, ValueError) as refused:
        sys.exit(f"dev: {refused}")
    print("Written:")
    for path in changes.texts:
        print(f"  {path}")
    print("What the checks ask for, until it is done:")
    for line in left_to_do(changes):
        print(f"  {line}")
    print("No check asks for what CONTRIBUTING.md's step 6 lists as documents by hand.")


if __name__ == "__main__":
    main()
