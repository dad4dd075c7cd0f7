// Bulk puts as jobs: those in progress take turns, piece by piece.

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "engine/api/bulk_puts.h"
#include "server/jobs/bulk_run.h"
#include "server/jobs/job_kind.h"
#include "server/log/log.h"

namespace stator {
namespace {

class BulkJobs final : public JobKind {
 public:
  BulkJobs(Engine& engine, data::ObjectStore& store) : engine_(engine), store_(store) {}

  std::string_view name() const override { return "bulk puts"; }

  bool has_ready(Engine::Reader& reader) override { return !in_progress(reader).empty(); }

  bool run_next(Engine::Reader& reader, const MustStop& must_stop) override {
    const std::vector<BulkJob> jobs = in_progress(reader);
    forget_all_but(jobs);
    const BulkJob* const job = next_of(jobs);
    if (job == nullptr) return false;
    last_ = job->space;
    BulkRun& run = runs_.try_emplace(job->space, engine_, store_).first->second;
    const BulkRun::Step step = run.step(*job, reader, must_stop);
    if (step == BulkRun::Step::NotStored) {
      log::error("the end of bulk put " + job->id +
                 " cannot be stored; the next start runs it again");
      given_up_.push_back(job->space);
    }
    if (step == BulkRun::Step::Ended || step == BulkRun::Step::NotStored) runs_.erase(last_);
    return step != BulkRun::Step::Interrupted;
  }

  std::optional<Timestamp> next_due() override {
    std::optional<Timestamp> first;
    for (const auto& [space, run] : runs_) {
      if (!first || run.due() < *first) first = run.due();
    }
    return first;
  }

 private:
  // In the order of their spaces.
  std::vector<BulkJob> in_progress(Engine::Reader& reader) const {
    std::vector<BulkJob> jobs;
    const auto looked = engine_.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
      STATOR_TRY(jobs, bulk_puts_in_progress(snapshot));
      return {};
    });
    if (!looked) log::error("cannot read the pending bulk puts: " + looked.error().message());
    std::erase_if(jobs, [&](const BulkJob& job) {
      return std::find(given_up_.begin(), given_up_.end(), job.space) != given_up_.end();
    });
    std::sort(jobs.begin(), jobs.end(),
              [](const BulkJob& a, const BulkJob& b) { return a.space < b.space; });
    return jobs;
  }

  // A reset or a mark may have removed some.
  void forget_all_but(const std::vector<BulkJob>& jobs) {
    std::erase_if(runs_, [&](const auto& run) {
      return std::none_of(jobs.begin(), jobs.end(),
                          [&](const BulkJob& job) { return job.space == run.first; });
    });
  }

  // The next one after the last that may go on now; nullptr if there is none.
  const BulkJob* next_of(const std::vector<BulkJob>& jobs) const {
    const Timestamp now = engine_.clock().now();
    const auto may_go_on = [&](const BulkJob& job) {
      const auto run = runs_.find(job.space);
      return run == runs_.end() || run->second.due() <= now || job.status == BulkStatus::Cancelling;
    };
    const BulkJob* first = nullptr;
    for (const BulkJob& job : jobs) {
      if (!may_go_on(job)) continue;
      if (job.space > last_) return &job;
      if (first == nullptr) first = &job;
    }
    return first;
  }

  Engine& engine_;
  data::ObjectStore& store_;
  std::map<storage::SpaceId, BulkRun> runs_;  // by the spaces of their jobs
  storage::SpaceId last_{};                   // that of the job that ran last
  std::vector<storage::SpaceId> given_up_;    // by this process: their ends could not be stored
};

}  // namespace

std::unique_ptr<JobKind> make_bulk_jobs(Engine& engine, data::ObjectStore& store) {
  return std::make_unique<BulkJobs>(engine, store);
}

}  // namespace stator
