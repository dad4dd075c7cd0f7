#include "server/cli/client/stream_shards.h"

#include "protocol/json/json_writer.h"
#include "server/data/transfer/json_text.h"

namespace stator::client {

void StreamShards::add(const JsonNode& description) {
  const JsonNode* const shards = description.find("Shards");
  if (shards == nullptr || shards->kind() != JsonNode::Kind::Array) return;
  for (const JsonNode& node : shards->elements()) {
    const std::string id{data::text_in(node, "ShardId")};
    const auto [place, is_added] = shards_.try_emplace(id);
    StreamShard& shard = place->second;
    shard.is_listed = true;
    const JsonNode* const range = node.find("SequenceNumberRange");
    shard.is_closed = range != nullptr && range->has("EndingSequenceNumber");
    if (!is_added) continue;
    shard.id = id;
    shard.parent = data::text_in(node, "ParentShardId");
    shard.is_whole = !is_first_list_;  // it began after the first list
  }
}

void StreamShards::end_list() {
  // A watch that begins with the latest record has nothing to read in shards that are closed
  // already.
  if (is_first_list_ && start_ == StreamStart::Latest)
    for (auto& [id, shard] : shards_) shard.is_read = shard.is_closed;
  is_first_list_ = false;
  std::erase_if(shards_, [](const auto& entry) { return !entry.second.is_listed; });
  for (auto& [id, shard] : shards_) shard.is_listed = false;
}

std::vector<StreamShard*> StreamShards::readable() {
  std::vector<StreamShard*> result;
  for (auto& [id, shard] : shards_) {
    const auto parent = shards_.find(shard.parent);
    const bool waits = parent != shards_.end() && !parent->second.is_read;
    if (!shard.is_read && !waits) result.push_back(&shard);
  }
  return result;
}

std::string StreamShards::iterator_request(std::string_view stream,
                                           const StreamShard& shard) const {
  std::string_view type = "TRIM_HORIZON";
  if (!shard.sequence.empty()) {
    type = "AFTER_SEQUENCE_NUMBER";
  } else if (start_ == StreamStart::Latest && !shard.is_whole) {
    type = "LATEST";
  }
  std::string body;
  JsonWriter json{body};
  json.begin_object();
  json.member("StreamArn", stream);
  json.member("ShardId", shard.id);
  json.member("ShardIteratorType", type);
  if (!shard.sequence.empty()) json.member("SequenceNumber", shard.sequence);
  json.end_object();
  return body;
}

}  // namespace stator::client
