#include "server/jobs/export_writer.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/ready_exports.h"
#include "engine/seams/random.h"
#include "protocol/errors/error.h"
#include "server/data/formats/export_folder.h"
#include "server/data/objects/packed_object.h"
#include "server/data/packing/file_digest.h"
#include "server/jobs/export_lines.h"
#include "server/jobs/job_parts.h"
#include "server/log/log.h"

namespace stator {
namespace {

using data::PackedObject;
using data::StoreFailure;
using data::StoreResult;

// The names of a job's data files follow from its id, so that they are the same when it is written
// again.
std::uint64_t seed_of(const ExportJob& job) {
  constexpr int kHexadecimal = 16;
  const std::size_t dash = job.id.find('-');
  const std::uint64_t ms = std::strtoull(job.id.c_str(), nullptr, 10);
  const std::uint64_t number = std::strtoull(job.id.c_str() + dash + 1, nullptr, kHexadecimal);
  return ms << 32 ^ number;
}

class Writing {
 public:
  Writing(Engine& engine, Engine::Reader& reader, const ExportJob& job, data::ObjectStore& store,
          const std::function<bool()>& must_stop)
      : engine_(engine),
        reader_(reader),
        job_(job),
        store_(store),
        must_stop_(must_stop),
        names_(seed_of(job)) {}

  ExportOutcome run() {
    StoreResult written = store_.check_bucket(bucket());
    if (written) written = put("_started", "");
    if (written) written = write_data();
    if (early_end_) return *early_end_;
    if (written) written = write_manifests();
    file_.reset();  // aborts an object that is not whole, before the end is seen
    // What failed may have failed because the process ends.
    if (!written && must_stop_()) return ExportOutcome::Interrupted;
    ExportEnd end;
    if (written) {
      end.item_count = item_count_;
      end.size_bytes = size_bytes_;
    } else {
      end.failure_code = std::move(written.error().code);
      end.failure_message = std::move(written.error().message);
    }
    log_end(end);
    return end_export(engine_, job_, end) ? ExportOutcome::Ended : ExportOutcome::StoreFailed;
  }

 private:
  const std::string& bucket() const { return job_.request.bucket; }
  StoreResult put(std::string_view name, std::string_view text) {
    return store_.put(bucket(), job_.object_key(name), text);
  }

  void log_end(const ExportEnd& end) const {
    const std::string what = "export " + job_.id + " of table " + job_.table.name;
    const std::string where = store_.where(bucket());
    if (end.failure_code.empty()) {
      log::info(what + ": " + std::to_string(end.item_count) + " items in " + where + "/" +
                job_.object_key({}));
    } else {
      log::warn(what + " failed: " + end.failure_code + ": " + end.failure_message +
                " (the bucket is " + where + ")");
    }
  }

  // Sets early_end_ if the export is not to be ended.
  StoreResult write_data() {
    while (!position_.is_at_end) {
      std::vector<ReadyExports::Entry> entries;
      Arena arena;
      if (auto read = next_items(entries, arena); !read) return read;
      if (early_end_) return {};
      if (auto written = write_entries(entries); !written) return written;
    }
    return finish_file();
  }

  StoreResult next_items(std::vector<ReadyExports::Entry>& entries, Arena& arena) {
    if (must_stop_()) {
      early_end_ = ExportOutcome::Interrupted;
      return {};
    }
    bool is_ready = false;
    auto looked = engine_.look(reader_, [&](const Snapshot& snapshot) -> Result<void> {
      const ReadyExports items(snapshot);
      end_time_ = items.now();
      STATOR_TRY(is_ready, items.is_ready(job_));
      if (!is_ready) return {};
      STATOR_TRY(entries, items.next_items(job_, kReadBytes, position_, arena));
      return {};
    });
    if (!looked)
      return tl::unexpected(StoreFailure{"InternalServerError", looked.error().message()});
    if (!is_ready) early_end_ = ExportOutcome::Removed;
    return {};
  }

  // An export has at least one file, which may be empty.
  StoreResult write_entries(const std::vector<ReadyExports::Entry>& entries) {
    if (!file_ && entries.empty() && !files_.empty()) return {};
    if (!file_) {
      file_key_ = job_.data_key(data::data_file_name(names_, job_.request.format));
      auto file = PackedObject::create(store_, bucket(), file_key_);
      if (!file) return tl::unexpected(std::move(file).error());
      file_.emplace(*std::move(file));
    }
    std::string text;
    for (const ReadyExports::Entry& entry : entries) {
      if (!append_export_line(text, job_, entry)) continue;
      ++file_items_;
      size_bytes_ += entry.size_bytes;
    }
    file_bytes_ += text.size();
    if (auto added = file_->append(text); !added) return added;
    return file_bytes_ < kFileBytes ? StoreResult() : finish_file();
  }

  StoreResult finish_file() {
    if (!file_) return {};
    auto sums = file_->finish();
    file_.reset();
    if (!sums) return tl::unexpected(std::move(sums).error());
    files_ += data::manifest_line(
        {.key = file_key_, .item_count = file_items_, .md5 = sums->md5, .etag = sums->etag});
    item_count_ += std::exchange(file_items_, 0);
    file_bytes_ = 0;
    return {};
  }

  // The summary is what makes it an export, so it comes last.
  StoreResult write_manifests() {
    const std::string summary = summary_text();
    for (const auto& [name, text] :
         {std::pair<std::string, std::string_view>{"manifest-files", files_},
          {"manifest-summary", summary}}) {
      auto written = put(data::checksum_name(name), data::md5_of_text(text));
      if (written) written = put(name + ".json", text);
      if (!written) return written;
    }
    return {};
  }

  std::string summary_text() const {
    data::ExportSummary summary;
    summary.arn = job_.arn();
    summary.start = job_.started;
    summary.end = end_time_;
    summary.table_arn = job_.table.arn();
    summary.table_id = job_.table.id;
    summary.time = job_.time;
    summary.window = job_.request.window;
    summary.bucket = bucket();
    summary.prefix = job_.request.prefix;
    summary.sse_algorithm = job_.request.sse_algorithm;
    summary.kms_key_id = job_.request.kms_key_id;
    summary.files_key = job_.object_key("manifest-files.json");
    summary.size_bytes = size_bytes_;
    summary.item_count = item_count_;
    summary.format = job_.request.format;
    return manifest_summary(summary);
  }

  Engine& engine_;
  Engine::Reader& reader_;
  const ExportJob& job_;
  data::ObjectStore& store_;
  const std::function<bool()>& must_stop_;
  SeededRandom names_;
  ReadyExports::Position position_;
  Timestamp end_time_;
  std::optional<PackedObject> file_;
  std::string file_key_;
  std::size_t file_bytes_ = 0;
  std::int64_t file_items_ = 0;
  std::string files_;  // manifest-files.json
  std::int64_t item_count_ = 0;
  std::int64_t size_bytes_ = 0;
  std::optional<ExportOutcome> early_end_;
};

}  // namespace

ExportOutcome write_export(Engine& engine, Engine::Reader& reader, const ExportJob& job,
                           data::ObjectStore& store, const std::function<bool()>& must_stop) {
  return Writing(engine, reader, job, store, must_stop).run();
}

}  // namespace stator
