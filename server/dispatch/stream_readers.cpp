#include "server/dispatch/stream_readers.h"

#include <algorithm>
#include <utility>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "streams/iterator_token.h"

namespace stator {

namespace {

constexpr std::string_view kNextIterator = R"("NextShardIterator":")";

// The iterator at the end of a response; empty if the shard has no more records. A text of an item
// cannot be taken for it, because its quotes are escaped.
std::string_view next_iterator(std::string_view answered) {
  const std::size_t begin = answered.rfind(kNextIterator);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = answered.substr(begin + kNextIterator.size());
  return rest.substr(0, rest.find('"'));
}

std::string iterator_in(std::string_view asked) {
  std::string body(asked);
  Arena arena;
  const auto tree = read_json(body, arena);
  if (!tree || tree->kind() != JsonNode::Kind::Object) return {};
  const JsonNode* const iterator = tree->find("ShardIterator");
  const bool is_text = iterator != nullptr && iterator->kind() == JsonNode::Kind::String;
  return is_text ? std::string(iterator->text()) : std::string();
}

bool is_same_reader(const ShardReader& a, const ShardReader& b) {
  return a.stream == b.stream && a.shard_id == b.shard_id && a.agent == b.agent &&
         a.access_key == b.access_key;
}

}  // namespace

std::optional<ShardReader> position_after(std::string_view asked, std::string_view answered) {
  const std::string_view next = next_iterator(answered);
  const auto token = next.empty() ? read_own_token(iterator_in(asked)) : read_own_token(next);
  if (!token) return std::nullopt;
  ShardReader reader;
  reader.stream = token->stream;
  reader.shard_id = token->shard_id;
  reader.position = token->position;
  reader.has_ended = next.empty();
  return reader;
}

void StreamReaders::note(ShardReader reader) {
  const std::lock_guard lock(mutex_);
  const auto known =
      std::find_if(readers_.begin(), readers_.end(),
                   [&reader](const ShardReader& one) { return is_same_reader(one, reader); });
  if (known != readers_.end()) {
    readers_.erase(known);
  } else if (readers_.size() == kReadersMax) {
    readers_.erase(readers_.begin());
  }
  readers_.push_back(std::move(reader));
}

std::vector<ShardReader> StreamReaders::list() const {
  const std::lock_guard lock(mutex_);
  return {readers_.rbegin(), readers_.rend()};
}

}  // namespace stator
