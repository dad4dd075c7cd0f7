// StreamReaders: who has read which shard of a stream last, and how far (GetRecords), for
// /_stator/streams. In memory; the oldest make room for new ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/seams/clock.h"

namespace stator {

// A client by its User-Agent and access key, with one shard.
struct ShardReader {
  std::string agent;  // its first kAgentBytesMax bytes
  std::string access_key;
  std::uint64_t stream = 0;
  std::string shard_id;
  std::uint64_t position = 0;  // the first number that it has not read
  bool has_ended = false;      // it has read the closed shard to its end
  Timestamp last_seen;         // by the engine's clock

  static constexpr std::size_t kAgentBytesMax = 200;
};

// Where a successful GetRecords has left its shard; empty if it was of another service. `asked` is
// the body of the request, `answered` that of the response; both are JSON. Agent, key and time are
// still to be set.
std::optional<ShardReader> position_after(std::string_view asked, std::string_view answered);

// Any thread may call everything.
class StreamReaders {
 public:
  static constexpr std::size_t kReadersMax = 100;

  void note(ShardReader reader);
  // The last seen first.
  std::vector<ShardReader> list() const;

 private:
  mutable std::mutex mutex_;
  std::vector<ShardReader> readers_;  // the last seen last; guarded by mutex_
};

}  // namespace stator
