// Reading a whole table by several threads, each its segment of a Scan.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/data/dynamodb_client.h"

namespace stator::data {

struct Segment {
  unsigned number = 0;
  unsigned total = 1;
  std::string start_key;  // JSON of where it goes on; empty: from its start
};

// What becomes of a page: its Items, an array, and the JSON of where the next one starts, empty
// behind the last. The error ends the scan.
using PageTaker =
    std::function<tl::expected<void, Failure>(const JsonNode& items, const std::string& next_key)>;

// Consistent reads. Ends with the segment, an error or an interruption.
tl::expected<void, Failure> scan_segment(DynamodbClient& client, std::string_view table,
                                         Segment segment, const PageTaker& take);

// Runs `work` for 0 to `count` - 1, each on a thread of its own with a client of its own, until all
// have ended. REQUIRES: the endpoint answered before. The first error; the others are told by
// `is_over` to stop at their next page.
tl::expected<void, Failure> in_parallel(
    const Endpoint& endpoint, unsigned count,
    const std::function<tl::expected<void, Failure>(DynamodbClient& client, unsigned number,
                                                    const std::function<bool()>& is_over)>& work);

}  // namespace stator::data
