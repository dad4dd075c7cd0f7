#!/usr/bin/python3
"""protocol/model/generate.py: what it writes, what it refuses, and that the model in the tree and
the overlay fit each other."""

import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[4] / "protocol/model"
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("generate", FOLDER / "generate.py")
generate = importlib.util.module_from_spec(spec)
sys.modules["generate"] = generate
spec.loader.exec_module(generate)

MODEL = {
    "metadata": {"targetPrefix": "Paint_1"},
    "operations": {"Mix": {"input": {"shape": "MixInput"}}},
    "shapes": {
        "MixInput": {"type": "structure", "required": ["Name"], "members": {
            "Colours": {"shape": "Colours"}, "Name": {"shape": "Name"}, "At": {"shape": "Time"},
            "Cans": {"shape": "Cans"}, "Note": {"shape": "Text"}}},
        "Colours": {"type": "list", "member": {"shape": "Colour"}, "min": 1, "max": 3},
        "Colour": {"type": "string", "enum": ["RED", "BLUE", "GREEN"]},
        "Name": {"type": "string", "min": 1, "max": 9},
        "Time": {"type": "timestamp"},
        "Cans": {"type": "map", "key": {"shape": "Name"}, "value": {"shape": "AttributeValue"}},
        "AttributeValue": {"type": "structure", "members": {"L": {"shape": "Values"}}},
        "Values": {"type": "list", "member": {"shape": "AttributeValue"}},
        "Text": {"type": "string"},
        "MixOutput": {"type": "structure", "members": {}},
    },
}


def header(overlay="", **shapes):
    model = {**MODEL, "shapes": {**MODEL["shapes"], **shapes}}
    return generate.generate([json.dumps(model)], overlay)


def table(name, text):
    """The initializer of a table, white space made one space."""
    start = text.index(f" {name}{{") + len(name) + 2
    return " ".join(text[start : text.index("};", start)].split()).removesuffix(",")


class Tables(unittest.TestCase):
    def test_model_alone(self):
        text = header()
        self.assertEqual(
            table("kMixInputFields", text),
            'FieldSpec{"Colours", &kColours}, FieldSpec{"Name", &kName, true}, '
            'FieldSpec{"At", &kTimestampType}, FieldSpec{"Cans", &kCans}, '
            'FieldSpec{"Note", &kStringType}')
        self.assertEqual(table("kColours", text), ".kind = TypeSpec::Kind::List, "
                         ".element = &kColour, .min = 1, .max = 3")
        self.assertEqual(table("kColourValues", text), '"RED", "BLUE", "GREEN"')
        self.assertEqual(table("kCans", text), ".kind = TypeSpec::Kind::Map, "
                         ".element = &kAttributeValueType")
        self.assertEqual(table("kRequests", text), 'Request{"Paint_1", "Mix", &kMixInput}')
        self.assertNotIn("MixOutput", text)
        self.assertLess(text.index(" kColour{"), text.index(" kColours{"))

    def test_constraints(self):
        text = header("""
            [shape.Name]
            min = 3
            pattern = "[a-zA-Z0-9_.-]+"
            table_arn_too = true
            [shape.Colours]
            unchecked = ["max"]
            [shape.Colour]
            values = ["GREEN"]
            enveloped_enum_text = "No such colour"
            [shape.Cans]
            keys_yield = true""")
        self.assertEqual(table("kName", text), ".kind = TypeSpec::Kind::String, .min = 3, "
                         ".max = 9, .name_pattern = true, .table_arn_too = true")
        self.assertTrue(table("kColours", text).endswith(".min = 1"))
        self.assertEqual(table("kColourValues", text), '"GREEN", "RED", "BLUE"')
        self.assertIn('.enveloped_enum_text = "No such colour"', table("kColour", text))
        self.assertIn(".table_keys = true, .keys_yield = true", table("kCans", text))

    def test_members(self):
        text = header("""
            [shape.MixInput]
            order = ["Name", "Cans"]
            optional = ["Name"]
            required = ["Colours"]
            omits = ["At"]
            adds = { Shade = "Colour" }""")
        self.assertEqual(
            table("kMixInputFields", text),
            'FieldSpec{"Name", &kName}, FieldSpec{"Cans", &kCans}, '
            'FieldSpec{"Colours", &kColours, true}, FieldSpec{"Note", &kStringType}, '
            'FieldSpec{"Shade", &kColour}')
        self.assertNotIn("kMixInputFields", header("[shape.MixInput]\nopaque = true"))

    def test_variants(self):
        text = header("""
            [variant.LoneColour]
            of = "Colour"
            reported_alone = true
            [variant.LoneColours]
            of = "Colours"
            element = "LoneColour"
            [variant.OldMixInput]
            of = "MixInput"
            members = { Colours = "LoneColours" }""")
        self.assertIn("&kColours}", table("kMixInputFields", text))
        self.assertIn("&kLoneColours}", table("kOldMixInputFields", text))
        self.assertIn('.name = "MixInput"', table("kOldMixInput", text))
        self.assertIn(".is_reported_alone = true", table("kLoneColour", text))


