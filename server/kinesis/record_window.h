// RecordWindow: the next records of one destination, and which of them to send now.
//
// Records of one key are sent one after the other, each after the one before was taken, so a stream
// has the changes of each item in their order, whatever fails. Other keys go on meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "engine/outbox/kinesis_queue.h"

namespace stator {

class RecordWindow {
 public:
  // The service's limit of one request; the bytes of data are half of its limit.
  static constexpr std::size_t kBatchRecordsMax = 500;
  static constexpr std::size_t kBatchBytesMax = std::size_t{5} << 20;

  // `records` are in the order of their changes, one at least; `taken` has the changes among them
  // that were taken already. Both must outlive this.
  RecordWindow(const std::vector<KinesisQueueRecord>& records, std::set<std::uint64_t>& taken)
      : records_(records), taken_(taken), position_(records.front().change) {}

  // The records to send together, at most `records_max`: of each key the first that was not taken.
  // Empty if all were.
  std::vector<const KinesisQueueRecord*> next_batch(std::size_t records_max) const;

  // Says which records of a batch were taken: one flag for each. Returns the position after the
  // records that were taken without a gap; `taken` then has those after it.
  std::uint64_t take(const std::vector<const KinesisQueueRecord*>& batch,
                     const std::vector<bool>& flags);

 private:
  const std::vector<KinesisQueueRecord>& records_;
  std::set<std::uint64_t>& taken_;
  std::uint64_t position_;  // all before it were taken
};

}  // namespace stator
