#include "engine/state/consumers.h"

#include <charconv>

#include "engine/storage/journal.h"

namespace stator {
namespace {

// Persisted: never change.
constexpr std::string_view kLateIndexPrefix = "index/";

}  // namespace

std::string late_index_consumer(storage::SpaceId index) {
  return std::string(kLateIndexPrefix) + std::to_string(static_cast<std::uint32_t>(index));
}

std::optional<storage::SpaceId> late_index_of(std::string_view consumer) {
  if (!consumer.starts_with(kLateIndexPrefix)) return std::nullopt;
  consumer.remove_prefix(kLateIndexPrefix.size());
  std::uint32_t space = 0;
  const char* end = consumer.data() + consumer.size();
  const auto [read_to, failure] = std::from_chars(consumer.data(), end, space);
  if (failure != std::errc() || read_to != end) return std::nullopt;
  return storage::SpaceId{space};
}

Result<std::shared_ptr<const Consumers>> Consumers::load(const storage::Transaction& transaction) {
  auto loaded = std::make_shared<Consumers>();
  STATOR_TRY(const auto stored, storage::all_consumers(transaction));
  for (const storage::Consumer& consumer : stored) loaded->insert(consumer.table, consumer.name);
  return std::shared_ptr<const Consumers>(std::move(loaded));
}

void Consumers::insert(storage::SpaceId table, std::string_view name) {
  by_table_[number(table)].emplace(name);
  if (const auto index = late_index_of(name)) late_indexes_.emplace(number(*index), table);
}

std::set<std::string> Consumers::of(storage::SpaceId table) const {
  const auto found = by_table_.find(number(table));
  return found == by_table_.end() ? std::set<std::string>() : found->second;
}

std::optional<Consumers::LateIndex> Consumers::any_late_index() const {
  if (late_indexes_.empty()) return std::nullopt;
  const auto& [index, table] = *late_indexes_.begin();
  return LateIndex{table, storage::SpaceId{index}};
}

std::shared_ptr<const Consumers> Consumers::with(storage::SpaceId table,
                                                 std::string_view name) const {
  auto next = std::make_shared<Consumers>(*this);
  next->insert(table, name);
  return next;
}

std::shared_ptr<const Consumers> Consumers::without(storage::SpaceId table,
                                                    std::string_view name) const {
  auto next = std::make_shared<Consumers>(*this);
  const auto found = next->by_table_.find(number(table));
  if (found == next->by_table_.end()) return next;
  found->second.erase(std::string(name));
  if (found->second.empty()) next->by_table_.erase(found);
  if (const auto index = late_index_of(name)) next->late_indexes_.erase(number(*index));
  return next;
}

}  // namespace stator
