// Members of a table as CloudFormation has them, checked for type and copied as JSON of
// CreateTable.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "server/templates/tree/node.h"

namespace stator::templates {

struct ShapeMember;

// What a value is in CreateTable. Other values are mistakes; values themselves are not checked.
struct Shape {
  enum class Form : std::uint8_t { Text, Integer, Boolean, Object, List };
  Form form;
  std::span<const ShapeMember> members = {};  // of an Object
  const Shape* element = nullptr;             // of a List
};

struct ShapeMember {
  std::string_view name;
  const Shape* shape;  // nullptr: a member that is read elsewhere, and not copied
  bool is_required = false;
};

// The members of a table that are copied as they are.
std::span<const ShapeMember> table_shape();

// Appends the node as JSON. `path` begins the text of mistakes, as in
// "Orders.KeySchema[0]: AttributeName is missing". False after a mistake.
using ReportMistake = std::function<void(const Node& node, std::string text)>;
bool append_shaped(std::string& out, const Node& node, const Shape& shape, const std::string& path,
                   const ReportMistake& report);

// Whether the node is a limit of -1, or OnDemandThroughput with no other limits. In descriptions
// and templates that means no limit; UpdateTable takes it, CreateTable does not.
bool is_no_limit(const Node& node, const Shape& shape);

}  // namespace stator::templates
