#!/usr/bin/env python3
"""Writes the request shapes of the API model as constexpr tables of protocol/shapes/shape.h.

    generate.py --overlay overlay.toml --output shapes.h MODEL.service.json...

A model is data of its publisher and never edited here; what the service does differently stands in
the overlay, whose keywords its head explains. Whatever does not fit (a shape or member that the
model does not have, an unknown keyword, an entry that changes nothing, a pattern that the checks
cannot match) ends the run with one line, so that a new version of the model shows what to decide.
"""

import argparse
import copy
import dataclasses
import json
import pathlib
import sys
import tomllib

NAME_PATTERN = "[a-zA-Z0-9_.-]+"  # the one pattern that protocol/shapes/shape.h can check
KINDS = {"string": "String", "integer": "Integer", "long": "Long", "double": "Double",
         "timestamp": "Timestamp", "boolean": "Boolean", "list": "List", "map": "Map",
         "structure": "Structure"}
# Tables of protocol/shapes/shape.h for scalars about which nothing more is said.
PLAIN = {"String": "kStringType", "Integer": "kIntegerType", "Long": "kLongType",
         "Double": "kDoubleType", "Timestamp": "kTimestampType", "Boolean": "kBooleanType"}
COLUMNS_MAX = 100
VALUE = "AttributeValue"  # checked by protocol/shapes/attribute_value.h


class Refused(Exception):
    """The model or the overlay cannot be used; the text says why."""


@dataclasses.dataclass
class Member:
    name: str
    shape: str
    required: bool = False


@dataclasses.dataclass
class Shape:
    """One table to be. Names of shapes are keys of the dictionary that holds all of them."""
    kind: str
    model_name: str
    members: list = dataclasses.field(default_factory=list)  # Structure
    element: str = ""  # List, Map
    key: str = ""  # Map
    min: int | None = None
    max: int | None = None
    pattern: str = ""
    enum: list = dataclasses.field(default_factory=list)
    classic_min: int | None = None
    enveloped_enum_text: str = ""
    table_arn_too: bool = False
    keys_yield: bool = False
    reported_alone: bool = False
    bare: bool = False
    min_as_model: bool = False
    max_as_model: bool = False
    echoed_as_json: bool = False

    def shapes(self):
        return [member.shape for member in self.members] + ([self.element] if self.element else [])

    def is_plain(self):
        return self == Shape(self.kind, self.model_name) and self.kind in PLAIN


# --- The model ------------------------------------------------------------------------------------

def shape_of(name, entry):
    if entry["type"] not in KINDS:
        raise Refused(f"shape {name}: there is no table for type {entry['type']}")
    required = set(entry.get("required", []))
    members = [Member(member, at["shape"], member in required)
               for member, at in entry.get("members", {}).items()]
    element = entry.get("member") or entry.get("value") or {}
    return Shape(KINDS[entry["type"]], name, members, element.get("shape", ""),
                 entry.get("key", {}).get("shape", ""), entry.get("min"), entry.get("max"),
                 entry.get("pattern", ""), list(entry.get("enum", [])))


def read_models(texts):
    """The shapes that requests are made of, by name, and (prefix, operation, shape) of each."""
    shapes, entries, requests = {}, {}, []

    def enter(name, model, seen):
        if name in seen:
            return
        seen.add(name)
        entry = model["shapes"][name]
        if entries.setdefault(name, entry) != entry:
            raise Refused(f"shape {name} differs between the models")
        if name == VALUE:
            shapes[name] = Shape("AttributeValue", name)
            return
        shapes[name] = shape_of(name, entry)
        for part in shapes[name].shapes() + [shapes[name].key]:
            if part:
                enter(part, model, seen)

    for text in texts:
        model, seen = json.loads(text), set()
        for operation, entry in model["operations"].items():
            requests.append((model["metadata"]["targetPrefix"], operation, entry["input"]["shape"]))
            enter(entry["input"]["shape"], model, seen)
    return shapes, requests


# --- The overlay ----------------------------------------------------------------------------------

SIZED = {"String", "Integer", "Long", "List", "Map"}
# Keyword -> (type of its value, kinds of shapes it goes with).
KEYWORDS = {
    "min": (int, SIZED), "max": (int, SIZED),
    "classic_min": (int, {"String"}),
    "pattern": (str, {"String"}), "table_arn_too": (bool, {"String"}),
    "values": (list, {"String"}), "enveloped_enum_text": (str, {"String"}),
    "reported_alone": (bool, {"String"}), "bare": (bool, {"String"}),
    "min_as_model": (bool, SIZED), "max_as_model": (bool, SIZED),
    "echoed_as_json": (bool, {"Map"}),
    "unchecked": (list, SIZED),
    "element": (str, {"List", "Map"}), "keys_yield": (bool, {"Map"}),
    "order": (list, {"Structure"}), "required": (list, {"Structure"}),
    "optional": (list, {"Structure"}), "omits": (list, {"Structure"}),
    "members": (dict, {"Structure"}), "adds": (dict, {"Structure"}),
    "opaque": (bool, {"Structure"}),
}


