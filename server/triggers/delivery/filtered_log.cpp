#include "server/triggers/delivery/filtered_log.h"

#include <cstddef>
#include <utility>

#include "server/triggers/delivery/invocation_log.h"

namespace stator::triggers {

namespace {

constexpr std::size_t kRecordsMax = 100;
constexpr std::size_t kRecordShownBytes = std::size_t{4} << 10;

void write_record(JsonWriter& json, const FilteredRecord& record) {
  json.begin_object();
  json.member("number", static_cast<std::int64_t>(record.number));
  json.member("mapping", record.uuid);
  json.member("function", record.function_arn);
  json.member("shardId", record.shard_id);
  json.member("sequenceNumber", record.sequence);
  json.key("filters");
  json.begin_array();
  for (const RecordFilter::Mismatch& mismatch : record.mismatches) {
    json.begin_object();
    json.member("field", mismatch.path);
    json.member("reason", mismatch.reason);
    json.end_object();
  }
  json.end_array();
  json.member("record", record.record);
  json.end_object();
}

}  // namespace

void FilteredLog::add(FilteredRecord record) {
  record.number = ++last_;
  cut_text(record.record, kRecordShownBytes);
  records_.push_back(std::move(record));
  if (records_.size() > kRecordsMax) records_.pop_front();
}

void FilteredLog::write(JsonWriter& json, std::uint64_t since) const {
  json.key("records");
  json.begin_array();
  for (const FilteredRecord& record : records_) {
    if (record.number > since) write_record(json, record);
  }
  json.end_array();
  json.member("last", static_cast<std::int64_t>(last_));
  json.member("lost", count_lost(last_ - records_.size(), since));
}

}  // namespace stator::triggers
