// ListImports: the newest import first, a page at a time.

#include <string_view>
#include <vector>

#include "engine/operations/define.h"
#include "engine/operations/exports/export_requests.h"
#include "engine/operations/imports/import_description.h"
#include "engine/operations/jobs/job_pages.h"
#include "engine/state/snapshot.h"
#include "engine/storage/descriptions/descriptions.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

// The model wants tokens of at least 112 digits, in groups of 16.
constexpr std::size_t kTokenUnitBytes = 56;

struct ListImports {
  static constexpr std::string_view name = "ListImports";
  static constexpr Layer layer = Layer::Classic;
  using Request = JobListRequest;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_TRY(const Request request,
               parse_job_list(body, model::kListImportsInput, "PageSize", call));
    return call.arena.make<Request>(request);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const auto jobs, found_jobs(request, snapshot, call));
    write_job_page(call, "ImportSummaryList", jobs, request.count_max, kTokenUnitBytes,
                   write_import_summary);
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_arn.value_or(""), .reach = Reach::AllTables});
  }

 private:
  // One more than the page has, if any. An import outlives its table.
  static Result<std::vector<ImportJob>> found_jobs(const Request& request, const Snapshot& snapshot,
                                                   Call& call) {
    return jobs_of_page<storage::Imports>(
        request.before, request.count_max, snapshot, call, [&](const ImportJob& job) {
          // A scope may have tables of several Regions.
          return request.table_arn ? job.table.arn() == *request.table_arn
                                   : job.table.region == call.caller.region;
        });
  }
};

}  // namespace

Operation list_imports_row() { return define<ListImports>(); }

}  // namespace stator
