#include "server/jobs/import_runner.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/api/ready_imports.h"
#include "server/data/transfer/interrupt.h"
#include "server/jobs/import_log.h"
#include "server/jobs/import_reader.h"
#include "server/jobs/job_parts.h"
#include "server/log/log.h"

namespace stator {
namespace {

using data::StoreFailure;
using data::StoreResult;

// Bounds of a commit: each item touches pages of its own.
constexpr std::size_t kItemsInCommit = 250;
constexpr std::size_t kBytesInCommit = std::size_t{1} << 20;
// Keys that are listed at a time.
constexpr std::size_t kKeysMax = 1000;

class Importing {
 public:
  Importing(Engine& engine, ImportJob job, data::ObjectStore& store,
            const JobKind::MustStop& must_stop)
      : engine_(engine),
        job_(std::move(job)),
        store_(store),
        must_stop_(must_stop),
        log_(job_, store) {}

  ImportOutcome run() {
    std::vector<std::string> keys;
    StoreResult found = store_.check_bucket(bucket());
    if (found) found = list_after({}, keys);
    if (!found) return end_failed(found.error());
    if (!begin()) return *early_end_;
    for (; !keys.empty() && goes_on(); found = list_after(std::string(keys.back()), keys)) {
      for (const std::string& key : keys) {
        if (goes_on()) read_object(key);
      }
    }
    if (!found) failure_ = found.error();
    if (goes_on()) store_batch();
    return early_end_ ? *early_end_ : end();
  }

 private:
  const std::string& bucket() const { return job_.request.bucket; }
  bool goes_on() const { return !early_end_ && !failure_; }

  // The next keys after `last`; an empty text stands before all.
  StoreResult list_after(std::string_view last, std::vector<std::string>& keys) {
    keys.clear();
    return store_.list(bucket(), job_.request.prefix.value_or(""), [&](std::string_view key) {
      if (key > last) keys.emplace_back(key);
      return keys.size() < kKeysMax;
    });
  }

  // Makes the table. Returns false, with early_end_, if the import ends here.
  bool begin() {
    switch (begin_import(engine_, job_)) {
      case ImportCommit::Stored:
        resumed_ = progress_ = job_.progress;
        return true;
      case ImportCommit::TableExists:
        early_end_ = end_failed({"TableAlreadyExists", "Table already exists: " + job_.table.name});
        return false;
      case ImportCommit::TableGone:
        early_end_ = end_failed({"InternalServerError", "The table was removed during the import"});
        return false;
      case ImportCommit::Elsewhere:
        early_end_ = ImportOutcome::Elsewhere;
        return false;
      case ImportCommit::NotStored:
        break;
    }
    early_end_ = end_failed(not_stored("the table"));
    return false;
  }

  // Whether all of the object was stored before this run.
  bool was_read(std::string_view key) const {
    return key < resumed_.object_key || (key == resumed_.object_key && resumed_.is_object_read);
  }
  bool was_read(std::string_view key, std::uint64_t index) const {
    return was_read(key) || (key == resumed_.object_key && index < resumed_.object_records);
  }

  void read_object(const std::string& key) {
    const bool is_again = was_read(key);
    // What was stored before is read again only for its errors, as the log was not finished.
    if (is_again && (resumed_.error_count == 0 || log_.is_full())) return;
    if (!is_again && key != progress_.object_key) begin_object(key);
    auto object = store_.open(bucket(), key);
    if (!object) {
      if (!is_again) failure_ = std::move(object).error();
      return;
    }
    data::ObjectRead read;
    auto reader = open_import_object(job_, *std::move(object), key, read);
    std::string error = reader ? std::string() : reader.error();
    std::uint64_t count = 0;
    if (reader && *reader != nullptr) {
      count = read_records(key, **reader, read);
      error = (*reader)->error();
    }
    if (data::is_interrupted()) early_end_ = ImportOutcome::Interrupted;
    if (!is_again && read.failure && goes_on()) failure_ = std::move(read.failure);
    if (goes_on()) finish_object(key, count, read, error);
  }

  void begin_object(const std::string& key) {
    progress_.object_key = key;
    progress_.object_records = 0;
    progress_.is_object_read = false;
    progress_.object_bytes = 0;
  }

  // An object that cannot be read to its end is one error.
  void finish_object(const std::string& key, std::uint64_t count, const data::ObjectRead& read,
                     const std::string& error) {
    if (!error.empty()) log_.add(key, count, error);
    if (was_read(key)) return;
    if (!error.empty()) ++progress_.error_count;
    progress_.is_object_read = true;
    count_bytes(read);
  }

