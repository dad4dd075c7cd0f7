// Updates of the model: all operands are read from the stored item, then the actions are hung into
// a tree of their targets, which is applied from the top, so that every index of a list means the
// stored list.
#include <map>
#include <utility>

#include "tests/model/data_plane/oracle/semantics.h"

namespace stator::model {
namespace {

constexpr const char* kMissing =
    "The provided expression refers to an attribute that does not exist in the item";
constexpr const char* kWrongType = "An operand in the update expression has an incorrect data type";
constexpr const char* kWrongLegacyType = "Type mismatch for attribute to update";
constexpr const char* kBadPath =
    "The document path provided in the update expression is invalid for update";
constexpr const char* kOverflow =
    "Number overflow. Attempting to store a number with magnitude larger than supported range";
constexpr const char* kUnderflow =
    "Number underflow. Attempting to store a number with magnitude smaller than supported range";

using Section = Action::Section;

struct Target {
  const Action* action = nullptr;  // a leaf
  Value value;                     // Set: what to store
  std::map<Step, Target> children;
};

class Application {
 public:
  Application(const Update& update, const Item* stored, const Item& key)
      : is_legacy_(update.is_legacy), exists_(stored != nullptr) {
    before_ = stored != nullptr ? *stored : key;
    for (const Action& action : update.actions) {
      Target* target = &root_;
      for (const Step& step : action.target) target = &target->children[step];
      target->action = &action;
      if (action.section != Section::Set) continue;
      if (auto value = evaluate(action.value)) target->value = *std::move(value);
    }
  }

  Updated run() {
    Updated updated;
    Value whole;
    whole.type = Type::M;
    whole.map = before_;
    apply_children(whole, root_);
    updated.errors = std::move(errors_);
    updated.item = std::move(whole.map);
    return updated;
  }

 private:
  std::optional<Value> fail(const char* message) {
    errors_.insert(message);
    return std::nullopt;
  }

  std::optional<Value> number(Decimal result) {
    if (result.is_too_large()) return fail(kOverflow);
    if (result.is_too_small()) return fail(kUnderflow);
    return Value::of_number(std::move(result));
  }

  std::optional<Value> evaluate(const Expression& expression) {
    using Kind = Expression::Kind;
    if (expression.kind == Kind::Constant) return expression.constant;
    if (expression.kind == Kind::Attribute) {
      const Value* found = find(before_, expression.path);
      return found != nullptr ? std::optional(*found) : fail(kMissing);
    }
    if (expression.kind == Kind::IfNotExists) {
      const Value* found = find(before_, expression.path);
      return found != nullptr ? std::optional(*found) : evaluate(expression.parts[0]);
    }
    const auto left = evaluate(expression.parts[0]);
    const auto right = evaluate(expression.parts[1]);
    const Type wanted = expression.kind == Kind::ListAppend ? Type::L : Type::N;
    for (const auto& side : {left, right}) {
      if (side && side->type != wanted) return fail(kWrongType);
    }
    if (!left || !right) return std::nullopt;
    switch (expression.kind) {
      case Kind::ListAppend: {
        std::vector<Value> joined = left->list;
        joined.insert(joined.end(), right->list.begin(), right->list.end());
        return Value::of_list(std::move(joined));
      }
      case Kind::Plus:
        return number(left->number + right->number);
      default:
        return number(left->number - right->number);
    }
  }

  // ADD: the attribute's new value. `stored` is nullptr when it is missing.
  std::optional<Value> add(const Value* stored, const Value& operand) {
    if (stored == nullptr) return operand;
    if (stored->type != operand.type) return fail(is_legacy_ ? kWrongLegacyType : kWrongType);
    Value result = *stored;
    if (operand.type == Type::N) return number(stored->number + operand.number);
    result.texts.insert(operand.texts.begin(), operand.texts.end());
    result.numbers.insert(operand.numbers.begin(), operand.numbers.end());
    result.list.insert(result.list.end(), operand.list.begin(), operand.list.end());
    return result;
  }

  // DELETE of a set: what is left, which may be an empty set.
  std::optional<Value> subtract(const Value& stored, const Value& operand) {
    if (stored.type != operand.type) return fail(is_legacy_ ? kWrongLegacyType : kWrongType);
    Value result = stored;
    for (const std::string& member : operand.texts) result.texts.erase(member);
    for (const Decimal& member : operand.numbers) result.numbers.erase(member);
    return result;
  }

  // What becomes of a target: its new value, or empty when it shall not be there. `stored` is
  // nullptr when it is missing; is_failed says that nothing is to be done.
  std::optional<Value> leaf(const Target& target, const Value* stored, bool& is_failed) {
    const Action& action = *target.action;
    std::optional<Value> result;
    switch (action.section) {
      case Section::Set:
        return target.value;
      case Section::Remove:
        return std::nullopt;
      case Section::Add:
        result = add(stored, action.operand);
        break;
      case Section::Delete:
        if (stored == nullptr) return std::nullopt;
        result = subtract(*stored, action.operand);
        if (result && result->texts.empty() && result->numbers.empty()) return std::nullopt;
        break;
    }
    is_failed = !result;
    return result;
  }

  // Every action below a parent that is missing or of the wrong kind.
  void refuse(const Target& target) {
    if (target.action != nullptr) {
      const Section section = target.action->section;
      if (exists_ || section == Section::Set || section == Section::Add) errors_.insert(kBadPath);
    }
    for (const auto& [step, child] : target.children) refuse(child);
  }

  void apply_children(Value& parent, const Target& target) {
    const bool is_list = target.children.begin()->first.is_index;
    if (parent.type != (is_list ? Type::L : Type::M)) return refuse(target);
    if (is_list) return apply_elements(parent.list, target);
    for (const auto& [step, child] : target.children) {
      const auto member = parent.map.find(step.name);
      Value* stored = member == parent.map.end() ? nullptr : &member->second;
      if (child.action == nullptr) {
        if (stored == nullptr) {
          refuse(child);
        } else {
          apply_children(*stored, child);
        }
        continue;
      }
      bool is_failed = false;
      std::optional<Value> after = leaf(child, stored, is_failed);
      if (is_failed) continue;
      if (after) {
        parent.map[step.name] = *std::move(after);
      } else {
        parent.map.erase(step.name);
      }
    }
  }

  void apply_elements(std::vector<Value>& list, const Target& target) {
    std::vector<std::optional<Value>> elements(list.begin(), list.end());
    for (const auto& [step, child] : target.children) {
      const bool is_there = step.index < list.size();
      if (child.action == nullptr) {
        if (is_there) {
          apply_children(*elements[step.index], child);
        } else {
          refuse(child);
        }
        continue;
      }
      bool is_failed = false;
      std::optional<Value> after = leaf(child, is_there ? &list[step.index] : nullptr, is_failed);
      if (is_failed) continue;
      if (is_there) {
        elements[step.index] = std::move(after);
      } else if (after) {
        elements.push_back(std::move(after));  // the children come in the order of their indexes
      }
    }
    list.clear();
    for (auto& element : elements) {
      if (element) list.push_back(*std::move(element));
    }
  }

  bool is_legacy_;
  bool exists_;
  Item before_;
  Target root_;
  std::set<std::string> errors_;
};

}  // namespace

Updated apply(const Update& update, const Item* stored, const Item& key) {
  if (update.actions.empty()) return {{}, stored != nullptr ? *stored : key};
  return Application(update, stored, key).run();
}

}  // namespace stator::model