def put_first(listed, names, what):
    """`names`, those listed first and in that order."""
    for name in listed:
        if name not in names or listed.count(name) > 1:
            raise Refused(f"{what}: no {name} there, or named twice")
    return listed + [name for name in names if name not in listed]


class Overlay:
    def __init__(self, text, shapes):
        self.overlay = tomllib.loads(text)
        self.shapes = shapes
        self.variants = self.overlay.get("variant", {})

    def apply(self):
        for table in self.overlay:
            if table not in ("shape", "variant"):
                raise Refused(f"overlay: unknown table [{table}]")
        for name, entry in self.overlay.get("shape", {}).items():
            if name not in self.shapes:
                raise Refused(f"overlay: no request has a shape {name}")
            self.change(name, entry)
        for name, entry in self.variants.items():  # each stands below what it is a variant of
            entry = dict(entry)
            base = entry.pop("of", None)
            if base not in self.shapes or name in self.shapes:
                raise Refused(f"variant {name}: no shape {base}, or the name is taken")
            self.shapes[name] = copy.deepcopy(self.shapes[base])
            self.change(name, entry)
        for shape in self.shapes.values():
            for part in shape.shapes():
                if part not in self.shapes:
                    raise Refused(f"overlay: no shape or variant {part}")

    def change(self, name, entry):
        shape = self.shapes[name]
        for keyword, value in entry.items():
            at = f"overlay, {name}.{keyword}"
            if keyword not in KEYWORDS:
                raise Refused(f"{at}: unknown keyword")
            kind, kinds = KEYWORDS[keyword]
            if type(value) is not kind or shape.kind not in kinds:
                raise Refused(f"{at}: wrong type, or not for a {shape.kind}")
            before = copy.deepcopy(shape)
            getattr(self, "change_" + keyword, self.set_attribute)(shape, keyword, value, at)
            if shape == before:
                raise Refused(f"{at}: changes nothing")

    def set_attribute(self, shape, keyword, value, at):
        setattr(shape, keyword, value)

    def change_values(self, shape, _, value, at):
        shape.enum = put_first(value, shape.enum, at)

    def change_unchecked(self, shape, _, value, at):
        for constraint in value:
            if constraint not in ("min", "max", "pattern", "enum"):
                raise Refused(f"{at}: no constraint is called {constraint}")
            if getattr(shape, constraint) in (None, "", []):
                raise Refused(f"{at}: {constraint} is not there anyway")
            setattr(shape, constraint, getattr(Shape("", ""), constraint))

    def replacement(self, old, new, at):
        if new not in self.variants or self.model_name_of(new) != self.shapes[old].model_name:
            raise Refused(f"{at}: {new} is no variant of {old}")
        return new

    def model_name_of(self, name):
        while name in self.variants:
            name = self.variants[name].get("of")
        return name

    def change_element(self, shape, _, value, at):
        shape.element = self.replacement(shape.element, value, at)

    def members_of(self, shape, names, at):
        for name in names:
            if name not in [member.name for member in shape.members]:
                raise Refused(f"{at}: {shape.model_name} has no member {name}")
        return [member for member in shape.members if member.name in names]

    def change_order(self, shape, _, value, at):
        by_name = {member.name: member for member in shape.members}
        shape.members = [by_name[name] for name in put_first(value, list(by_name), at)]

    def change_required(self, shape, keyword, value, at):
        for member in self.members_of(shape, value, at):
            if member.required == (keyword == "required"):
                raise Refused(f"{at}: {member.name} is so in the model")
            member.required = keyword == "required"

    change_optional = change_required

    def change_omits(self, shape, _, value, at):
        omitted = self.members_of(shape, value, at)
        shape.members = [member for member in shape.members if member not in omitted]

    def change_members(self, shape, _, value, at):
        for member in self.members_of(shape, value, at):
            member.shape = self.replacement(member.shape, value[member.name], at)

    def change_adds(self, shape, _, value, at):
        for name, part in value.items():
            if name in [member.name for member in shape.members]:
                raise Refused(f"{at}: the model has {name} by now")
            shape.members.append(Member(name, part))

    def change_opaque(self, shape, *_):
        shape.members = []


# --- The tables -----------------------------------------------------------------------------------

def quoted(text):
    return json.dumps(text, ensure_ascii=True)


def listed(opening, entries, closing):
    """A braced list on one line, or on a second one, or with a line for each entry: what fits."""
    text = f"{', '.join(entries)}{closing}"
    if len(opening + text) <= COLUMNS_MAX:
        return [opening + text]
    if len(text) + 4 <= COLUMNS_MAX and "\n" not in text:
        return [opening, "    " + text]
    return [opening, *(f"    {entry}," for entry in entries), closing]


