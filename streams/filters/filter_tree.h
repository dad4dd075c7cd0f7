// The compiled form of a pattern. Internal to this folder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "streams/filters/record_filter.h"

namespace stator::filters {

// One element of a leaf's array.
enum class TestKind : std::uint8_t {
  String,
  Number,
  True,
  False,
  Null,
  Prefix,
  Suffix,
  EqualsIgnoringCase,
  PrefixIgnoringCase,
  SuffixIgnoringCase,
  Wildcard,
  Cidr,
  Numeric,
  AnythingBut,
  Exists,
  Absent,
};

// A bound of numeric, as ordered bytes of a number (protocol/number/number.h).
struct NumberBound {
  std::string number;
  bool is_inclusive = false;
};

// A block of addresses; of IPv4 the first four bytes count.
struct AddressBlock {
  std::array<std::uint8_t, 16> bytes{};
  std::uint8_t bits = 0;
  bool is_v6 = false;
};

struct LeafTest {
  TestKind kind = TestKind::Null;
  // The operand: text, in lower case if case is ignored, or the ordered bytes of a number.
  std::string text = {};
  std::optional<NumberBound> low = {};
  std::optional<NumberBound> high = {};
  AddressBlock block = {};
  std::vector<LeafTest> none_of = {};  // AnythingBut: present, and none of these holds
  std::size_t absence = 0;             // Absent: its place in Compiled::absences
};

struct ObjectPattern;

// A leaf with tests, or an inner object.
struct FieldPattern {
  std::string name;
  std::vector<LeafTest> any_of = {};
  std::string wanted = {};  // the leaf's JSON, for explanations
  std::shared_ptr<const ObjectPattern> inner = nullptr;
};

// All fields must match, and one object of each alternative.
struct ObjectPattern {
  std::vector<FieldPattern> fields;
  std::vector<std::vector<ObjectPattern>> alternatives;  // $or
};

}  // namespace stator::filters

namespace stator {

struct RecordFilter::Compiled {
  filters::ObjectPattern root;
  // The paths of the leaves that are to be absent. Absence is of the whole record: a list one of
  // whose elements has the field has the field.
  std::vector<std::vector<std::string>> absences;
};

}  // namespace stator
