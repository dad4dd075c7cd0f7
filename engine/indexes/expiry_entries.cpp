#include "engine/indexes/expiry_entries.h"

#include "engine/schema/expiry.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/item_store.h"
#include "protocol/number/number.h"

namespace stator {
namespace {

// The build handles items after its position.
bool maintains(const TimeToLive& expiry, const Table& table, const PrimaryKey& key) {
  if (!expiry.build) return true;
  if (expiry.build->done_partition.empty()) return false;
  return storage::compare_positions(
             store_key_of(table, key),
             {table.space, expiry.build->done_partition, expiry.build->done_sort}) <= 0;
}

}  // namespace

std::optional<std::uint64_t> expiry_due_s(const TimeToLive& expiry, std::string_view record) {
  const auto number = storage::EncodedItem(record).find_number(expiry.attribute_name);
  const auto whole_s = number ? whole_part(*number) : std::nullopt;
  return whole_s ? expiry_due_s(*whole_s) : std::nullopt;
}

std::optional<Mutation::ExpiryChange> expiry_change(const Table& table, const PrimaryKey& key,
                                                    std::optional<std::string_view> before,
                                                    std::optional<std::string_view> after) {
  const TimeToLive* expiry = table.expiry();
  if (expiry == nullptr || !maintains(*expiry, table, key)) return std::nullopt;
  const auto due_s = [&](const std::optional<std::string_view>& record) {
    return record ? expiry_due_s(*expiry, *record) : std::nullopt;
  };
  const Mutation::ExpiryChange change{expiry->space, key.partition, key.sort, due_s(before),
                                      due_s(after)};
  if (change.due_before_s == change.due_after_s) return std::nullopt;
  return change;
}

}  // namespace stator
