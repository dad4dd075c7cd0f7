#include "protocol/expression/syntax/tree_copy.h"

#include <algorithm>
#include <cstddef>

namespace stator::expr {
namespace {

// The index in all targets where a section begins; `first` is the section's first target. An
// action's path is one of the targets, and a section's targets are adjacent.
std::size_t section_start(const Update& update, Path first) {
  const auto found = std::find_if(update.targets.begin(), update.targets.end(),
                                  [&](Path target) { return target.data() == first.data(); });
  return static_cast<std::size_t>(found - update.targets.begin());
}

}  // namespace

std::string_view TreeCopier::moved(std::string_view part) const {
  if (part.empty()) return {};
  return {to_ + (part.data() - from_), part.size()};
}

Path TreeCopier::copy_path(Path path) {
  const Path out = arena_.copy(std::span<const PathElement>(path));
  for (PathElement& element : out) element.text = element.name = moved(element.text);
  return out;
}

std::span<Path> TreeCopier::copy(const std::span<Path>& paths) {
  const auto out = arena_.allocate_array<Path>(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) out[i] = copy_path(paths[i]);
  return out;
}

Operand TreeCopier::copy_operand(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Attribute:
      return {.kind = operand.kind, .path = copy_path(operand.path)};
    case Operand::Kind::Constant:
      return {.kind = operand.kind, .placeholder = moved(operand.placeholder)};
    case Operand::Kind::Computed:
      break;
  }
  return {.kind = operand.kind, .call = copy_call(*operand.call)};
}

std::span<Operand> TreeCopier::copy_operands(std::span<const Operand> operands) {
  const auto out = arena_.allocate_array<Operand>(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) out[i] = copy_operand(operands[i]);
  return out;
}

Call* TreeCopier::copy_call(const Call& call) {
  return arena_.make<Call>(call.function, moved(call.name), copy_operands(call.operands));
}

Condition* TreeCopier::copy_condition(const Condition& node) {
  Condition* const out = arena_.make<Condition>(node);
  out->children = arena_.allocate_array<Condition*>(node.children.size());
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    out->children[i] = copy_condition(*node.children[i]);
  }
  out->operands = copy_operands(node.operands);
  if (node.call != nullptr) out->call = copy_call(*node.call);
  return out;
}

ParsedCondition TreeCopier::copy(const ParsedCondition& parsed) {
  return {copy_condition(*parsed.root), parsed.operators, parsed.too_many_in_operands};
}

std::span<ValueAction> TreeCopier::copy_actions(std::span<const ValueAction> actions,
                                                const Path* targets) {
  const auto out = arena_.allocate_array<ValueAction>(actions.size());
  for (std::size_t i = 0; i < actions.size(); ++i) {
    out[i] = {targets[i], copy_operand(actions[i].operand)};
  }
  return out;
}

Update* TreeCopier::copy(Update* const& update) {
  const auto targets = arena_.allocate_array<Path>(update->targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) targets[i] = copy_path(update->targets[i]);
  Update* const out = arena_.make<Update>();
  out->targets = targets;
  if (!update->sets.empty()) {
    const Path* target = &targets[section_start(*update, update->sets[0].target)];
    out->sets = arena_.allocate_array<SetAction>(update->sets.size());
    for (std::size_t i = 0; i < out->sets.size(); ++i) {
      const SetAction& action = update->sets[i];
      out->sets[i] = {*target++, copy_operand(action.left), action.arithmetic, {}};
      if (action.arithmetic != SetAction::Arithmetic::None) {
        out->sets[i].right = copy_operand(action.right);
      }
    }
  }
  if (!update->removes.empty()) {
    const std::size_t start = section_start(*update, update->removes[0]);
    out->removes = targets.subspan(start, update->removes.size());
  }
  if (!update->adds.empty()) {
    const std::size_t start = section_start(*update, update->adds[0].target);
    out->adds = copy_actions(update->adds, &targets[start]);
  }
  if (!update->deletes.empty()) {
    const std::size_t start = section_start(*update, update->deletes[0].target);
    out->deletes = copy_actions(update->deletes, &targets[start]);
  }
  return out;
}

}  // namespace stator::expr
