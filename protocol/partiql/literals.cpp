// Converts literals to values. Messages give the position of the error: `under root.a[1]`.
#include <algorithm>
#include <utility>

#include "protocol/errors/rule.h"
#include "protocol/number/number.h"
#include "protocol/partiql/operands.h"
#include "protocol/service/common_errors.h"
#include "protocol/service/limits.h"
#include "protocol/service/wording.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/values/byte_order.h"

namespace stator::partiql {
namespace {

std::string_view kind_text(const Node& node) {
  switch (node.kind) {
    case Node::Kind::Parameter:
      return "Parameter";
    case Node::Kind::Missing:
      return "Missing";
    case Node::Kind::Call:
      return node.text;
    case Node::Kind::Path:
      return node.steps.front().name;
    default:
      return "Operation";
  }
}

class LiteralReader {
 public:
  explicit LiteralReader(const Scope& scope) : scope_(scope) {}

  Result<Value> read(const Node& node, std::size_t depth = 1) {
    if (depth > limits::kValueDepthMax) return under_root(nesting_error());
    switch (node.kind) {
      case Node::Kind::Null:
        return Value::null();
      case Node::Kind::Boolean:
        return Value::boolean(node.is_true);
      case Node::Kind::Number: {
        STATOR_TRY(const std::string_view bytes, read_number(node));
        return Value::number(bytes);
      }
      case Node::Kind::String:
        return Value::string(scope_.arena.copy(node.text));
      case Node::Kind::List:
        return read_list(node, depth);
      case Node::Kind::Bag:
        return read_bag(node);
      case Node::Kind::Map: {
        STATOR_TRY(const auto members, read_members(node, depth));
        return Value::map(members);
      }
      default:
        return unsupported_type(node);
    }
  }

 private:
  Error unsupported_type(const Node& node) const {
    return Error::validation(std::string("Unsupported data type: ")
                                 .append(kind_text(node))
                                 .append(" under key root")
                                 .append(path_)
                                 .append(" at ")
                                 .append(position_text(node.at)));
  }

  Error under_root(Error error) const { return std::move(error).within({}, " under root" + path_); }

  Result<std::string_view> read_number(const Node& node) const {
    std::string text(node.is_negative ? "-" : "");
    text.append(node.text);
    Number number;
    const NumberError error = parse_number(text, NumberRules::Classic, number);
    if (error != NumberError::None) return under_root(number_error(error));
    return encode_number(number, scope_.arena);
  }

  Result<Value> read_list(const Node& node, std::size_t depth) {
    const auto elements = scope_.arena.allocate_array<Value>(node.children.size());
    const std::size_t length = path_.size();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      path_.append("[").append(std::to_string(i)).append("]");
      STATOR_TRY(elements[i], read(*node.children[i], depth + 1));
      path_.resize(length);
    }
    return Value::list(elements);
  }

  Result<std::span<const Member>> read_members(const Node& node, std::size_t depth) {
    const std::size_t count = node.children.size() / 2;
    const auto members = scope_.arena.allocate_array<Member>(count);
    const std::size_t length = path_.size();
    for (std::size_t i = 0; i < count; ++i) {
      STATOR_TRY(members[i].name, read_name(*node.children[2 * i]));
      path_.append(".").append(members[i].name);
      STATOR_TRY(members[i].value, read(*node.children[2 * i + 1], depth + 1));
      path_.resize(length);
    }
    return sorted(members);
  }

 public:
  Result<std::string_view> read_name(const Node& node) const {
    if (node.kind != Node::Kind::String) return unsupported_type(node);
    STATOR_CHECK(check_attribute_name(node.text));
    return scope_.arena.copy(node.text);
  }

  // Sorted by name; of equal names the last one stays.
  static std::span<const Member> sorted(std::span<Member> members) {
    sort_by_name(members);
    std::size_t kept = 0;
    for (const Member& member : members) {
      if (kept > 0 && members[kept - 1].name == member.name) --kept;
      members[kept++] = member;
    }
    return members.first(kept);
  }

 private:
  // A bag is a set of strings or of numbers.
  Result<Value> read_bag(const Node& node) {
    if (node.children.empty()) return Error::validation("Empty bags are not supported");
    const Node::Kind kind = node.children.front()->kind;
    const bool is_uniform = std::all_of(node.children.begin(), node.children.end(),
                                        [&](const Node* child) { return child->kind == kind; });
    if (!is_uniform || (kind != Node::Kind::String && kind != Node::Kind::Number)) {
      return Error::validation(
          "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags");
    }
    const auto elements = scope_.arena.allocate_array<std::string_view>(node.children.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (kind == Node::Kind::Number) {
        STATOR_TRY(elements[i], read_number(*node.children[i]));
      } else {
        elements[i] = scope_.arena.copy(node.children[i]->text);
      }
    }
    if (!sort_by_bytes(elements)) return duplicates(node, kind == Node::Kind::Number);
    return Value::set(kind == Node::Kind::Number ? Type::NS : Type::SS, elements);
  }

  Error duplicates(const Node& bag, bool are_numbers) const {
    std::string elements = "[";
    for (std::size_t i = 0; i < bag.children.size(); ++i) {
      elements.append(i > 0 ? ", " : "").append(bag.children[i]->is_negative ? "-" : "");
      elements.append(bag.children[i]->text);
    }
    elements.append("]");
    Error error = invalid_parameter("Input collection " + elements + " contains duplicates" +
                                    (are_numbers ? "!" : "."))
                      .with_rule(Rule::DistinctElements, {elements});
    return are_numbers ? under_root(std::move(error)) : std::move(error);
  }

  const Scope& scope_;
  std::string path_;  // after "root"
};

}  // namespace

Result<Value> lower_value(const Node& node, const Scope& scope) {
  if (node.kind == Node::Kind::Parameter) return scope.parameters[node.place];
  return LiteralReader(scope).read(node);
}

Result<Item> lower_item(const Node& node, const Scope& scope) {
  const std::size_t count = node.children.size() / 2;
  const auto members = scope.arena.allocate_array<Member>(count);
  for (std::size_t i = 0; i < count; ++i) {
    STATOR_TRY(members[i].name, LiteralReader(scope).read_name(*node.children[2 * i]));
    STATOR_TRY(members[i].value, lower_value(*node.children[2 * i + 1], scope));
  }
  return Item(LiteralReader::sorted(members));
}

}  // namespace stator::partiql
