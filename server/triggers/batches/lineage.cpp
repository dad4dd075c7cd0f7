#include "server/triggers/batches/lineage.h"

#include <algorithm>

namespace stator::triggers {

std::vector<std::size_t> readable_shards(
    const std::vector<Shard>& shards, const std::function<bool(std::string_view id)>& is_finished) {
  const auto exists = [&shards](std::string_view id) {
    const auto found = std::lower_bound(
        shards.begin(), shards.end(), id,
        [](const Shard& shard, std::string_view wanted) { return shard.id < wanted; });
    return found != shards.end() && found->id == id;
  };
  std::vector<std::size_t> readable;
  for (std::size_t place = 0; place < shards.size(); ++place) {
    const Shard& shard = shards[place];
    const bool waits = exists(shard.parent_id) && !is_finished(shard.parent_id);
    if (!waits && !is_finished(shard.id)) readable.push_back(place);
  }
  return readable;
}

}  // namespace stator::triggers
