// Imports as jobs: each goes on where its last commit left it, also one of an earlier process.

#include <optional>
#include <string>
#include <vector>

#include "engine/api/ready_imports.h"
#include "server/jobs/import_runner.h"
#include "server/jobs/job_kind.h"
#include "server/log/log.h"

namespace stator {
namespace {

class ImportJobs final : public JobKind {
 public:
  ImportJobs(Engine& engine, data::ObjectStore& store) : engine_(engine), store_(store) {}

  std::string_view name() const override { return "imports"; }

  bool has_ready(Engine::Reader& reader) override { return next_import(reader).has_value(); }

  bool run_next(Engine::Reader& reader, const MustStop& must_stop) override {
    const auto job = next_import(reader);
    if (!job) return false;
    if (run_import(engine_, *job, store_, must_stop) == ImportOutcome::StoreFailed) {
      log::error("the end of import " + job->id + " cannot be stored; the next start tries again");
      given_up_.push_back(job->space);
    }
    return true;
  }

 private:
  std::optional<ImportJob> next_import(Engine::Reader& reader) const {
    std::optional<ImportJob> job;
    const auto looked = engine_.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
      STATOR_TRY(job, next_import_in_progress(snapshot, given_up_));
      return {};
    });
    if (!looked) log::error("cannot read the pending imports: " + looked.error().message());
    return job;
  }

  Engine& engine_;
  data::ObjectStore& store_;
  std::vector<storage::SpaceId> given_up_;  // by this process: their ends could not be stored
};

}  // namespace

std::unique_ptr<JobKind> make_import_jobs(Engine& engine, data::ObjectStore& store) {
  return std::make_unique<ImportJobs>(engine, store);
}

}  // namespace stator
