#include "tests/model/data_plane/oracle/write_rules.h"

#include <algorithm>

namespace stator::model {
namespace {

constexpr std::size_t kKeptItemBytesMax = 180'000;
constexpr std::size_t kItemAndEntriesBytesMax = 400'000;
constexpr std::size_t kDepthMax = 20;

}  // namespace

bool is_small_enough(const TableSchema& schema, const Item& item) {
  const auto copies = 1 + std::count_if(schema.indexes.begin(), schema.indexes.end(),
                                        [](const IndexSchema& index) { return !index.is_global; });
  const std::size_t size = size_bytes(item);
  return size <= kKeptItemBytesMax &&
         size * static_cast<std::size_t>(copies) <= kItemAndEntriesBytesMax &&
         std::all_of(item.begin(), item.end(),
                     [](const auto& member) { return depth(member.second) <= kDepthMax; });
}

std::string first_index_with(const TableSchema& schema, const KeyAttribute& key) {
  std::set<std::string> names;
  for (const IndexSchema& index : schema.indexes) {
    for (const auto& keys : {index.partition_keys, index.sort_keys}) {
      for (const KeyAttribute& each : keys) {
        if (each.name == key.name) names.insert(index.name);
      }
    }
  }
  return *names.begin();
}

std::set<std::string> type_mismatch(const TableSchema& schema, const KeyAttribute& key,
                                    Type actual) {
  return {"One or more parameter values were invalid: Type mismatch for Index Key " + key.name +
          " Expected: " + std::string(type_name(key.type)) + " Actual: " +
          std::string(type_name(actual)) + " IndexName: " + first_index_with(schema, key)};
}

bool only_takes(const Update& update) {
  return !update.actions.empty() &&
         std::all_of(update.actions.begin(), update.actions.end(), [](const Action& action) {
           return action.section == Action::Section::Remove ||
                  action.section == Action::Section::Delete;
         });
}

}  // namespace stator::model
