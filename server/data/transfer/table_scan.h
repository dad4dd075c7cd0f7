// Reads a whole table with several threads, each a segment of a Scan.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/data/transfer/dynamodb_client.h"

namespace stator::data {

// The Limit of a Scan without another one. Without a limit, DynamoDB Local sorts the rest of the
// table for each page: in a table of 200,000 items a page of 1 MB took 9 s, and with a limit 0.8 s.
// 5,000 items exceed 1 MB unless they are smaller than 200 bytes.
inline constexpr std::uint64_t kScanPageItems = 5'000;

struct Segment {
  unsigned number = 0;
  unsigned total = 1;
  std::string start_key;  // JSON of the ExclusiveStartKey; empty: from the start
};

// Receives a page: its Items, an array, and the JSON of the next start key, empty after the last
// page. An error ends the scan.
using PageTaker =
    std::function<tl::expected<void, Failure>(const JsonNode& items, const std::string& next_key)>;

// Uses consistent reads. Ends with the segment, an error or an interruption.
tl::expected<void, Failure> scan_segment(DynamodbClient& client, std::string_view table,
                                         Segment segment, const PageTaker& take);

// Runs `work` for 0 to `count` - 1, each on its own thread with its own client, and waits for all.
// After an error `is_over` returns true, and the other threads stop at their next page. Returns the
// first error. REQUIRES: the endpoint has responded before.
tl::expected<void, Failure> in_parallel(
    const Endpoint& endpoint, unsigned count,
    const std::function<tl::expected<void, Failure>(DynamodbClient& client, unsigned number,
                                                    const std::function<bool()>& is_over)>& work);

}  // namespace stator::data
