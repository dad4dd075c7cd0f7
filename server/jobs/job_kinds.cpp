#include "server/jobs/job_kinds.h"

namespace stator {

// A function for each file.
std::unique_ptr<JobKind> make_bulk_jobs(Engine& engine, data::ObjectStore& store);
std::unique_ptr<JobKind> make_export_jobs(Engine& engine, data::ObjectStore& store);
std::unique_ptr<JobKind> make_import_jobs(Engine& engine, data::ObjectStore& store);

JobKinds all_job_kinds(Engine& engine, data::ObjectStore& store) {
  JobKinds kinds;
  kinds.push_back(make_bulk_jobs(engine, store));
  kinds.push_back(make_export_jobs(engine, store));
  kinds.push_back(make_import_jobs(engine, store));
  return kinds;
}

}  // namespace stator
