// DescribeBulkOperation.

#include "engine/operations/bulk/bulk_description.h"
#include "engine/operations/bulk/bulk_requests.h"
#include "engine/operations/define.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

struct DescribeBulkOperation {
  static constexpr std::string_view name = "DescribeBulkOperation";
  static constexpr Layer layer = Layer::Classic;
  using Request = BulkRequestArn;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_TRY(const BulkRequestArn arn,
               parse_bulk_request(body, model::kDescribeBulkOperationInput, call));
    return call.arena.make<Request>(arn);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const BulkJob job, find_bulk_job(request, snapshot, call));
    JsonWriter out(call.reply);
    out.begin_object();
    write_bulk_description(out, job);
    out.end_object();
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touch_bulk_job(request, touched);
  }
};

}  // namespace

Operation describe_bulk_operation_row() { return define<DescribeBulkOperation>(); }

}  // namespace stator
