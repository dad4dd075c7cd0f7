// StreamWaits: readers of streams that wait for the end of a shard that stays open. Made from all
// recorded requests, because none of them shows it alone.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/stream_reader.h"
#include "engine/seams/clock.h"
#include "server/explain/requests/recent_requests.h"

namespace stator {

class StreamWaits {
 public:
  // Readers with fewer requests get no hint.
  static constexpr std::size_t kDescriptions = 3;
  static constexpr std::size_t kEmptyReads = 20;
  // Readers that pause longer between two reads know that a shard may have more to come.
  static constexpr std::chrono::milliseconds kPause{100};

  // Both must outlive this. Reads the requests when the first one to a stream needs them.
  StreamWaits(const RecentRequests& recent, const Snapshot& snapshot)
      : recent_(recent), streams_(snapshot) {}

  // The hint for a request, the last one of a reader that waits; empty for all others. REQUIRES:
  // the streams are those of `snapshot`.
  std::string hint_for(const RecentRequest& request, std::string_view scope);

 private:
  // What one access key did with a stream or a shard, newest request first.
  struct Reader {
    std::vector<Timestamp> times = {};
    std::uint64_t newest = 0;  // number of the request
    bool has_ended = false;    // an older request was of another kind
  };
  using Readers = std::map<std::string, Reader, std::less<>>;

  void read_requests();
  void note(const RecentRequest& request);
  void note_read(const RecentRequest& request, std::string_view iterator);
  std::string description_hint(const RecentRequest& request, std::string_view scope) const;
  std::string read_hint(const RecentRequest& request) const;

  const RecentRequests& recent_;
  StreamReader streams_;
  bool is_read_ = false;
  Readers descriptions_;                                   // by the stream's ARN
  Readers empty_reads_;                                    // by the iterator's stream and shard
  std::map<std::string, bool, std::less<>> read_streams_;  // ARNs of those that any request read
};

}  // namespace stator
