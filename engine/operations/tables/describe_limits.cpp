// DescribeLimits.

#include "engine/operations/define.h"
#include "engine/operations/tables/no_members.h"
#include "protocol/json/json_writer.h"
#include "protocol/model/shapes.h"
#include "protocol/service/limits.h"

namespace stator {
namespace {

struct DescribeLimits : NoMembers<model::kDescribeLimitsInput> {
  static constexpr std::string_view name = "DescribeLimits";
  static constexpr Layer layer = Layer::Classic;

  static Result<void> execute(const Request&, const Snapshot&, Call& call) {
    JsonWriter out(call.reply);
    out.begin_object();
    out.member("AccountMaxReadCapacityUnits", limits::kAccountUnitsMax);
    out.member("AccountMaxWriteCapacityUnits", limits::kAccountUnitsMax);
    out.member("TableMaxReadCapacityUnits", limits::kTableUnitsMax);
    out.member("TableMaxWriteCapacityUnits", limits::kTableUnitsMax);
    out.end_object();
    return {};
  }

  static void resources(const Request& /*request*/, Resources& touched) {
    touched.push_back({.reach = Reach::Account});
  }
};

}  // namespace

Operation describe_limits_row() { return define<DescribeLimits>(); }

}  // namespace stator
