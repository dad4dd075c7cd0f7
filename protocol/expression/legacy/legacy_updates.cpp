// Converts AttributeUpdates to the tree of an update.
#include "protocol/expression/legacy/legacy_updates.h"

#include <cstddef>
#include <new>
#include <span>
#include <string>

#include "protocol/expression/legacy/legacy_entries.h"
#include "protocol/service/common_errors.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/shapes/shape.h"

namespace stator::expr {
namespace {

Error invalid(Wording wording, std::string statement) {
  return wording.enveloped(invalid_parameter(std::move(statement)));
}

bool can_be_added(Type type) { return type == Type::N || type == Type::L || is_set(type); }

// Collects the actions by kind, in arrays sized for each kind beforehand.
class Actions {
 public:
  Actions(std::span<const JsonMember* const> members, Wording wording, Arena& arena)
      : wording_(wording), arena_(arena) {
    std::size_t sets = 0;
    std::size_t adds = 0;
    std::size_t deletes = 0;
    for (const JsonMember* member : members) {
      if (member->value.find("Value") == nullptr) continue;
      const std::string_view action = name_of_action(*member);
      ++(action == "PUT" ? sets : action == "ADD" ? adds : deletes);
    }
    // If all actions remove, one list serves as targets and removes.
    removes_only_ = sets + adds + deletes == 0;
    elements_ = arena.allocate_array<PathElement>(members.size());
    targets_ = arena.allocate_array<Path>(members.size());
    if (!removes_only_)
      removes_ = arena.allocate_array<Path>(members.size() - sets - adds - deletes);
    sets_ = arena.allocate_array<SetAction>(sets);
    adds_ = arena.allocate_array<ValueAction>(adds);
    deletes_ = arena.allocate_array<ValueAction>(deletes);
  }

  Result<void> read(const JsonMember& member) {
    STATOR_CHECK(check_attribute_name(member.name));
    const std::string_view action = name_of_action(member);
    const Path target = add_target(member.name);
    const JsonNode* const value = member.value.find("Value");
    if (value == nullptr) {
      if (action != "DELETE") {
        return invalid(wording_,
                       "Only DELETE action is allowed when no attribute value is specified");
      }
      if (!removes_only_) new (&removes_[remove_count_++]) Path(target);
      return {};
    }
    Operand operand{.kind = Operand::Kind::Constant};
    STATOR_TRY(operand.value, decode_value(*value, wording_, arena_));
    const Type type = operand.value.type();
    if (action == "PUT") {
      new (&sets_[set_count_++]) SetAction{.target = target, .left = operand};
    } else if (action == "ADD") {
      if (!can_be_added(type)) {
        return invalid(wording_,
                       "ADD action is not supported for the type " + std::string(type_name(type)));
      }
      new (&adds_[add_count_++]) ValueAction{target, operand};
    } else {
      if (!is_set(type)) {
        return invalid(wording_, "DELETE action with value is not supported for the type " +
                                     std::string(type_name(type)));
      }
      new (&deletes_[delete_count_++]) ValueAction{target, operand};
    }
    return {};
  }

  // REQUIRES: all members were read.
  const Update* update() const {
    return arena_.make<Update>(sets_, removes_only_ ? targets_ : removes_, adds_, deletes_,
                               targets_, /*is_legacy=*/true);
  }

 private:
  static std::string_view name_of_action(const JsonMember& member) {
    return string_member(member.value, "Action").value_or("PUT");
  }

  Path add_target(std::string_view name) {
    PathElement* const element =
        new (&elements_[target_count_]) PathElement{.text = name, .name = name};
    return *new (&targets_[target_count_++]) Path(element, 1);
  }

  const Wording wording_;
  Arena& arena_;
  bool removes_only_;
  std::span<PathElement> elements_;
  std::span<Path> targets_;
  std::span<Path> removes_;
  std::span<SetAction> sets_;
  std::span<ValueAction> adds_;
  std::span<ValueAction> deletes_;
  std::size_t target_count_ = 0;
  std::size_t remove_count_ = 0;
  std::size_t set_count_ = 0;
  std::size_t add_count_ = 0;
  std::size_t delete_count_ = 0;
};

}  // namespace

Result<const Update*> read_attribute_updates(const JsonNode& body, Wording wording, Arena& arena) {
  const JsonNode* const updates = body.find("AttributeUpdates");
  if (updates == nullptr) return nullptr;
  const auto members = effective_members(*updates);
  Actions actions(members, wording, arena);
  for (const JsonMember* member : members) STATOR_CHECK(actions.read(*member));
  return actions.update();
}

}  // namespace stator::expr
