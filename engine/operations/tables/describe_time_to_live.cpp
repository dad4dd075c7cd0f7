// DescribeTimeToLive.

#include "engine/operations/define.h"
#include "engine/schema/table.h"
#include "engine/state/snapshot.h"
#include "engine/tables/table_definition.h"
#include "engine/tables/time_to_live.h"
#include "protocol/json/json_writer.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

void write_description(JsonWriter& out, const ShownTimeToLive& shown) {
  out.begin_object();
  out.member("TimeToLiveStatus", shown.status);
  if (!shown.attribute_name.empty()) out.member("AttributeName", shown.attribute_name);
  out.end_object();
}

struct DescribeTimeToLive {
  static constexpr std::string_view name = "DescribeTimeToLive";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view table_name;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(parse_table_request(body, model::kDescribeTimeToLiveInput, call));
    return call.arena.make<Request>(call.table_name);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const Table* table, snapshot.control_table(call, request.table_name));
    const TableStatus status = table->status(snapshot.now());
    if (status == TableStatus::Creating || status == TableStatus::Deleting) {
      const std::string state(to_text(status));
      return Error::validation("Cannot describe time to live while table is in " + state +
                               " state: Current table state is " + state);
    }
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("TimeToLiveDescription");
    write_description(out, shown_time_to_live(*table, snapshot.now()));
    out.end_object();
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name});
  }
};

}  // namespace

Operation describe_time_to_live_row() { return define<DescribeTimeToLive>(); }

}  // namespace stator
