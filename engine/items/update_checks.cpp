// Checks updates against keys.
#include "engine/items/update_checks.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/items/index_checks.h"
#include "engine/items/item_keys.h"
#include "engine/items/key_paths.h"
#include "protocol/errors/rule.h"
#include "protocol/expression/updates/update.h"
#include "protocol/service/common_errors.h"
#include "protocol/service/limits.h"
#include "protocol/service/wording.h"
#include "protocol/values/item_size.h"

namespace stator {
namespace {

bool begins_with_name(expr::Path path, std::string_view name) { return path[0].name == name; }

bool is_updated(const expr::Update& update, std::string_view name) {
  return std::any_of(update.targets.begin(), update.targets.end(),
                     [&](expr::Path target) { return begins_with_name(target, name); });
}

bool is_whole(expr::Path target, std::string_view name) {
  return target.size() == 1 && begins_with_name(target, name);
}

// Calls `check(key, index name)` for every key attribute of the indexes.
template <class Check>
Result<void> for_each_index_key(const Table& table, const Check& check) {
  return check_each_index(table, [&](const auto& index) -> Result<void> {
    for (const KeyAttribute& key : index.partition_keys) STATOR_CHECK(check(key, index.name));
    for (const KeyAttribute& key : index.sort_keys) STATOR_CHECK(check(key, index.name));
    return {};
  });
}

// The actions of an update on index keys. Each key is searched several times, so a long update
// (AttributeUpdates may fill a request) is first reduced to these actions.
class IndexKeyActions {
 public:
  // Both must outlive it.
  IndexKeyActions(const Table& table, const expr::Update& update) : update_(update) {
    constexpr std::size_t kManyTargets = 64;
    if (update.targets.size() < kManyTargets || !table.has_indexes()) return;
    std::unordered_set<std::string_view> keys;
    static_cast<void>(
        for_each_index_key(table, [&](const KeyAttribute& key, const std::string&) -> Result<void> {
          keys.insert(key.name);
          return {};
        }));
    const auto is_of_key = [&](expr::Path target) { return keys.contains(target[0].name); };
    std::ranges::copy_if(update.targets, std::back_inserter(targets_), is_of_key);
    update_.targets = targets_;
    update_.sets = left_of(update.sets, sets_, is_of_key);
    update_.adds = left_of(update.adds, adds_, is_of_key);
    update_.deletes = left_of(update.deletes, deletes_, is_of_key);
  }
  IndexKeyActions(const IndexKeyActions&) = delete;
  IndexKeyActions& operator=(const IndexKeyActions&) = delete;

  // Removes are not filtered, because no check here uses them.
  const expr::Update& get() const { return update_; }

 private:
  template <class Action, class IsOfKey>
  std::span<Action> left_of(std::span<Action> actions, std::vector<Action>& left,
                            const IsOfKey& is_of_key) const {
    if (targets_.empty()) return {};
    std::ranges::copy_if(actions, std::back_inserter(left), is_of_key, &Action::target);
    return left;
  }

