// DescribeTable, DescribeLimits, DescribeEndpoints.

#include "engine/operations/define.h"
#include "engine/operations/tables/table_definition.h"
#include "engine/operations/tables/table_description.h"
#include "protocol/json_writer.h"
#include "protocol/limits.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

struct DescribeTable {
  static constexpr std::string_view name = "DescribeTable";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view table_name;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(parse_table_request(body, model::kDescribeTableInput, call));
    return call.arena.make<Request>(call.table_name);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const Table* table, snapshot.control_table(call, request.table_name));
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("Table");
    STATOR_CHECK(
        write_table_description(out, *table, snapshot, {.status = table->status(snapshot.now())}));
    out.end_object();
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name});
  }
};

// An operation without members: any object will do.
template <const TypeSpec& shape>
struct NoMembers {
  struct Request {};
  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, shape));
    return call.arena.make<Request>();
  }
};

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
};

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
};

}  // namespace

Operation describe_table_row() { return define<DescribeTable>(); }
Operation describe_limits_row() { return define<DescribeLimits>(); }
Operation describe_endpoints_row() { return define<DescribeEndpoints>(); }

}  // namespace stator
