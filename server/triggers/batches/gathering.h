// Gathering: the records that become a lane's next batch.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "engine/seams/clock.h"
#include "server/triggers/batches/trigger_record.h"

namespace stator::triggers {

struct MappingSettings;

class Gathering {
 public:
  bool is_empty() const { return records_.empty(); }
  std::size_t count() const { return records_.size(); }
  std::size_t bytes() const { return bytes_; }
  const std::vector<TriggerRecord>& records() const { return records_; }

  // Whether the record fits into the same event, which has `more_bytes` besides the records. The
  // first one always does.
  bool takes(const TriggerRecord& record, const MappingSettings& settings,
             std::size_t more_bytes) const;
  // `now`: when it was read.
  void add(TriggerRecord record, Timestamp now);
  // Whether there are as many as a batch has.
  bool has_all(const MappingSettings& settings) const;
  // When the batching window is over. It begins with the first record, or when the call before
  // ended, whichever is later. REQUIRES: not empty.
  Timestamp due(const MappingSettings& settings, Timestamp call_ended) const;
  std::vector<TriggerRecord> take() {
    bytes_ = 0;
    return std::exchange(records_, {});
  }

 private:
  std::vector<TriggerRecord> records_;
  std::size_t bytes_ = 0;
  Timestamp since_ = {};
};

}  // namespace stator::triggers
