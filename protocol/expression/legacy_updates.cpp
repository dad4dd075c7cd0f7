// AttributeUpdates to the tree of an update.
#include "protocol/expression/legacy_updates.h"

#include <string>
#include <vector>

#include "protocol/attribute_value.h"
#include "protocol/expression/legacy_entries.h"
#include "protocol/shape.h"

namespace stator::expr {
namespace {

Error invalid(Wording wording, std::string_view text) {
  return Error::validation(wording.enveloped(std::string(kInvalidParameter).append(text)));
}

bool can_be_added(Type type) { return type == Type::N || type == Type::L || is_set(type); }

template <class T>
std::span<T> to_span(const std::vector<T>& items, Arena& arena) {
  return arena.copy(std::span<const T>(items));
}

// Collects the actions by kind.
struct Actions {
  std::vector<SetAction> sets;
  std::vector<Path> removes;
  std::vector<ValueAction> adds;
  std::vector<ValueAction> deletes;
  std::vector<Path> targets;
};

Result<void> read_action(const JsonMember& member, Wording wording, Arena& arena,
                         Actions& actions) {
  STATOR_CHECK(check_attribute_name(member.name));
  const std::string_view action = string_member(member.value, "Action").value_or("PUT");
  const Path target = whole_attribute(member.name, arena);
  actions.targets.push_back(target);
  const JsonNode* const value = member.value.find("Value");
  if (value == nullptr) {
    if (action != "DELETE") {
      return invalid(wording, "Only DELETE action is allowed when no attribute value is specified");
    }
    actions.removes.push_back(target);
    return {};
  }
  Operand operand{.kind = Operand::Kind::Constant};
  STATOR_TRY(operand.value, decode_value(*value, wording, arena));
  const Type type = operand.value.type();
  if (action == "PUT") {
    actions.sets.push_back({.target = target, .left = operand});
  } else if (action == "ADD") {
    if (!can_be_added(type)) {
      return invalid(wording,
                     "ADD action is not supported for the type " + std::string(type_name(type)));
    }
    actions.adds.push_back({target, operand});
  } else {
    if (!is_set(type)) {
      return invalid(wording, "DELETE action with value is not supported for the type " +
                                  std::string(type_name(type)));
    }
    actions.deletes.push_back({target, operand});
  }
  return {};
}

}  // namespace

Result<const Update*> read_attribute_updates(const JsonNode& body, Wording wording, Arena& arena) {
  const JsonNode* const updates = body.find("AttributeUpdates");
  if (updates == nullptr) return nullptr;
  Actions actions;
  for (const JsonMember* member : effective_members(*updates)) {
    STATOR_CHECK(read_action(*member, wording, arena, actions));
  }
  auto* const update = arena.make<Update>();
  update->sets = to_span(actions.sets, arena);
  update->removes = to_span(actions.removes, arena);
  update->adds = to_span(actions.adds, arena);
  update->deletes = to_span(actions.deletes, arena);
  update->targets = to_span(actions.targets, arena);
  update->is_legacy = true;
  return update;
}

}  // namespace stator::expr
