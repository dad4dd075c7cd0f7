#include "engine/state/mutation.h"

#include <algorithm>

namespace stator {

void Mutation::clear() {
  origin_ = storage::Origin::User;
  items_.clear();
  records_.clear();
  entries_.clear();
  expiries_.clear();
  token_.reset();
  stats_.clear();
  collections_.clear();
  held_.clear();
  tables_.clear();
  erased_tables_.clear();
  backups_.clear();
  erased_backups_.clear();
  exports_.clear();
  erased_exports_.clear();
  imports_.clear();
  erased_imports_.clear();
  bulk_jobs_.clear();
  erased_bulk_jobs_.clear();
  kinesis_streams_.clear();
  erased_kinesis_streams_.clear();
}

bool Mutation::begins_copy() const {
  constexpr storage::SpaceId kNew{};
  return std::any_of(backups_.begin(), backups_.end(),
                     [](const Backup& backup) { return backup.space == kNew; }) ||
         std::any_of(exports_.begin(), exports_.end(),
                     [](const ExportJob& job) { return job.space == kNew; }) ||
         std::any_of(tables_.begin(), tables_.end(),
                     [](const Table& table) { return table.restore && table.space == kNew; });
}

void Mutation::apply_entry(const EntryChange& change) {
  if (change.erased) erase_record(*change.erased);
  if (change.put) put_record(*change.put, change.record);
  count(change.space, change.difference);
}

void Mutation::count(storage::SpaceId space, SpaceStats difference) {
  if (difference.item_count == 0 && difference.size_bytes == 0) return;
  stats_.push_back({space, difference});
}

void Mutation::count_collection(storage::SpaceId space, std::string_view partition,
                                std::int64_t size_bytes) {
  if (size_bytes == 0) return;
  for (CollectionChange& change : collections_) {
    if (change.space != space || change.partition != partition) continue;
    change.size_bytes += size_bytes;
    return;
  }
  collections_.push_back({space, partition, size_bytes});
}

}  // namespace stator
