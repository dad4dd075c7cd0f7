// CancelBulkOperation: asks the thread that puts the items to stop. What is put stays.

#include <utility>

#include "engine/operations/bulk/bulk_requests.h"
#include "engine/operations/define.h"
#include "engine/operations/jobs/s3_members.h"
#include "engine/state/mutation.h"
#include "protocol/json/json_writer.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

struct CancelBulkOperation {
  static constexpr std::string_view name = "CancelBulkOperation";
  static constexpr Layer layer = Layer::Classic;
  // So that it stops what fills the store.
  static constexpr bool only_frees_space = true;
  using Request = BulkRequestArn;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_TRY(const BulkRequestArn arn,
               parse_bulk_request(body, model::kCancelBulkOperationInput, call));
    return call.arena.make<Request>(arn);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(BulkJob job, find_bulk_job(request, snapshot, call));
    if (!job.is_in_progress()) {
      return invalid_request("The bulk operation cannot be cancelled, its status is " +
                             std::string(to_text(job.status)));
    }
    const bool is_new = job.status != BulkStatus::Cancelling;
    job.status = BulkStatus::Cancelling;
    JsonWriter out(call.reply);
    out.begin_object();
    out.member("BulkOperationArn", request.text);
    out.member("BulkOperationStatus", to_text(job.status));
    out.end_object();
    if (is_new) mutation.put_bulk_job(std::move(job));
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touch_bulk_job(request, touched);
  }
};

}  // namespace

Operation cancel_bulk_operation_row() { return define<CancelBulkOperation>(); }

}  // namespace stator
