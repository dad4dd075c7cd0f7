// The last records that no filter of their mapping matched, with the reason, for those who look.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "protocol/json/json_writer.h"
#include "streams/filters/record_filter.h"

namespace stator::triggers {

struct FilteredRecord {
  std::uint64_t number = 0;  // from 1, without gaps
  std::string uuid = {};
  std::string function_arn = {};
  std::string shard_id = {};
  std::string sequence = {};
  std::vector<RecordFilter::Mismatch> mismatches = {};  // of each filter, in their order
  std::string record = {};                              // as JSON, cut
};

class FilteredLog {
 public:
  // Sets the number; cuts the record.
  void add(FilteredRecord record);
  // Members of an object: "records", "last" and "lost", the number of those after `since` that are
  // gone.
  void write(JsonWriter& json, std::uint64_t since) const;

 private:
  std::deque<FilteredRecord> records_;
  std::uint64_t last_ = 0;
};

}  // namespace stator::triggers
