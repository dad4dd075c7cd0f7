#include "server/kinesis/record_window.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace stator {

std::vector<const KinesisQueueRecord*> RecordWindow::next_batch(std::size_t records_max) const {
  std::vector<const KinesisQueueRecord*> batch;
  std::unordered_set<std::string_view> keys;
  std::size_t bytes = 0;
  for (const KinesisQueueRecord& record : records_) {
    if (batch.size() == std::min(records_max, kBatchRecordsMax)) break;
    const bool is_taken = record.change < position_ || taken_.contains(record.change);
    if (is_taken || !keys.insert(record.partition_key).second) continue;
    bytes += record.data.size();
    if (!batch.empty() && bytes > kBatchBytesMax) break;
    batch.push_back(&record);
  }
  return batch;
}

std::uint64_t RecordWindow::take(const std::vector<const KinesisQueueRecord*>& batch,
                                 const std::vector<bool>& flags) {
  for (std::size_t i = 0; i < batch.size() && i < flags.size(); ++i)
    if (flags[i]) taken_.insert(batch[i]->change);
  for (const KinesisQueueRecord& record : records_) {
    if (record.change < position_) continue;
    position_ = record.change;
    if (!taken_.contains(record.change)) break;
    ++position_;
  }
  taken_.erase(taken_.begin(), taken_.lower_bound(position_));
  return position_;
}

}  // namespace stator
