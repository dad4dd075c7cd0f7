#include "server/jobs/bulk_input.h"

#include <utility>

#include "server/data/transfer/ion_reader.h"
#include "server/jobs/job_parts.h"

namespace stator {

using data::StoreFailure;
using data::StoreResult;

namespace {

// Limits of the service (conformance/observed/bulk.md).
constexpr std::size_t kObjectsMax = 50'000;
constexpr std::int64_t kObjectBytesMax = std::int64_t{5} << 30;
// A commit has no more.
constexpr std::size_t kRecordsMax = 100;
constexpr std::size_t kBytesMax = std::size_t{1} << 20;

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

BulkInputReader::BulkInputReader(data::ObjectStore& store, const BulkInput& input)
    : store_(store), input_(input) {}

tl::expected<BulkInputReader, StoreFailure> BulkInputReader::open(data::ObjectStore& store,
                                                                  const BulkJob& job) {
  BulkInputReader reader(store, job.request.input);
  if (auto found = reader.find_objects(); !found) return tl::unexpected(std::move(found).error());
  reader.go_to(job.progress);
  return reader;
}

StoreResult BulkInputReader::find_objects() {
  if (auto found = store_.check_bucket(input_.bucket); !found) return found;
  auto listed = store_.list(input_.bucket, input_.prefix.value_or(""), [&](std::string_view key) {
    objects_.push_back({std::string(key)});
    return objects_.size() <= kObjectsMax;
  });
  if (!listed) return listed;
  if (objects_.size() > kObjectsMax) {
    return tl::unexpected(StoreFailure{
        "LimitExceeded", "The input has more than " + std::to_string(kObjectsMax) + " objects"});
  }
  for (Object& object : objects_) {
    const auto size = store_.size_bytes(input_.bucket, object.key);
    if (!size) return tl::unexpected(size.error());
    object.size_bytes = static_cast<std::int64_t>(*size);
    if (object.size_bytes > kObjectBytesMax) {
      return tl::unexpected(
          StoreFailure{"LimitExceeded", "The object " + object.key + " is larger than 5 GB"});
    }
    total_bytes_ += object.size_bytes;
  }
  return {};
}

void BulkInputReader::go_to(const BulkProgress& progress) {
  for (; next_object_ < objects_.size() && objects_[next_object_].key < progress.object_key;
       ++next_object_)
    bytes_before_ += objects_[next_object_].size_bytes;
  const bool is_begun =
      next_object_ < objects_.size() && objects_[next_object_].key == progress.object_key;
  if (is_begun) skipped_records_ = progress.object_records;
}

StoreResult BulkInputReader::open_next() {
  const std::string& key = objects_[next_object_].key;
  auto object = store_.open(input_.bucket, key);
  if (!object) {
    StoreFailure failure = std::move(object).error();
    failure.message += " (" + key + ")";
    return tl::unexpected(std::move(failure));
  }
  read_ = std::make_unique<data::ObjectRead>();
  file_.emplace(
      data::InputFile::of_source(std::make_unique<data::ObjectSource>(*std::move(object), *read_),
                                 key, packing_of(input_.compression)));
  next_record_ = 0;
  return {};
}

void BulkInputReader::close() {
  file_.reset();
  bytes_before_ += objects_[next_object_].size_bytes;
  ++next_object_;
  skipped_records_ = 0;
}

bool BulkInputReader::read(BulkRecord& record) {
  const bool is_ion = input_.format == ExportFormat::Ion;
  if (file_->line() == 1) file_->skip_byte_order_mark();
  std::string line;
  do {
    line.clear();
    if (!file_->take_line(line)) {
      if (file_->error().empty()) return false;
      record.problem = file_->error();
      break;
    }
  } while (is_blank(line) || (is_ion && data::is_ion_version(line)));
  record.object_key = objects_[next_object_].key;
  record.index = next_record_++;
  record.input_bytes = bytes_before_ + read_->size_bytes;
  if (!record.problem.empty()) return true;
  if (!is_ion) {
    record.text = std::move(line);
  } else if (auto read = data::append_ion_put_json(record.text, line); !read) {
    record.text.clear();
    record.problem = "The record cannot be read: " + read.error();
  }
  return true;
}

tl::expected<std::vector<BulkRecord>, StoreFailure> BulkInputReader::next() {
  std::vector<BulkRecord> records;
  std::size_t bytes = 0;
  while (records.size() < kRecordsMax && bytes < kBytesMax && next_object_ < objects_.size()) {
    if (!file_) {
      if (auto opened = open_next(); !opened) return tl::unexpected(std::move(opened).error());
    }
    BulkRecord record;
    const bool has_one = read(record);
    if (read_->failure) return tl::unexpected(*read_->failure);
    // A line that is too long, or bytes that cannot be unpacked: what follows is unknown.
    const bool is_broken = !file_->error().empty();
    if (has_one && record.index >= skipped_records_) {
      bytes += record.text.size();
      records.push_back(std::move(record));
    }
    if (!has_one || is_broken) close();
  }
  return records;
}

}  // namespace stator
