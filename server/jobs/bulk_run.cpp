#include "server/jobs/bulk_run.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/schema/capacity.h"
#include "server/jobs/bulk_report.h"
#include "server/jobs/job_parts.h"
#include "server/log/log.h"

namespace stator {

using data::StoreFailure;

namespace {

// A piece takes at most this part of a second's units.
constexpr std::int64_t kPiecesPerSecond = 10;
constexpr std::int64_t kMicrosPerSecond = 1'000'000;

std::int64_t units_milli_max(const BulkJob& job) {
  const auto per_second = job.request.units_per_second_max;
  if (!per_second || *per_second > std::numeric_limits<std::int64_t>::max() / kMilliPerUnit)
    return std::numeric_limits<std::int64_t>::max();
  return std::max<std::int64_t>(*per_second * kMilliPerUnit / kPiecesPerSecond, 1);
}

void log_end(const BulkJob& job, const BulkEnd& end, const std::string& where) {
  const std::string what = "bulk put " + job.id + " into table " + job.table.name;
  const BulkProgress& progress = job.progress;
  const std::string counts = std::to_string(progress.item_count) + " records, " +
                             std::to_string(progress.error_count) + " with errors, " +
                             std::to_string(progress.condition_failure_count) +
                             " whose condition failed";
  if (end.failure_code.empty()) {
    log::info(what + ": " + counts + "; the report is in " + where);
  } else {
    log::warn(what + " failed after " + counts + ": " + end.failure_code + ": " +
              end.failure_message);
  }
}

}  // namespace

BulkRun::Step BulkRun::step(const BulkJob& job, Engine::Reader& reader,
                            const JobKind::MustStop& must_stop) {
  if (must_stop()) return Step::Interrupted;
  if (job.status == BulkStatus::Cancelling) return end(job, reader, must_stop, {});
  // Back at a mark since the last piece.
  if (input_ && job.progress.item_count != item_count_) input_.reset();
  if (!input_) {
    records_.clear();
    item_count_ = job.progress.item_count;
    // Before the first item: it is better to fail now than without a report.
    if (auto found = store_.check_bucket(job.request.report.bucket); !found)
      return end(job, reader, must_stop, std::move(found).error());
    auto input = BulkInputReader::open(store_, job);
    if (!input) return end(job, reader, must_stop, std::move(input).error());
    input_.emplace(*std::move(input));
  }
  if (records_.empty()) {
    auto next = input_->next();
    if (!next) return end(job, reader, must_stop, std::move(next).error());
    records_ = *std::move(next);
    if (records_.empty()) return end(job, reader, must_stop, {});
  }
  return put(job, reader, must_stop);
}

BulkRun::Step BulkRun::put(const BulkJob& job, Engine::Reader& reader,
                           const JobKind::MustStop& must_stop) {
  const BulkPut put =
      put_bulk_records(engine_, job, records_, input_->total_bytes(), units_milli_max(job));
  switch (put.outcome) {
    case BulkPut::Outcome::Put:
      break;
    case BulkPut::Outcome::Cancelled:
      return end(job, reader, must_stop, {});
    case BulkPut::Outcome::TableGone:
      return end(job, reader, must_stop,
                 StoreFailure{"ResourceNotFoundException", "Requested resource not found: Table: " +
                                                               job.table.name + " not found"});
    case BulkPut::Outcome::Removed:
      return Step::Ended;
    case BulkPut::Outcome::NotStored:
      log::warn("bulk put " + job.id + ": " + put.why);
      return end(job, reader, must_stop, not_stored("the records"));
  }
  records_.erase(records_.begin(),
                 records_.begin() + static_cast<std::ptrdiff_t>(put.record_count));
  item_count_ += static_cast<std::int64_t>(put.record_count);
  keep_pace(job, put.units_milli);
  return Step::Done;
}

// The units are spread over the time since the first piece, so the job is never ahead of its pace
// by more than a piece. It catches up when the clock was moved on.
void BulkRun::keep_pace(const BulkJob& job, std::int64_t units_milli) {
  const auto per_second = job.request.units_per_second_max;
  if (!per_second) return;
  const std::int64_t wait_us =
      units_milli * (kMicrosPerSecond / kMilliPerUnit) / std::max<std::int64_t>(*per_second, 1);
  if (due_ == Timestamp::min()) due_ = engine_.clock().now();
  due_ = due_.plus(std::chrono::microseconds(wait_us));
}

BulkRun::Step BulkRun::end(const BulkJob& job, Engine::Reader& reader,
                           const JobKind::MustStop& must_stop,
                           std::optional<StoreFailure> failure) {
  // The end of the process makes calls of the store fail.
  if (failure && must_stop()) return Step::Interrupted;
  const auto written = write_bulk_report(engine_, reader, job, store_, must_stop);
  if (written ? !*written : must_stop()) return Step::Interrupted;
  if (!written && !failure) failure = written.error();
  BulkEnd end;
  end.total_input_bytes = input_ ? input_->total_bytes() : job.progress.total_input_bytes;
  const bool is_whole = !failure && job.status != BulkStatus::Cancelling && input_;
  end.input_bytes = is_whole ? end.total_input_bytes : job.progress.input_bytes;
  if (failure) {
    end.failure_code = std::move(failure->code);
    end.failure_message = std::move(failure->message);
  }
  log_end(job, end, store_.where(job.request.report.bucket) + "/" + job.report_key({}));
  return end_bulk_put(engine_, job, end) ? Step::Ended : Step::NotStored;
}

}  // namespace stator
