#include "tests/model/data_plane/write_rules.h"

#include <algorithm>

namespace stator::model {
namespace {

constexpr std::size_t kItemBytesMax = 180'000;
constexpr std::size_t kDepthMax = 20;

}  // namespace

bool is_small_enough(const Item& item) {
  return size_bytes(item) <= kItemBytesMax &&
         std::all_of(item.begin(), item.end(),
                     [](const auto& member) { return depth(member.second) <= kDepthMax; });
}

// `Type mismatch for Index Key …`, with the first index by name that has the key.
std::set<std::string> type_mismatch(const TableSchema& schema, const KeyAttribute& key,
                                    Type actual) {
  std::set<std::string> names;
  for (const IndexSchema& index : schema.indexes) {
    for (const auto& keys : {index.partition_keys, index.sort_keys}) {
      for (const KeyAttribute& each : keys) {
        if (each.name == key.name) names.insert(index.name);
      }
    }
  }
  return {"One or more parameter values were invalid: Type mismatch for Index Key " + key.name +
          " Expected: " + std::string(type_name(key.type)) +
          " Actual: " + std::string(type_name(actual)) + " IndexName: " + *names.begin()};
}

bool only_takes(const Update& update) {
  return !update.actions.empty() &&
         std::all_of(update.actions.begin(), update.actions.end(), [](const Action& action) {
           return action.section == Action::Section::Remove ||
                  action.section == Action::Section::Delete;
         });
}

}  // namespace stator::model
