#include "engine/state/history.h"

#include <algorithm>

#include "engine/catalog/consumers.h"
#include "engine/storage/stores/journal.h"

namespace stator {
namespace {

// LMDB's layout: a record beside others in a page of 4 KiB, or, if it takes more than half of one,
// on pages of its own.
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kPageHeaderBytes = 16;
constexpr std::size_t kNodeBytes = 8 + 2 + 12;  // header, its place in the page, key
constexpr std::size_t kNodeMax = kPageBytes / 2 - kPageHeaderBytes;

constexpr std::int64_t kMicrosPerSecond = 1'000'000;

Timestamp whole_second(Timestamp time) { return {time.unix_s() * kMicrosPerSecond}; }

}  // namespace

std::int64_t stored_entry_bytes(std::size_t entry_bytes) {
  if (kNodeBytes + entry_bytes <= kNodeMax)
    return static_cast<std::int64_t>(kNodeBytes + entry_bytes);
  const std::size_t pages = (kPageHeaderBytes + entry_bytes + kPageBytes - 1) / kPageBytes;
  return static_cast<std::int64_t>(kNodeBytes + sizeof(std::uint64_t) + pages * kPageBytes);
}

std::chrono::microseconds history_period(const PointInTimeRecovery& recovery) {
  return std::chrono::hours(24) * recovery.period_days;
}

RecoveryWindow recovery_window(const PointInTimeRecovery& recovery, std::chrono::microseconds lag,
                               Timestamp now) {
  const Timestamp first = std::max(recovery.enabled, recovery.earliest);
  const Timestamp begin = std::max(first, now.plus(-history_period(recovery)));
  return {whole_second(begin), whole_second(std::max(first, now.plus(-lag))), begin};
}

bool RecoveryWindow::includes(Timestamp time) const {
  return end_of_moment(time) >= begin && whole_second(time) <= latest;
}

Timestamp end_of_moment(Timestamp time) {
  return whole_second(time) == time ? Timestamp{time.unix_us + kMicrosPerSecond - 1} : time;
}

Result<std::optional<storage::NumberedEntry>> first_of_history(
    const storage::Transaction& transaction, const Table& table) {
  STATOR_TRY(const auto position,
             storage::consumer_position(transaction, table.space, kHistoryConsumer));
  if (!position) return std::optional<storage::NumberedEntry>();
  return storage::find_in_journal(transaction, table.space, *position);
}

Result<void> give_up_history(const Table& table, const storage::NumberedEntry& first,
                             MutationApplier& batch, storage::WriteTransaction& transaction) {
  batch.count_history(table, {-1, -stored_entry_bytes(first.bytes.size())});
  return storage::put_consumer(transaction,
                               {table.space, std::string(kHistoryConsumer), first.number + 1});
}

}  // namespace stator
