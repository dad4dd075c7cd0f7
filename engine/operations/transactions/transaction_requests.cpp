#include "engine/operations/transactions/transaction_requests.h"

#include <algorithm>
#include <string>

#include "engine/operations/transactions/cancellation.h"

namespace stator {
namespace {

template <class Action>
class Locator {
 public:
  Locator(std::span<const Action> actions, const Snapshot& snapshot, Call& call)
      : actions_(actions), snapshot_(snapshot), call_(call) {
    located_.keys.reserve(actions.size());
  }

  Result<LocatedActions> locate_all() {
    for (const Action& action : actions_) {
      // Most transactions use one table.
      if (table_ == nullptr || action.table_name != table_name_) {
        auto table = snapshot_.item_table(call_, action.table_name);
        if (!table) return has_item_twice() ? multiple_operations() : std::move(table).error();
        table_ = *table;
        table_name_ = action.table_name;
      }
      LocatedKey located{table_, {}};
      if (auto key = locate(*table_, action.plan)) {
        located.key = *key;
      } else {
        STATOR_CHECK(check_keys_not_empty(*table_, action.plan));
        if (!located_.misfit) located_.misfit.emplace(located_.keys.size(), std::move(key).error());
      }
      located_.keys.push_back(located);
    }
    if (has_item_twice()) return multiple_operations();
    return std::move(located_);
  }

 private:
  bool has_item_twice() const {
    return !located_.misfit && has_duplicates(std::span<const LocatedKey>(located_.keys));
  }

  std::span<const Action> actions_;
  const Snapshot& snapshot_;
  Call& call_;
  const Table* table_ = nullptr;  // of the last action, with the name used there
  std::string_view table_name_;
  LocatedActions located_;
};

}  // namespace

Result<LocatedActions> locate_actions(std::span<const WriteAction> actions,
                                      const Snapshot& snapshot, Call& call) {
  return Locator<WriteAction>(actions, snapshot, call).locate_all();
}

Result<LocatedActions> locate_actions(std::span<const GetAction> actions, const Snapshot& snapshot,
                                      Call& call) {
  return Locator<GetAction>(actions, snapshot, call).locate_all();
}

void TransactionCapacity::add(const Table& table, std::string_view table_name,
                              std::span<const Charge> charges) {
  auto known = std::find_if(tables_.begin(), tables_.end(),
                            [&](const Table* other) { return other->space == table.space; });
  if (known == tables_.end()) {
    known = tables_.insert(known, &table);
    capacities_.push_back({table_name, {}});
  }
  capacities_[static_cast<std::size_t>(known - tables_.begin())].consumed.add(charges);
}

Error payload_too_large(std::size_t size_bytes) {
  const std::string text =
      "Transaction payload size cannot exceed 4MB. Payload Size: " + std::to_string(size_bytes);
  return Error::validation("Transaction payload size cannot exceed 4MB. Payload Size: : " + text);
}

}  // namespace stator
