// DeleteTable: the response shows DELETING; a chore removes the items later.

#include "engine/call/settings.h"
#include "engine/operations/define.h"
#include "engine/state/mutation.h"
#include "engine/tables/table_definition.h"
#include "engine/tables/table_description.h"
#include "engine/tables/table_state.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

struct DeleteTable {
  static constexpr std::string_view name = "DeleteTable";
  static constexpr Layer layer = Layer::Classic;
  static constexpr bool only_frees_space = true;
  struct Request {
    std::string_view table_name;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(parse_table_request(body, model::kDeleteTableInput, call));
    return call.arena.make<Request>(call.table_name);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(const Table* table, snapshot.control_table(call, request.table_name));
    STATOR_CHECK(check_deletable(*table, snapshot.now()));
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("TableDescription");
    const DescriptionView view{.status = TableStatus::Deleting,
                               .shows_definitions = false,
                               .shows_indexes = false,
                               .shows_warm = false};
    STATOR_CHECK(write_table_description(out, *table, snapshot, view));
    out.end_object();
    if (call.settings->control_plane_delay.count() == 0) {
      mutation.erase_table(*table);
      return {};
    }
    Table deleting = *table;
    deleting.deleting_until = snapshot.now().plus(call.settings->control_plane_delay);
    mutation.put_table(std::move(deleting));
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name});
  }
};

}  // namespace

Operation delete_table_row() { return define<DeleteTable>(); }

}  // namespace stator
