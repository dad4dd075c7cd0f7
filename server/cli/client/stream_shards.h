// Which shards of a stream to read next. A shard waits for its parent, so that the changes of a key
// come in their order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/json/json_tree.h"

namespace stator::client {

enum class StreamStart : std::uint8_t { Latest, Oldest };

struct StreamShard {
  std::string id;
  std::string parent = {};    // empty: none
  std::string iterator = {};  // of the next page; empty: none is there yet
  std::string sequence = {};  // of the last record; empty: none was read
  bool is_whole = false;      // it is read from its first record, whatever the start
  bool is_closed = false;     // no record follows those it has
  bool is_read = false;       // to its end
  bool is_listed = false;     // in the list that is being read

  // Reads next what the stream still has of it.
  void read_from_start() {
    sequence.clear();
    is_whole = true;
  }
};

class StreamShards {
 public:
  explicit StreamShards(StreamStart start) : start_{start} {}

  // Adds the shards of a page of DescribeStream: the member StreamDescription.
  void add(const JsonNode& description);
  // Call after the last page of a list. Forgets the shards that were not in it.
  void end_list();

  // The shards that can be read now: not to their end, with a parent that is gone or read. They
  // live until the next end_list().
  std::vector<StreamShard*> readable();

  // The body of GetShardIterator for the shard of the stream, an ARN.
  std::string iterator_request(std::string_view stream, const StreamShard& shard) const;

 private:
  StreamStart start_;
  bool is_first_list_ = true;
  std::map<std::string, StreamShard> shards_;  // ids sort by age
};

}  // namespace stator::client
