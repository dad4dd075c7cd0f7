// DescribeTable.

#include "engine/operations/define.h"
#include "engine/schema/table.h"
#include "engine/tables/table_definition.h"
#include "engine/tables/table_description.h"
#include "protocol/json/json_writer.h"
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

}  // namespace

Operation describe_table_row() { return define<DescribeTable>(); }

}  // namespace stator