  expr::Update update_;
  std::vector<expr::Path> targets_;
  std::vector<expr::SetAction> sets_;
  std::vector<expr::ValueAction> adds_;
  std::vector<expr::ValueAction> deletes_;
};

Error part_of_key(const KeyAttribute& key) {
  return invalid_parameter("Cannot update attribute " + key.name +
                           ". This attribute is part of the key")
      .with_rule(Rule::KeyUnchanged, {key.name});
}

Error empty_index_key(Type type) {
  return Error::validation(
             "The update expression attempted to update a secondary index key to a value that is "
             "not supported. The AttributeValue for a key attribute cannot contain an empty " +
             std::string(type == Type::B ? "binary" : "string") + " value.")
      .within(kNotValidParameter);
}

// The type that an action gives its target, if it is known without the item.
std::optional<Type> static_type(const expr::SetAction& action) {
  if (action.arithmetic != expr::SetAction::Arithmetic::None) return Type::N;
  if (action.left.kind == expr::Operand::Kind::Constant) return action.left.value.type();
  if (action.left.kind == expr::Operand::Kind::Computed &&
      action.left.call->function == expr::Function::ListAppend) {
    return Type::L;
  }
  return std::nullopt;
}

// The type from the only action that targets the whole attribute; no two do.
std::optional<Type> static_type(const expr::Update& update, std::string_view name) {
  for (const expr::SetAction& action : update.sets) {
    if (is_whole(action.target, name)) return static_type(action);
  }
  for (const auto actions : {update.adds, update.deletes}) {
    for (const expr::ValueAction& action : actions) {
      if (is_whole(action.target, name)) return action.operand.value.type();
    }
  }
  return std::nullopt;
}

bool sets_empty(const expr::Update& update, std::string_view name) {
  return std::any_of(update.sets.begin(), update.sets.end(), [&](const expr::SetAction& action) {
    return is_whole(action.target, name) &&
           action.arithmetic == expr::SetAction::Arithmetic::None &&
           action.left.kind == expr::Operand::Kind::Constant &&
           is_empty_key_value(action.left.value);
  });
}

Result<void> check_static_types(const Table& table, const expr::Update& update) {
  return for_each_index_key(
      table, [&](const KeyAttribute& key, const std::string& index_name) -> Result<void> {
        const auto type = static_type(update, key.name);
        if (!type) return {};
        if (*type != key.type) return index_key_mismatch(key, *type, index_name);
        if (sets_empty(update, key.name)) return empty_index_key(key.type);
        return {};
      });
}

// Several sort keys of an index share the limit.
Result<void> check_sizes(const std::vector<KeyAttribute>& keys, const expr::Update& update,
                         Item after, std::size_t size_bytes_max) {
  std::size_t size_bytes = 0;
  bool is_touched = false;
  for (const KeyAttribute& key : keys) {
    is_touched = is_touched || is_updated(update, key.name);
    const Value* value = find_attribute(after, key.name);
    if (value != nullptr && value->type() == key.type) size_bytes += value->bytes().size();
  }
  if (!is_touched || size_bytes <= size_bytes_max) return {};
  return Error::validation(
      "The update expression attempted to update the secondary index key beyond allowed size "
      "limits");
}

// Of an index that is being built and whose keys are updated, all of them: those that were stored
// before it, too.
template <class Index>
Result<void> check_backfilled(const Index& index, const expr::Update& update, Item after) {
  if (!is_being_built(index)) return {};
  const auto is_key_updated = [&](const KeyAttribute& key) { return is_updated(update, key.name); };
  const auto violates = [&](const KeyAttribute& key) {
    const Value* const value = find_attribute(after, key.name);
    return value != nullptr && (value->type() != key.type || is_empty_key_value(*value));
  };
  const auto any_key = [&](const auto& holds) {
    return std::any_of(index.partition_keys.begin(), index.partition_keys.end(), holds) ||
           std::any_of(index.sort_keys.begin(), index.sort_keys.end(), holds);
  };
  if (any_key(is_key_updated) && any_key(violates)) return violates_backfilling_index();
  return {};
}

template <class Index>
Result<void> check_index_sizes(const Index& index, const expr::Update& update, Item after) {
  STATOR_CHECK(check_sizes(index.partition_keys, update, after, limits::kPartitionKeyBytesMax));
  return check_sizes(index.sort_keys, update, after, limits::kSortKeyBytesMax);
}

}  // namespace

Result<void> check_update_of_keys(const Table& table, const expr::Update& update) {
  if (is_updated(update, table.partition_key.name)) return part_of_key(table.partition_key);
  if (table.sort_key && is_updated(update, table.sort_key->name)) {
    return part_of_key(*table.sort_key);
  }
  STATOR_CHECK(check_static_types(table, IndexKeyActions(table, update).get()));
  if (update.is_legacy) return {};  // all its paths are whole attributes
  return check_key_paths(table, expr::all_paths(update));
}

Result<void> check_index_keys_not_empty(const Table& table, const expr::Update& update) {
  const IndexKeyActions actions(table, update);
  return for_each_index_key(
      table, [&](const KeyAttribute& key, const std::string&) -> Result<void> {
        if (static_type(actions.get(), key.name) == key.type && sets_empty(actions.get(), key.name))
          return empty_index_key(key.type);
        return {};
      });
}

Result<void> check_updated_index_keys(const Table& table, const expr::Update& update, Item after) {
  if (!table.has_indexes()) return {};
  const IndexKeyActions actions(table, update);
  STATOR_CHECK(
      for_each_index_key(table, [&](const KeyAttribute& key, const std::string&) -> Result<void> {
        if (!is_updated(actions.get(), key.name)) return {};
        const Value* const value = find_attribute(after, key.name);
        if (value == nullptr) return {};
        if (value->type() != key.type) {
          return Error::validation(
              "The update expression attempted to update the secondary index key to unsupported "
              "type");
        }
        if (is_empty_key_value(*value)) return empty_index_key(key.type);
        return {};
      }));
  return check_each_index(table, [&](const auto& index) -> Result<void> {
    STATOR_CHECK(check_backfilled(index, actions.get(), after));
    return check_index_sizes(index, actions.get(), after);
  });
}

Result<void> check_update_charge(const expr::Update& update, Item before) {
  if (update.is_legacy) return {};
  return check_updated_size(expr::update_charge_bytes(update, before));
}

Result<void> check_updated_size(std::size_t after_size_bytes) {
  if (after_size_bytes <= limits::kItemBytesMax) return {};
  return expr::update_too_large();
}

bool can_create(const expr::Update* update) {
  return update == nullptr || update->targets.empty() || !update->sets.empty() ||
         !update->adds.empty();
}

}  // namespace stator
