#include "engine/catalog/consumers.h"

#include <charconv>

#include "engine/storage/stores/journal.h"

namespace stator {
namespace {

// Persisted: never change.
constexpr std::string_view kLateIndexPrefix = "index/";
constexpr std::string_view kStreamPrefix = "stream/";
constexpr std::string_view kEndedStreamPrefix = "ended-stream/";
constexpr std::string_view kCopyPrefix = "copy/";
constexpr std::string_view kKinesisPrefix = "kinesis/";
constexpr std::string_view kKeptPrefix = "kept/";

// The number after the prefix; empty if the name has another form.
template <class Number>
std::optional<Number> number_behind(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  Number number = 0;
  const char* end = name.data() + name.size();
  const auto [read_to, failure] = std::from_chars(name.data(), end, number);
  if (failure != std::errc() || read_to != end) return std::nullopt;
  return number;
}

}  // namespace

std::string late_index_consumer(storage::SpaceId index) {
  return std::string(kLateIndexPrefix) + std::to_string(static_cast<std::uint32_t>(index));
}

std::optional<storage::SpaceId> late_index_of(std::string_view consumer) {
  const auto space = number_behind<std::uint32_t>(kLateIndexPrefix, consumer);
  return space ? std::optional(storage::SpaceId{*space}) : std::nullopt;
}

std::string stream_consumer(std::uint64_t stream) {
  return std::string(kStreamPrefix) + std::to_string(stream);
}

std::string ended_stream_consumer(std::uint64_t stream) {
  return std::string(kEndedStreamPrefix) + std::to_string(stream);
}

std::optional<std::uint64_t> stream_of(std::string_view consumer) {
  const auto number = number_behind<std::uint64_t>(kStreamPrefix, consumer);
  return number ? number : number_behind<std::uint64_t>(kEndedStreamPrefix, consumer);
}

std::string kinesis_consumer(std::uint64_t destination) {
  return std::string(kKinesisPrefix) + std::to_string(destination);
}

std::optional<std::uint64_t> kinesis_destination_of(std::string_view consumer) {
  return number_behind<std::uint64_t>(kKinesisPrefix, consumer);
}

std::string copy_consumer(storage::SpaceId target) {
  return std::string(kCopyPrefix) + std::to_string(static_cast<std::uint32_t>(target));
}

std::optional<storage::SpaceId> copy_target_of(std::string_view consumer) {
  const auto space = number_behind<std::uint32_t>(kCopyPrefix, consumer);
  return space ? std::optional(storage::SpaceId{*space}) : std::nullopt;
}

std::string kept_changes_consumer(std::chrono::seconds period) {
  return std::string(kKeptPrefix) + std::to_string(period.count());
}

std::optional<std::chrono::seconds> kept_period_of(std::string_view consumer) {
  const auto seconds = number_behind<std::uint32_t>(kKeptPrefix, consumer);
  return seconds ? std::optional(std::chrono::seconds(*seconds)) : std::nullopt;
}

Result<std::shared_ptr<const Consumers>> Consumers::load(const storage::Transaction& transaction) {
  auto loaded = std::make_shared<Consumers>();
  STATOR_TRY(const auto stored, storage::all_consumers(transaction));
  for (const storage::Consumer& consumer : stored) {
    if (!consumer.name.starts_with(kEndedStreamPrefix))
      loaded->insert(consumer.table, consumer.name);
  }
  return std::shared_ptr<const Consumers>(std::move(loaded));
}

void Consumers::insert(storage::SpaceId table, std::string_view name) {
  std::set<std::string> names = of(table);
  names.emplace(name);
  by_table_ = by_table_.with(table, std::move(names));
  if (const auto index = late_index_of(name)) late_indexes_ = late_indexes_.with(*index, table);
}

std::set<std::string> Consumers::of(storage::SpaceId table) const {
  const std::set<std::string>* found = by_table_.find(table);
  return found == nullptr ? std::set<std::string>() : *found;
}

std::optional<Consumers::LateIndex> Consumers::any_late_index() const {
  const auto* first = late_indexes_.first();
  if (first == nullptr) return std::nullopt;
  return LateIndex{first->value, first->key};
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
  std::set<std::string> names = of(table);
  names.erase(std::string(name));
  next->by_table_ = names.empty() ? by_table_.without(table) : by_table_.with(table, names);
  if (const auto index = late_index_of(name)) next->late_indexes_ = late_indexes_.without(*index);
  return next;
}

}  // namespace stator
