// What an update is charged with, by the published measurements: a sum over the text's clauses.
#include <string>

#include "tests/model/data_plane/oracle/semantics.h"

namespace stator::model {
namespace {

std::size_t bytes_of(const Step& step) {
  return step.is_index ? std::to_string(step.index).size() : step.name.size();
}

// The steps behind the `free` first ones cost `each` more.
std::size_t bytes_of(const Path& path, std::size_t free, std::size_t each) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < path.size(); ++i) bytes += bytes_of(path[i]) + (i < free ? 0 : each);
  return bytes;
}

std::size_t bytes_of(const Expression& expression) {
  using Kind = Expression::Kind;
  std::size_t bytes = 0;
  for (const Expression& part : expression.parts) bytes += bytes_of(part);
  const std::size_t path = expression.path.empty() ? 0 : 1 + bytes_of(expression.path, 0, 14);
  switch (expression.kind) {
    case Kind::Attribute:
      return path;
    case Kind::Constant:
      return size_bytes(expression.constant);
    case Kind::IfNotExists:
      return 39 + path + bytes;
    case Kind::ListAppend:
    case Kind::Minus:
      return 37 + bytes;
    case Kind::Plus:
      break;
  }
  return 34 + bytes;
}

// Of a set only what the item has not yet.
std::size_t added_bytes(Value value, const Value* old) {
  if (old != nullptr && old->type == value.type) {
    for (const std::string& text : old->texts) value.texts.erase(text);
    for (const Decimal& number : old->numbers) value.numbers.erase(number);
  }
  return size_bytes(value);
}

}  // namespace

std::size_t charge_bytes(const Update& update, const Item& before) {
  std::size_t bytes = 3;
  for (const Action& action : update.actions) {
    const std::size_t target = bytes_of(action.target, 1, 4);
    switch (action.section) {
      case Action::Section::Set:
        bytes += 19 + target + bytes_of(action.value);
        break;
      case Action::Section::Add:
        bytes += 19 + target + added_bytes(action.operand, find(before, action.target));
        break;
      case Action::Section::Remove:
      case Action::Section::Delete:
        bytes += 1 + target;
        break;
    }
  }
  return bytes;
}

}  // namespace stator::model