  void count_bytes(const data::ObjectRead& read) {
    const std::int64_t more = std::max<std::int64_t>(0, read.size_bytes - progress_.object_bytes);
    progress_.object_bytes += more;
    progress_.processed_bytes += more;
  }

  // Returns the number of records.
  std::uint64_t read_records(const std::string& key, data::RecordReader& reader,
                             const data::ObjectRead& read) {
    for (std::uint64_t index = 0;; ++index) {
      if (must_stop_()) early_end_ = ImportOutcome::Interrupted;
      auto record = std::make_unique<data::Record>();
      if (!goes_on() || !reader.next(*record)) return index;
      add_record(key, index, std::move(record), read);
    }
  }

  void add_record(const std::string& key, std::uint64_t index, std::unique_ptr<data::Record> record,
                  const data::ObjectRead& read) {
    const auto item = import_item_of(job_, *record);
    if (!item) log_.add(key, index, item.error());
    if (was_read(key, index)) return;
    ++progress_.object_records;
    ++progress_.processed_items;
    count_bytes(read);
    if (!item) {
      ++progress_.error_count;
      return;
    }
    ++progress_.imported_items;
    items_.push_back(*item);
    batch_bytes_ += record->raw.size();
    records_.push_back(std::move(record));
    if (items_.size() >= kItemsInCommit || batch_bytes_ >= kBytesInCommit) store_batch();
  }

  void store_batch() {
    if (progress_ == job_.progress) return;
    switch (store_import_items(engine_, job_, items_, progress_)) {
      case ImportCommit::Stored:
        job_.progress = progress_;
        break;
      case ImportCommit::NotStored:
        failure_ = not_stored("the items");
        break;
      default:
        early_end_ = ImportOutcome::Elsewhere;
    }
    items_.clear();
    records_.clear();
    batch_bytes_ = 0;
  }

  ImportOutcome end() {
    // The end of the process makes calls of the store fail.
    if (failure_ && must_stop_()) return ImportOutcome::Interrupted;
    log_.finish();
    if (failure_) return end_failed(*failure_);
    ImportEnd end;
    if (job_.progress.error_count > 0) {
      end.failure_code = "ItemValidationError";
      end.failure_message =
          "Some of the items failed validation checks and were not imported. Please check "
          "CloudWatch error logs for more details.";
    }
    return store_end(end);
  }

  // Without the table, which would be half of one.
  ImportOutcome end_failed(const StoreFailure& failure) {
    return store_end({failure.code, failure.message, /*keeps_table=*/false});
  }

  ImportOutcome store_end(const ImportEnd& end) {
    log_end(end);
    switch (end_import(engine_, job_, end)) {
      case ImportCommit::Stored:
        return ImportOutcome::Ended;
      case ImportCommit::NotStored:
        return ImportOutcome::StoreFailed;
      default:
        return ImportOutcome::Elsewhere;
    }
  }

  void log_end(const ImportEnd& end) const {
    const std::string what = "import " + job_.id + " of table " + job_.table.name;
    const std::string where = store_.where(bucket());
    const ImportProgress& done = job_.progress;
    if (end.failure_code.empty()) {
      log::info(what + ": " + std::to_string(done.imported_items) + " items from " + where);
    } else {
      log::warn(what + " failed: " + end.failure_code + ": " + end.failure_message + " (" +
                std::to_string(done.error_count) + " errors, the bucket is " + where + ")");
    }
  }

  Engine& engine_;
  ImportJob job_;  // with the stored progress
  data::ObjectStore& store_;
  const JobKind::MustStop& must_stop_;
  ImportLog log_;
  ImportProgress resumed_;   // stored before this run
  ImportProgress progress_;  // with what is in the batch
  // The batch; records have the bytes of the items.
  std::vector<std::unique_ptr<data::Record>> records_;
  std::vector<ImportItem> items_;
  std::size_t batch_bytes_ = 0;
  std::optional<StoreFailure> failure_;
  std::optional<ImportOutcome> early_end_;
};

}  // namespace

ImportOutcome run_import(Engine& engine, ImportJob job, data::ObjectStore& store,
                         const JobKind::MustStop& must_stop) {
  return Importing(engine, std::move(job), store, must_stop).run();
}

}  // namespace stator
