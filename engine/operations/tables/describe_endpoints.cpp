// DescribeEndpoints.

#include "engine/operations/define.h"
#include "engine/operations/tables/no_members.h"
#include "protocol/json/json_writer.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

struct DescribeEndpoints : NoMembers<model::kDescribeEndpointsRequest> {
  static constexpr std::string_view name = "DescribeEndpoints";
  static constexpr Layer layer = Layer::Classic;

  static Result<void> execute(const Request&, const Snapshot&, Call& call) {
    constexpr std::int64_t kCachePeriodMinutes = 1440;
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("Endpoints");
    out.begin_array();
    out.begin_object();
    out.member("Address", call.caller.host);
    out.member("CachePeriodInMinutes", kCachePeriodMinutes);
    out.end_object();
    out.end_array();
    out.end_object();
    return {};
  }

  static void resources(const Request& /*request*/, Resources& touched) {
    touched.push_back({.reach = Reach::Account});
  }
};

}  // namespace

Operation describe_endpoints_row() { return define<DescribeEndpoints>(); }

}  // namespace stator