def quoted_lines(text):
    """A string in pieces that fit, cut after spaces."""
    pieces, rest = [], text
    while len(rest) > 80:
        cut = rest.rindex(" ", 0, 80) + 1
        pieces.append(rest[:cut])
        rest = rest[cut:]
    return [quoted(piece) for piece in pieces + [rest]]


class Writer:
    def __init__(self, shapes):
        self.shapes = shapes
        self.written = {}
        self.lines = []

    def table(self, name):
        """The name of the shape's table, which is written when nobody asked before."""
        if name == VALUE:
            return "kAttributeValueType"
        shape = self.shapes[name]
        if shape.is_plain():
            return PLAIN[shape.kind]
        if name not in self.written:
            self.written[name] = None
            parts = {part: self.table(part) for part in shape.shapes()}
            self.written[name] = "k" + name
            self.write(name, shape, parts)
        if self.written[name] is None:
            raise Refused(f"shape {name} contains itself")
        return self.written[name]

    def write(self, name, shape, parts):
        if shape.pattern not in ("", NAME_PATTERN):
            raise Refused(f"shape {name}: pattern {shape.pattern} has no check; "
                          "say unchecked, or write one")
        lines = []
        if shape.members:
            fields = [f"FieldSpec{{{quoted(member.name)}, &{parts[member.shape]}"
                      f"{', true' if member.required else ''}}}" for member in shape.members]
            lines += listed(f"inline constexpr std::array k{name}Fields{{", fields, "};")
        if shape.enum:
            lines += listed(f"inline constexpr std::array<std::string_view, {len(shape.enum)}> "
                            f"k{name}Values{{", [quoted(value) for value in shape.enum], "};")
        lines += listed(f"inline constexpr TypeSpec k{name}{{",
                        list(self.initializers(name, shape, parts)), "};")
        self.lines += lines + [""]

    def initializers(self, name, shape, parts):
        yield f".kind = TypeSpec::Kind::{shape.kind}"
        if shape.kind == "Structure":
            yield f".name = {quoted(shape.model_name)}"
        if shape.members:
            yield f".fields = k{name}Fields"
        if shape.element:
            yield f".element = &{parts[shape.element]}"
        if shape.min is not None:
            yield f".min = {shape.min}"
        if shape.max is not None:
            yield f".max = {shape.max}"
        if shape.classic_min is not None:
            yield f".classic_min = {shape.classic_min}"
        if shape.pattern:
            yield ".name_pattern = true"
        if shape.table_arn_too:
            yield ".table_arn_too = true"
        if shape.key and self.shapes[shape.key].table_arn_too:
            yield ".table_keys = true"
        if shape.keys_yield:
            yield ".keys_yield = true"
        if shape.enum:
            yield f".values = k{name}Values"
        if shape.enveloped_enum_text:
            yield "\n        ".join(
                [".enveloped_enum_text =", *quoted_lines(shape.enveloped_enum_text)])
        if shape.reported_alone:
            yield ".is_reported_alone = true"
        if shape.bare:
            yield ".is_bare = true"
        for flag in ("min_as_model", "max_as_model", "echoed_as_json"):
            if getattr(shape, flag):
                yield f".{flag} = true"


HEAD = """\
// Written by protocol/model/generate.py from the API model and its overlay; changes belong there.
// One table for each shape of a request: k and the shape's name in the model, or the variant's in
// the overlay.
#pragma once

#include <array>
#include <string_view>

#include "protocol/shapes/shape.h"

namespace stator::model {
"""

REQUEST = """\
// Every operation of the model, built or not.
struct Request {
  std::string_view target_prefix;  // of X-Amz-Target
  std::string_view operation;
  const TypeSpec* shape;
};
"""


def generate(model_texts, overlay_text):
    """The header's text."""
    shapes, requests = read_models(model_texts)
    overlay = Overlay(overlay_text, shapes)
    overlay.apply()
    writer = Writer(shapes)
    rows = [f"Request{{{quoted(prefix)}, {quoted(operation)}, &{writer.table(shape)}}}"
            for prefix, operation, shape in requests]
    for name in overlay.variants:
        if overlay.model_name_of(name) in [shape for _, _, shape in requests]:
            writer.table(name)
    used = {part for name in writer.written for part in shapes[name].shapes()} | {*writer.written}
    for name in overlay.variants:
        if name not in used:
            raise Refused(f"variant {name}: nobody uses it")
    return "\n".join([HEAD, *writer.lines, REQUEST,
                      *listed("inline constexpr std::array kRequests{", rows, "};"), "",
                      "}  // namespace stator::model", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--overlay", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("models", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    try:
        text = generate([path.read_text("utf-8") for path in arguments.models],
                        arguments.overlay.read_text("utf-8"))
    except (Refused, tomllib.TOMLDecodeError, json.JSONDecodeError) as error:
        sys.exit(f"{arguments.overlay}: {error}")
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
