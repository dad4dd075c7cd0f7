#!/usr/bin/python3
"""./dev new operation, in a copy of the tree: what it writes compiles, is no success yet, and its gaps are findings."""

import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
COPIED = (".clang-format", "ARCHITECTURE.md", "README.md", "docs/differences.md", ".ci", "engine", "streams/*.cpp", "tests/checks", "tests/cases/engine",
          "tests/cases/streams", "tests/unit/engine/operations", "tests/unit/streams", "conformance/**/*.py",
          "conformance/**/python/run")
LINKED = ("protocol",)  # read alone


class Checkout(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        for pattern in COPIED:
            for path in ROOT.glob(pattern):
                there = self.root / path.relative_to(ROOT)
                there.parent.mkdir(parents=True, exist_ok=True)
                if path.is_dir():
                    shutil.copytree(path, there, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copyfile(path, there)
        for name in LINKED:
            (self.root / name).symlink_to(ROOT / name)

    def tearDown(self):
        self.folder.cleanup()

    def texts(self):
        return {path.relative_to(self.root): path.read_text("utf-8") for path in self.root.rglob("*") if path.is_file()}

    def new(self, *arguments, status=0):
        """What it says, on stdout or stderr."""
        done = subprocess.run([self.root / ".ci/new_operation.py", "operation", *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stderr if status else done.stdout

    def findings(self, *arguments):
        done = subprocess.run([self.root / "tests/checks/operation_lists.py", *arguments], capture_output=True, text=True)
        return done.stdout.splitlines()[:-1]

    def assert_compiles(self, sources):
        shapes = self.root / "generated/protocol/model/shapes.h"
        shapes.parent.mkdir(parents=True)
        model = ROOT / "protocol/model"
        subprocess.run([sys.executable, model / "generate.py", "--overlay", model / "overlay.toml", "--output", shapes,
                        *sorted(model.glob("*.service.json"))], check=True)
        (self.root / "all.cpp").write_text("".join(f'#include "{source}"\n' for source in sources))
        done = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow",
                               "-Werror", "-I.", "-Igenerated", "all.cpp"], cwd=self.root, capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr[:4000])

    def script(self):
        """The script as a module that works on the copy."""
        spec = importlib.util.spec_from_file_location("new_operation", self.root / ".ci/new_operation.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def unbuilt(self, fits=lambda script, name: True):
        """The operations of the model that are not built and fit, one after the other, in its order."""
        script = self.script()
        built = {name for some in script.lists.rows(self.root).values() for name in some}
        return (name for name in script.lists.modelled(self.root) if name not in built and fits(script, name))

    def one_unbuilt(self, fits):
        name = next(self.unbuilt(fits), None)
        if name is None:
            self.skipTest("no such operation is left to build")
        return name

    def every_operation(self):
        """Begins all that are not built; returns the sources."""
        script = self.script()
        written = {path for name in list(self.unbuilt()) for path in script.begin(name, None).texts}
        return sorted(path for path in written if path.startswith("engine/") and path.endswith(".cpp"))


SUITE = next(ROOT.glob("conformance/**/python/run")).parent.relative_to(ROOT)


def in_packaged_boto3(script, name):
    return script.suite_for(name) == SUITE


def begins_a_family(script, name):
    return (in_packaged_boto3(script, name) and not script.find_family(name, None)[2]
            and not is_called(script.lists, name))


def is_called(lists, name):
    """Suites send some operations that are not built, to see them refused."""
    calls = lists.text_below(ROOT, "conformance", lists.CALLERS)
    return any(text in calls for text in lists.call_texts(name))


def writes_to_a_table(script, name):
    _, members, required = script.Model().input_of(name)
    return "TableName" in required and "IndexName" not in members and not re.match(script.READS, name)


class Operation(Checkout):
    def test_a_first_operation_of_a_family(self):
        name = self.one_unbuilt(begins_a_family)
        script = self.script()
        family, function, _ = script.find_family(name, None)
        folder, snake, words = f"engine/operations/{family}", script.lists.snake_case(name), family.replace("_", " ")
        cases, calls = f"tests/cases/engine/{family.replace('_', '-')}.cases", f"{SUITE}/tables/test_{family}.py"
        before = self.texts()
        told = self.new(name)
        changed = {str(path): text for path, text in self.texts().items() if before.get(path) != text}
        lists = ["engine/api/families.cpp", "tests/checks/source_rules.py", "ARCHITECTURE.md",
                 f"{folder}/{function}.h", f"{folder}/{function}.cpp"]
        marked = [f"{folder}/{snake}.cpp", "tests/unit/engine/operations/resources_test.cpp", cases, calls]
        self.assertEqual(sorted(changed), sorted(lists + marked))
        self.assertIn("return Error::unknown_operation();", changed[f"{folder}/{snake}.cpp"])
        self.assertRegex(changed["tests/checks/source_rules.py"],
                         rf"\nengine/operations/\w+\n{folder}\nengine/(?!operations)")
        findings = self.findings()
        for beginning in ('README.md: the block "built"', 'docs/differences.md: the block "not built"',
                          f"{name}: no case in tests/cases", f"{name}: no conformance suite calls it"):
            self.assertTrue(any(line.startswith(beginning) for line in findings), (beginning, findings))
        for line in findings:
            self.assertIn(line, told)
        self.assertRegex(changed["ARCHITECTURE.md"], rf"\n\| `{folder}` \| {words} \|\n\| `engine/(?!oper)")
        self.assertNotIn("ARCHITECTURE.md: ", told)
        marks = [line for line in told.splitlines() if "TODO" in line]
        for path in marked:
            self.assertTrue(any(path in line for line in marks), (path, marks))
        self.assertEqual(self.new(name, status=1), f"dev: {name} is built\n")
        # What a developer adds, as far as the lists look at it.
        with (self.root / cases).open("a") as file:
            file.write(name + " {A: a} -> ValidationException: too short\n")
        with (self.root / calls).open("a") as file:
            file.write(f'    dynamodb.{snake}(A="a")\n')
        self.assertEqual(self.findings("--write"), [])

    def test_one_more_of_a_family(self):
        name = self.one_unbuilt(writes_to_a_table)
        snake = self.script().lists.snake_case(name)
        self.new(name, "tables")
        rows = (self.root / "engine/operations/tables/table_operations.cpp").read_text()
        self.assertEqual(rows.count(snake + "_row();"), 1)
        self.assertEqual(rows.count("_row();"), rows.count("_row(),"))
        file = (self.root / f"engine/operations/tables/{snake}.cpp").read_text()
        self.assertIn("Mutation& /*mutation*/", file)
        self.assertIn("touched.push_back({.table = request.table_name});", file)

    def test_a_full_folder_is_a_finding(self):
        for number in range(25):
            (self.root / f"engine/operations/tags/more_{number}.h").write_text("")
        name = self.one_unbuilt(lambda script, name: True)
        self.assertIn("engine/operations/tags: ", self.new(name, "tags"))

    def test_tests_go_where_the_family_has_some(self):
        name = self.one_unbuilt(in_packaged_boto3)
        file = self.root / SUITE / "test_petals.py"
        file.write_text('"""Petals."""\n')
        self.new(name, "petals")
        self.assertIn(f"def test_{self.script().lists.snake_case(name)}(", file.read_text())

    def test_tests_go_where_boto3_knows_the_operation(self):
        name = self.one_unbuilt(lambda script, name: not in_packaged_boto3(script, name))
        self.new(name, "petals")
        file = self.root / SUITE.with_name("current_boto3") / "test_petals.py"
        self.assertIn(f"def test_{self.script().lists.snake_case(name)}(", file.read_text())

    def test_all_operations_of_the_model_compile(self):
        self.assert_compiles(self.every_operation())

    def test_refused(self):
        before = self.texts()
        name = self.one_unbuilt(lambda script, name: True)
        for arguments, text in (
                (["DescribeBackups"], "DescribeBackups: no operation of the API model; DescribeBackup is one"),
                (["GetItem"], "GetItem is built"),
                ([name, "../x"], f"{name}: name a FAMILY, a folder of engine/operations in snake_case")):
            self.assertTrue(self.new(*arguments, status=1).startswith("dev: " + text))
        self.assertEqual(self.texts(), before)


if __name__ == "__main__":
    unittest.main()
