// DescribeContinuousBackups.

#include "engine/operations/backups/backup_requests.h"
#include "engine/operations/backups/recovery_description.h"
#include "engine/operations/define.h"
#include "engine/tables/table_definition.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

struct DescribeContinuousBackups {
  static constexpr std::string_view name = "DescribeContinuousBackups";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    std::string_view table_name;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(parse_table_request(body, model::kDescribeContinuousBackupsInput, call));
    return call.arena.make<Request>(call.table_name);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const Table* table, backup_table(snapshot, call, request.table_name));
    render_continuous_backups(*table, snapshot.now(), call);
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = request.table_name});
  }
};

}  // namespace

Operation describe_continuous_backups_row() { return define<DescribeContinuousBackups>(); }

}  // namespace stator
