// ListExports: the newest export first, a page at a time.

#include <string_view>
#include <vector>

#include "engine/operations/define.h"
#include "engine/operations/exports/export_description.h"
#include "engine/operations/exports/export_requests.h"
#include "engine/operations/jobs/job_pages.h"
#include "engine/state/snapshot.h"
#include "engine/storage/descriptions/descriptions.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

struct ListExports {
  static constexpr std::string_view name = "ListExports";
  static constexpr Layer layer = Layer::Classic;
  using Request = JobListRequest;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_TRY(const Request request,
               parse_job_list(body, model::kListExportsInput, "MaxResults", call));
    return call.arena.make<Request>(request);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const auto jobs, found_jobs(request, snapshot, call));
    write_job_page(call, "ExportSummaries", jobs, request.count_max, 1, write_summary);
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_arn.value_or(""), .reach = Reach::AllTables});
  }

 private:
  // One more than the page has, if any. Exports of a deleted table are found without its ARN only.
  static Result<std::vector<ExportJob>> found_jobs(const Request& request, const Snapshot& snapshot,
                                                   Call& call) {
    const Table* table =
        request.table_arn ? snapshot.find_table(call, *request.table_arn) : nullptr;
    if (request.table_arn && table == nullptr) return std::vector<ExportJob>();
    return jobs_of_page<storage::Exports>(
        request.before, request.count_max, snapshot, call,
        [&](const ExportJob& job) { return table == nullptr || job.table.id == table->id; });
  }

  static void write_summary(JsonWriter& out, const ExportJob& job) {
    out.begin_object();
    out.member("ExportArn", std::string_view(job.arn()));
    out.member("ExportStatus", to_text(job.status));
    out.member("ExportType", to_text(type_of(job)));
    out.end_object();
  }
};

}  // namespace

Operation list_exports_row() { return define<ListExports>(); }

}  // namespace stator
