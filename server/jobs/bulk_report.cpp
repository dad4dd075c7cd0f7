#include "server/jobs/bulk_report.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/bulk_puts.h"
#include "engine/seams/iso_time.h"
#include "protocol/json/json_writer.h"
#include "server/data/objects/packed_object.h"
#include "server/jobs/job_parts.h"

namespace stator {
namespace {

using data::PackedObject;
using data::StoreFailure;
using data::StoreResult;

class ReportWriter {
 public:
  ReportWriter(Engine& engine, Engine::Reader& reader, const BulkJob& job, data::ObjectStore& store)
      : engine_(engine), reader_(reader), job_(job), store_(store) {
    for (const BulkOutput type : job.request.report.types) files_.push_back({type});
  }

  tl::expected<bool, StoreFailure> run(const JobKind::MustStop& must_stop) {
    if (auto found = store_.check_bucket(bucket()); !found) return tl::unexpected(found.error());
    for (std::uint64_t next = 0;;) {
      if (must_stop()) return false;
      std::vector<BulkReportLine> lines;
      const auto looked = engine_.look(reader_, [&](const Snapshot& snapshot) -> Result<void> {
        STATOR_TRY(lines, next_report_lines(snapshot, job_, kReadBytes, next));
        return {};
      });
      if (!looked) {
        return tl::unexpected(
            StoreFailure{"InternalServerError", std::string(looked.error().message())});
      }
      if (lines.empty()) break;
      if (auto added = add(lines); !added) return tl::unexpected(added.error());
    }
    for (File& file : files_) {
      if (auto finished = finish(file); !finished) return tl::unexpected(finished.error());
    }
    const std::string text = manifest();
    auto written = store_.put(bucket(), job_.report_key("manifest.json"), text);
    if (!written) return tl::unexpected(written.error());
    return true;
  }

 private:
  // What is written of one type of lines.
  struct File {
    BulkOutput type{};
    std::optional<PackedObject> object = {};  // while it is written
    std::string key = {};
    std::size_t text_bytes = 0;
    std::int64_t lines = 0;
    int number = 0;
  };
  struct Written {
    BulkOutput type{};
    std::string key;
    std::int64_t lines = 0;
    std::string md5;
  };

  const std::string& bucket() const { return job_.request.report.bucket; }

  StoreResult add(const std::vector<BulkReportLine>& lines) {
    for (File& file : files_) {
      std::string text;
      for (const BulkReportLine& line : lines) {
        if (line.type != file.type) continue;
        text.append(line.text).append("\n");
        ++file.lines;
      }
      if (text.empty()) continue;
      if (auto begun = begin(file); !begun) return begun;
      file.text_bytes += text.size();
      if (auto added = file.object->append(text); !added) return added;
      if (file.text_bytes < kFileBytes) continue;
      if (auto finished = finish(file); !finished) return finished;
    }
    return {};
  }

  StoreResult begin(File& file) {
    if (file.object) return {};
    file.key = job_.report_key(std::string(to_text(file.type)) + "/" +
                               std::to_string(++file.number) + ".json.gz");
    auto object = PackedObject::create(store_, bucket(), file.key);
    if (!object) return tl::unexpected(std::move(object).error());
    file.object.emplace(*std::move(object));
    return {};
  }

  StoreResult finish(File& file) {
    if (!file.object) return {};
    auto sums = file.object->finish();
    file.object.reset();
    if (!sums) return tl::unexpected(std::move(sums).error());
    written_.push_back({file.type, file.key, std::exchange(file.lines, 0), sums->md5});
    file.text_bytes = 0;
    return {};
  }

  std::string manifest() const {
    const BulkProgress& progress = job_.progress;
    std::string text;
    JsonWriter out(text);
    out.begin_object();
    out.member("bulkOperationArn", std::string_view(job_.arn()));
    out.member("startTime", std::string_view(iso_extended(job_.started)));
    out.member("tableArn", std::string_view(job_.table.arn()));
    out.member("tableId", std::string_view(job_.table.id));
    out.member("s3Bucket", std::string_view(job_.request.input.bucket));
    out.member("s3KeyPrefix", std::string_view(job_.request.input.prefix.value_or("")));
    out.member("processedItemCount", progress.item_count);
    out.member("failedItemCount", progress.error_count);
    out.member("conditionCheckFailureCount", progress.condition_failure_count);
    out.key("files");
    out.begin_array();
    for (const Written& file : written_) {
      out.begin_object();
      out.member("outputType", to_text(file.type));
      out.member("itemCount", file.lines);
      out.member("md5Checksum", std::string_view(file.md5));
      out.member("s3Key", std::string_view(file.key));
      out.end_object();
    }
    out.end_array();
    out.end_object();
    return text;
  }

  Engine& engine_;
  Engine::Reader& reader_;
  const BulkJob& job_;
  data::ObjectStore& store_;
  std::vector<File> files_;
  std::vector<Written> written_;
};

}  // namespace

tl::expected<bool, StoreFailure> write_bulk_report(Engine& engine, Engine::Reader& reader,
                                                   const BulkJob& job, data::ObjectStore& store,
                                                   const JobKind::MustStop& must_stop) {
  return ReportWriter(engine, reader, job, store).run(must_stop);
}

}  // namespace stator
