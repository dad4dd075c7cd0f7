#include "protocol/partiql/changes.h"

#include <string>
#include <vector>

#include "protocol/expression/resolution/paths.h"
#include "protocol/expression/syntax/function_names.h"
#include "protocol/expression/updates/resolved_update.h"
#include "protocol/text/ascii_case.h"

namespace stator::partiql {
namespace {

using expr::Operand;

class ChangeLowering {
 public:
  explicit ChangeLowering(const Scope& scope) : scope_(scope) {}

  Result<void> add(const Change& change) {
    if (change.target->kind != Node::Kind::Path)
      return unexpected_path_component(change.target->at);
    STATOR_TRY(const expr::Path target, lower_path(*change.target, scope_));
    targets_.push_back(target);
    if (change.value == nullptr) {
      removes_.push_back(target);
      return {};
    }
    const Node& value = *change.value;
    if (value.kind == Node::Kind::Call) {
      const std::string name = lower_case(value.text);
      if (name == "set_add" || name == "set_delete")
        return add_set_change(target, value, name == "set_add");
    }
    expr::SetAction action;
    action.target = target;
    const bool is_arithmetic = value.kind == Node::Kind::Operation && value.children.size() == 2 &&
                               (value.op == Operator::Plus || value.op == Operator::Minus);
    STATOR_TRY(action.left, lower_part(is_arithmetic ? *value.children[0] : value));
    if (is_arithmetic) {
      action.arithmetic = value.op == Operator::Plus ? expr::SetAction::Arithmetic::Plus
                                                     : expr::SetAction::Arithmetic::Minus;
      STATOR_TRY(action.right, lower_part(*value.children[1]));
    }
    sets_.push_back(action);
    return {};
  }

  Result<const expr::Update*> finish() {
    Arena& arena = scope_.arena;
    auto* const update = arena.make<expr::Update>();
    update->sets = arena.copy(std::span<const expr::SetAction>(sets_));
    update->removes = arena.copy(std::span<const expr::Path>(removes_));
    update->adds = arena.copy(std::span<const expr::ValueAction>(adds_));
    update->deletes = arena.copy(std::span<const expr::ValueAction>(deletes_));
    update->targets = arena.copy(std::span<const expr::Path>(targets_));
    STATOR_CHECK(expr::check_resolved_update(*update, arena));
    return update;
  }

 private:
  // Lowers a path, a value, or list_append().
  Result<Operand> lower_part(const Node& node) {
    if (node.kind != Node::Kind::Call) return lower_operand(node, scope_);
    const expr::Function function = find_function(node.text);
    if (function != expr::Function::ListAppend) return unrecognized_function(node);
    const auto arguments = scope_.arena.allocate_array<Operand>(node.children.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      STATOR_TRY(arguments[i], lower_part(*node.children[i]));
    }
    Operand operand;
    operand.kind = Operand::Kind::Computed;
    operand.call = scope_.arena.make<expr::Call>(function, function_name(function), arguments);
    return operand;
  }

  // Lowers target = set_add(target, set), or set_delete.
  Result<void> add_set_change(expr::Path target, const Node& call, bool is_add) {
    const std::string name = is_add ? "SET_ADD" : "SET_DELETE";
    const auto arguments = call.children;
    const std::string place = " at " + position_text(call.at);
    if (arguments.size() != 2)
      return Error::validation(name + " must have exactly two arguments" + place);
    bool is_target = false;
    if (arguments[0]->kind == Node::Kind::Path) {
      STATOR_TRY(const expr::Path path, lower_path(*arguments[0], scope_));
      is_target = expr::is_same_path(path, target);
    }
    if (!is_target) {
      return Error::validation("The first argument to " + name +
                               " must equal the assignment value" + place);
    }
    const auto no_set = [&] {
      return Error::validation("The second argument to " + name +
                               " must be a value with type SET at " +
                               position_text(arguments[0]->at));
    };
    const Node::Kind kind = arguments[1]->kind;
    if (kind == Node::Kind::Path || kind == Node::Kind::Call || kind == Node::Kind::Operation)
      return no_set();
    expr::ValueAction action;
    action.target = target;
    action.operand.kind = Operand::Kind::Constant;
    STATOR_TRY(action.operand.value, lower_value(*arguments[1], scope_));
    if (!is_set(action.operand.value.type())) return no_set();
    (is_add ? adds_ : deletes_).push_back(action);
    return {};
  }

  const Scope& scope_;
  std::vector<expr::Path> targets_;
  std::vector<expr::SetAction> sets_;
  std::vector<expr::Path> removes_;
  std::vector<expr::ValueAction> adds_;
  std::vector<expr::ValueAction> deletes_;
};

}  // namespace

Result<const expr::Update*> lower_changes(std::span<const Change> changes, const Scope& scope) {
  ChangeLowering lowering(scope);
  for (const Change& change : changes) STATOR_CHECK(lowering.add(change));
  return lowering.finish();
}

}  // namespace stator::partiql
