// Exports as jobs: each is written from the beginning, also one that an earlier process left.

#include <optional>
#include <string>
#include <vector>

#include "engine/api/ready_exports.h"
#include "server/jobs/export_writer.h"
#include "server/jobs/job_kind.h"
#include "server/log/log.h"

namespace stator {
namespace {

class ExportJobs final : public JobKind {
 public:
  ExportJobs(Engine& engine, data::ObjectStore& store) : engine_(engine), store_(store) {}

  std::string_view name() const override { return "exports"; }

  bool has_ready(Engine::Reader& reader) override { return next_export(reader).has_value(); }

  bool run_next(Engine::Reader& reader, const MustStop& must_stop) override {
    const auto job = next_export(reader);
    if (!job) return false;
    const ExportOutcome outcome = write_export(engine_, reader, *job, store_, must_stop);
    if (outcome == ExportOutcome::StoreFailed) {
      log::error("the end of export " + job->id +
                 " cannot be stored; the next start writes it again");
      given_up_.push_back(job->space);
    }
    return true;
  }

 private:
  std::optional<ExportJob> next_export(Engine::Reader& reader) const {
    std::optional<ExportJob> job;
    const auto looked = engine_.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
      STATOR_TRY(job, ReadyExports(snapshot).next_ready(given_up_));
      return {};
    });
    if (!looked) log::error("cannot read the pending exports: " + looked.error().message());
    return job;
  }

  Engine& engine_;
  data::ObjectStore& store_;
  std::vector<storage::SpaceId> given_up_;  // by this process: their ends could not be stored
};

}  // namespace

std::unique_ptr<JobKind> make_export_jobs(Engine& engine, data::ObjectStore& store) {
  return std::make_unique<ExportJobs>(engine, store);
}

}  // namespace stator