class Refusals(unittest.TestCase):
    def refused(self, pattern, overlay="", **shapes):
        with self.assertRaisesRegex(generate.Refused, pattern):
            header(overlay, **shapes)

    def test_names_that_the_model_does_not_have(self):
        for overlay in ["[shape.Colors]\nmin = 2", "[shape.MixOutput]\nopaque = true",
                        '[variant.Old]\nof = "Colors"', "[variant.Old]",
                        '[variant.Name]\nof = "Colours"',
                        '[shape.MixInput]\nadds = { X = "Nowhere" }']:
            with self.subTest(overlay):
                self.refused("no request has|no shape|name is taken", overlay)
        for keyword in ("required", "optional", "omits", "order"):
            with self.subTest(keyword):
                self.refused(f"MixInput.{keyword}: .*Names", f"[shape.MixInput]\n{keyword} = ['Names']")
        self.refused("no member Names", "[shape.MixInput]\nmembers = { Names = 'Name' }")
        self.refused("no YELLOW", "[shape.Colour]\nvalues = ['YELLOW']")

    def test_keywords(self):
        self.refused("unknown keyword", "[shape.Name]\nminimum = 2")
        self.refused("unknown table", "[shapes.Name]\nmin = 2")
        self.refused("wrong type", "[shape.Name]\nmin = '2'")
        self.refused("not for a Structure", "[shape.MixInput]\nmin = 2")
        self.refused("no constraint is called", "[shape.Name]\nunchecked = ['minimum']")

    def test_what_says_nothing_new(self):
        self.refused("changes nothing", "[shape.Name]\nmin = 1")
        self.refused("changes nothing", "[shape.Colour]\nvalues = ['RED']")
        self.refused("is not there anyway", "[shape.Name]\nunchecked = ['pattern']")
        self.refused("is so in the model", "[shape.MixInput]\nrequired = ['Name']")
        self.refused("has Name by now", "[shape.MixInput]\nadds = { Name = 'Name' }")
        self.refused("nobody uses it", "[variant.Old]\nof = 'Name'\nmin = 2")

    def test_a_variant_stands_for_its_own_shape_only(self):
        self.refused("is no variant of Name",
                     "[variant.Old]\nof = 'Colours'\nmin = 2\n"
                     "[shape.MixInput]\nmembers = { Name = 'Old' }")
        self.refused("is no variant of Name", "[shape.MixInput]\nmembers = { Name = 'Name' }")

    def test_models_that_have_no_tables(self):
        self.refused("has no check", Name={"type": "string", "pattern": "[0-9]+"})
        self.refused("no table for type blob", Name={"type": "blob"})
        self.refused("contains itself", Colours={"type": "list", "member": {"shape": "Colours"}})
        other = {**MODEL, "shapes": {**MODEL["shapes"], "Text": {"type": "string", "min": 1}}}
        with self.assertRaisesRegex(generate.Refused, "Text differs between the models"):
            generate.generate([json.dumps(MODEL), json.dumps(other)], "")


class Tree(unittest.TestCase):
    """The files in the tree, by the command that the build runs."""

    def run_generator(self, folder, overlay):
        output = pathlib.Path(folder) / "deeper/shapes.h"
        models = sorted(map(str, FOLDER.glob("*.service.json")))
        done = subprocess.run([sys.executable, str(FOLDER / "generate.py"), "--overlay",
                               str(overlay), "--output", str(output), *models],
                              capture_output=True, text=True)
        return done, output.read_text("utf-8") if output.exists() else None

    def test_written_twice_is_the_same_to_the_byte(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            first, second = (self.run_generator(folder, FOLDER / "overlay.toml")
                             for folder in (one, two))
        self.assertEqual(first[0].returncode, 0, first[0].stderr)
        self.assertEqual(first[1], second[1])
        self.assertEqual(first[1].count("    Request{"), 66)
        self.assertFalse([line for line in first[1].splitlines() if line != line.rstrip()])

    def test_a_refusal_is_one_line_and_leaves_no_header(self):
        with tempfile.TemporaryDirectory() as folder:
            overlay = pathlib.Path(folder) / "overlay.toml"
            for text in ("[shape.TableArm]\nmin = 3\n", "min ="):
                overlay.write_text(text, "utf-8")
                done, written = self.run_generator(folder, overlay)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIsNone(written)


if __name__ == "__main__":
    unittest.main()
