#include "server/triggers/batches/gathering.h"

#include <algorithm>
#include <chrono>

#include "server/triggers/mapping.h"

namespace stator::triggers {

bool Gathering::takes(const TriggerRecord& record, const MappingSettings& settings,
                      std::size_t more_bytes) const {
  if (records_.empty()) return true;
  const std::size_t commas = records_.size();
  return !has_all(settings) &&
         bytes_ + commas + record.json.size() + more_bytes + kEventFrameBytes <= kEventBytesMax;
}

void Gathering::add(TriggerRecord record, Timestamp now) {
  if (records_.empty()) since_ = now;
  bytes_ += record.json.size();
  records_.push_back(std::move(record));
}

bool Gathering::has_all(const MappingSettings& settings) const {
  return records_.size() >= static_cast<std::size_t>(settings.batch_size);
}

Timestamp Gathering::due(const MappingSettings& settings, Timestamp call_ended) const {
  return std::max(since_, call_ended).plus(std::chrono::seconds(settings.batching_window_s));
}

}  // namespace stator::triggers
