// ListTables: names in order, a page at a time.

#include "engine/catalog/catalog.h"
#include "engine/operations/define.h"
#include "engine/schema/table.h"
#include "engine/state/snapshot.h"
#include "protocol/json/json_writer.h"
#include "protocol/model/shapes.h"
#include "protocol/service/limits.h"

namespace stator {
namespace {

struct ListTables {
  static constexpr std::string_view name = "ListTables";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view start_after;  // empty to start at the first
    std::int64_t limit;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kListTablesInput));
    STATOR_CHECK(check_constraints(body, model::kListTablesInput, call.wording));
    return call.arena.make<Request>(
        string_member(body, "ExclusiveStartTableName").value_or(""),
        integer_member(body, "Limit").value_or(limits::kListTablesPageMax));
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    const Catalog::Names& names = snapshot.catalog().tables(scope_of(call, call.arena));
    const auto* next =
        request.start_after.empty() ? names.first() : names.after(request.start_after);
    const auto skip_gone = [&] {
      while (next != nullptr && next->value->status(snapshot.now()) == TableStatus::Gone)
        next = names.after(next->key);
    };
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("TableNames");
    out.begin_array();
    std::string_view last;
    std::int64_t count = 0;
    for (skip_gone(); next != nullptr && count < request.limit; ++count, skip_gone()) {
      last = next->key;
      out.string(last);
      next = names.after(last);
    }
    out.end_array();
    if (next != nullptr) out.member("LastEvaluatedTableName", last);
    out.end_object();
    return {};
  }

  static void resources(const Request& /*request*/, Resources& touched) {
    touched.push_back({.reach = Reach::AllTables});
  }
};

}  // namespace

Operation list_tables_row() { return define<ListTables>(); }

}  // namespace stator
