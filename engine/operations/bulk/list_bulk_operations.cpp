// ListBulkOperations: the newest bulk put first, a page at a time.

#include <optional>
#include <string_view>
#include <vector>

#include "engine/operations/bulk/bulk_description.h"
#include "engine/operations/define.h"
#include "engine/operations/jobs/job_pages.h"
#include "engine/state/snapshot.h"
#include "engine/storage/descriptions/descriptions.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

constexpr std::int64_t kPageDefault = 10;
// The model wants tokens of a multiple of 16 digits.
constexpr std::size_t kTokenUnitBytes = 8;

struct ListBulkOperations {
  static constexpr std::string_view name = "ListBulkOperations";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::size_t count_max;
    storage::DescriptionPosition before;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kListBulkOperationsInput));
    STATOR_CHECK(check_constraints(body, model::kListBulkOperationsInput, call.wording));
    STATOR_TRY(const auto before, page_start(body, call));
    const auto count_max = integer_member(body, "MaxResults").value_or(kPageDefault);
    return call.arena.make<Request>(static_cast<std::size_t>(count_max), before);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const auto jobs, found_jobs(request, snapshot, call));
    write_job_page(call, "BulkOperationsSummaryList", jobs, request.count_max, kTokenUnitBytes,
                   write_bulk_summary);
    return {};
  }

  static void resources(const Request& /*request*/, Resources& touched) {
    touched.push_back({.reach = Reach::AllTables});
  }

 private:
  // One more than the page has, if any.
  static Result<std::vector<BulkJob>> found_jobs(const Request& request, const Snapshot& snapshot,
                                                 Call& call) {
    return jobs_of_page<storage::BulkJobs>(request.before, request.count_max, snapshot, call,
                                           [](const BulkJob& /*job*/) { return true; });
  }
};

}  // namespace

Operation list_bulk_operations_row() { return define<ListBulkOperations>(); }

}  // namespace stator
