#include "engine/mutation.h"

namespace stator {

void Mutation::clear() {
  records_.clear();
  stats_.clear();
  collections_.clear();
  tables_.clear();
  erased_tables_.clear();
}

void Mutation::count(storage::SpaceId space, SpaceStats difference) {
  if (difference.item_count == 0 && difference.size_bytes == 0) return;
  stats_.push_back({space, difference});
}

void Mutation::count_collection(storage::SpaceId space, std::string_view partition,
                                std::int64_t size_bytes) {
  if (size_bytes != 0) collections_.push_back({space, partition, size_bytes});
}

}  // namespace stator
