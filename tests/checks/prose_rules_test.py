#!/usr/bin/python3
"""prose_rules.py: what it reads as prose, what it finds there, and that counts only fall."""

import sys
import unittest

sys.dont_write_bytecode = True
import prose_rules  # noqa: E402


def rules_in(prose, code=""):
    return [rule for rule, _, _ in prose_rules.hits_in(prose, code)]


class Reading(unittest.TestCase):
    def test_joins_lines_of_a_comment(self):
        text = "// The caller is\n// told once.\nint x;  // From 1.\n"
        self.assertEqual(list(prose_rules.comment_blocks(text)),
                         [(1, "The caller is told once."), (3, "From 1.")])

    def test_leaves_code_and_drawings_alone(self):
        self.assertEqual(list(prose_rules.comment_blocks("//   a | b\nint nobody = 1;\n")), [])

    def test_reads_pages_without_code(self):
        page = "# Head\n\nOne\ntwo.\n- item\n\n```sh\nnobody\n```\n| a | b |\n|---|---|\n"
        self.assertEqual([text.strip() for _, text in prose_rules.paragraphs(page)],
                         ["Head", "One two.", "item", "a", "b"])


class Finding(unittest.TestCase):
    def test_each_rule(self):
        for rule, text in {
                "told": "The log is then told.", "tells": "It tells why.",
                "what becomes": "What becomes of it.", "behind": "Behind the last one.",
                "whoever": "Whoever leads.", "nobody": "nobody", "so many": "so many of them",
                "as far as": "As far as it fits.", "likewise": "The same for tables.",
                "there is": "All that there is.", "kept": "It is then kept.",
                "long sentence": "word " * 41}.items():
            self.assertEqual(rules_in([(1, text)]), [rule], text)

    def test_types(self):
        self.assertEqual(rules_in([], "struct KeptClock {\nclass Asked {\nstruct Failed {"),
                         ["participle type"])
        self.assertEqual(rules_in([], "struct Kept {"), ["participle type"])

    def test_plain_english(self):
        self.assertEqual(rules_in([(1, "Returns the key, so long as the page is open. " * 3)]), [])


class Counting(unittest.TestCase):
    def test_a_rise_is_found_in_known_and_new_folders(self):
        recorded = {"a": {"told": 1}}
        self.assertEqual(prose_rules.compare({"a": {"told": 2}, "b": {"kept": 1}}, recorded),
                         [("a", "told", 2, 1), ("b", "kept", 1, 0)])
        self.assertEqual(prose_rules.compare({"a": {"told": 1}}, recorded), [])

    def test_recording_only_lowers(self):
        recorded = {"a": {"told": 2, "kept": 1}}
        self.assertEqual(prose_rules.lowered({"a": {"told": 1, "kept": 3}}, recorded),
                         {"a": {"told": 1, "kept": 1}})
        self.assertEqual(prose_rules.lowered({"new": {"told": 5}}, recorded), {"new": {"told": 5}})


if __name__ == "__main__":
    unittest.main()
