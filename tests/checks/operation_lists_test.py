#!/usr/bin/python3
"""operation_lists.py: what it reads as rows and calls, and that each kind of gap is a finding."""

import functools
import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import operation_lists as lists  # noqa: E402

# The folder of packages that suites fetch.
FETCHED = "node_modules"


class Tree(unittest.TestCase):
    """A copy of what the check reads, to take something away from."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        for path in self.read_files():
            there = self.root / path.relative_to(lists.ROOT)
            there.parent.mkdir(parents=True, exist_ok=True)
            there.symlink_to(path)

    def tearDown(self):
        self.folder.cleanup()

    @staticmethod
    @functools.cache
    def read_files():
        """Once for all tests: the packages that suites have fetched may be thousands of files."""
        return list(Tree.found_files())

    @staticmethod
    def found_files():
        for pattern in ("README.md", "docs/differences.md", "engine/api/families.cpp", "engine/operations/*/*.cpp",
                        "streams/*.cpp", "protocol/model/*.json", "tests/cases/**/*.cases",
                        "tests/unit/**/*resources_test.cpp", "conformance/**/*.py", "conformance/**/python/run"):
            yield from (path for path in lists.ROOT.glob(pattern)
                        if path.is_file() and FETCHED not in path.relative_to(lists.ROOT).parts)

    def change(self, pattern, old, new):
        """Replaces a regular expression in all files of the pattern; some file has it."""
        changed = 0
        for path in self.root.glob(pattern):
            text = path.read_text("utf-8")
            if re.search(old, text):
                path.unlink()
                path.write_text(re.sub(old, new, text), "utf-8")
                changed += 1
        self.assertGreater(changed, 0, f"{old} in {pattern}")

    @staticmethod
    def calls(name):
        return "|".join(map(re.escape, lists.call_texts(name)))

    def found(self):
        return list(lists.findings(self.root))

    def assert_found(self, *beginnings):
        found = self.found()
        self.assertEqual(len(found), len(beginnings), found)
        for line, beginning in zip(found, beginnings):
            self.assertTrue(line.startswith(beginning), line)


class Gaps(Tree):
    def test_a_row_without_a_case(self):
        self.change("tests/cases/engine/*.cases", r"UntagResource \{", "Untag {")
        self.assert_found("UntagResource: no case in tests/cases: add one that begins with `UntagResource {`")

    def test_a_row_without_resources(self):
        self.change("tests/unit/engine/operations/resources_test.cpp", '{"Scan",', '{"Query",')
        self.assert_found("Scan: no expectation of resources: add a row `{\"Scan\",")

    def test_a_row_without_a_call(self):
        self.change("conformance/**/*.py", self.calls("DescribeLimits"), "nothing")
        self.assert_found("DescribeLimits: no conformance suite calls it: add a test with boto3, `.describe_limits(`")

    def test_a_call_in_a_comment_is_none(self):
        self.change("conformance/**/*.py", self.calls("DescribeLimits"), r"nothing\n# \g<0>")
        self.assert_found("DescribeLimits: no conformance suite calls it")

    def test_a_row_that_was_removed(self):
        self.change("engine/operations/tags/tag_operations.cpp", r" +tag_resource_row\(\),\n", "")
        self.assert_found('README.md: the block "built"', 'README.md: the block "not built"',
                          'docs/differences.md: the block "not built"')

    def test_a_page_that_was_edited(self):
        self.change("README.md", "GetItem, ", "")
        self.assert_found('README.md: the block "built"')

    def test_writing_makes_pages_true(self):
        self.change("README.md", "GetItem, ", "")
        self.change("docs/differences.md", ".*SearchVectors.*\n", "")
        lists.write_blocks(self.root)
        self.assertEqual(self.found(), [])
        for page in ("README.md", "docs/differences.md"):
            self.assertEqual((self.root / page).read_text(), (lists.ROOT / page).read_text())

    def test_a_page_without_its_block(self):
        self.change("README.md", "<!-- /built -->", "")
        with self.assertRaisesRegex(ValueError, "README.md: no block <!-- built -->"):
            self.found()

    def test_an_operation_that_the_model_does_not_have(self):
        self.change("engine/operations/reads/scan.cpp", 'name = "Scan"', 'name = "Scans"')
        self.assertEqual(self.found()[0], "Scans: no operation of protocol/model/*.service.json")

    def test_a_row_without_a_definition(self):
        self.change("engine/operations/reads/scan.cpp", "Operation scan_row", "Operation other_row")
        with self.assertRaisesRegex(ValueError, r"no file defines scan_row\(\)"):
            self.found()


class Reading(unittest.TestCase):
    def test_calls_of_all_clients(self):
        calls = lists.call_texts("DescribeTimeToLive")
        for text in ("client.describe_time_to_live(TableName='x')", 'get_paginator("describe_time_to_live")',
                     "aws dynamodb describe-time-to-live --table-name x", '"DynamoDB_20120810.DescribeTimeToLive"',
                     'call("DescribeTimeToLive", {})', "new DescribeTimeToLiveCommand({})",
                     "client.DescribeTimeToLive(ctx, nil)", "client.describeTimeToLive(request)"):
            self.assertTrue(any(call in text for call in calls), text)
        for text in ("def test_describe_time_to_live(", "describe time to live", "DescribeTimeToLiveInput"):
            self.assertFalse(any(call in text for call in calls), text)

    def test_subjects(self):
        self.assertEqual(lists.by_subject(["PaintTable", "SearchVectors", "CreateGlobalTable"]),
                         [("global tables", ["CreateGlobalTable"]), ("vector indexes", ["SearchVectors"]),
                          ("others", ["PaintTable"])])

    def test_the_repository_has_no_findings(self):
        self.assertEqual(list(lists.findings(lists.ROOT)), [])


if __name__ == "__main__":
    unittest.main()
