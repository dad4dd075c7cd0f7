// ImportTable: stores a job. The server reads the objects, makes the table and puts the items.

#include <optional>
#include <string>
#include <utility>

#include "engine/call/scope.h"
#include "engine/call/settings.h"
#include "engine/catalog/catalog.h"
#include "engine/operations/define.h"
#include "engine/operations/imports/import_description.h"
#include "engine/operations/imports/import_requests.h"
#include "engine/operations/jobs/job_start.h"
#include "engine/state/mutation.h"
#include "engine/state/snapshot.h"
#include "engine/storage/descriptions/descriptions.h"
#include "engine/tables/new_table.h"
#include "engine/tables/table_definition.h"
#include "protocol/errors/rule.h"
#include "protocol/model/shapes.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

struct ImportTable {
  static constexpr std::string_view name = "ImportTable";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    const JsonNode* body;
    const JsonNode* table;  // TableCreationParameters
    BillingMode billing_mode;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kImportTableInput));
    STATOR_CHECK(check_constraints(body, model::kImportTableInput, call.wording));
    STATOR_CHECK(check_import_input(body));
    const JsonNode& table = *body.find("TableCreationParameters");
    call.table_name = *string_member(table, "TableName");
    const BillingMode mode = billing_mode_of(table);
    STATOR_CHECK(check_new_table(table, mode));
    STATOR_CHECK(check_encryption(table.find("SSESpecification")));
    STATOR_CHECK(check_new_maxima(table, mode));
    if (table.find("VectorIndexes") != nullptr)  // not supported yet
      return Error::unknown_operation().with_place("TableCreationParameters.VectorIndexes");
    return call.arena.make<Request>(&body, &table, mode);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    const std::string_view scope = scope_of(call, call.arena);
    STATOR_CHECK(check_is_new(scope, snapshot, call));
    STATOR_TRY(const auto earlier, repeated_job(*request.body, scope, snapshot, call));
    if (earlier) return render(*earlier, call);
    STATOR_CHECK(make_room_for_job<storage::Imports>(
        scope, kImportsMax, "import", snapshot,
        [&](ImportJob&& oldest) { mutation.erase_import(std::move(oldest)); }));
    ImportJob job;
    job.scope = scope;
    job.started = snapshot.now();
    job.request = import_request_of(*request.body, call.settings->account_id, mutation.random());
    STATOR_TRY(job.table, build_new_table(*request.table, request.billing_mode, scope, snapshot,
                                          mutation.random(), call));
    STATOR_TRY(job.id,
               new_job_id<storage::Imports>(scope, job.table.name, snapshot, mutation.random()));
    STATOR_CHECK(render(job, call));
    mutation.put_import(std::move(job));
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = *string_member(*request.table, "TableName")});
  }

 private:
  static Result<void> render(const ImportJob& job, Call& call) {
    JsonWriter out(call.reply);
    out.begin_object();
    write_import_description(out, job);
    out.end_object();
    return {};
  }

  // Of several imports of one table all are accepted; while one is in progress its table is
  // CREATING. All but the first fail.
  static Result<void> check_is_new(std::string_view scope, const Snapshot& snapshot,
                                   const Call& call) {
    const Table* existing = snapshot.catalog().find(scope, call.table_name, snapshot.now());
    if (existing == nullptr || existing->status(snapshot.now()) == TableStatus::Creating) return {};
    const std::string table_name(call.table_name);
    return Error::resource_in_use("Table already exists: " + table_name)
        .with_rule(Rule::TableIsNew, {table_name});
  }

  // The import that a request with this client token started; empty if this is the first. Of the
  // other parameters only the table must be the same.
  static Result<std::optional<ImportJob>> repeated_job(const JsonNode& body, std::string_view scope,
                                                       const Snapshot& snapshot, const Call& call) {
    const auto token = string_member(body, "ClientToken");
    if (!token) return std::optional<ImportJob>();
    return find_repeated_job<storage::Imports>(
        scope, *token, kImportTokenLife, snapshot,
        [&](const ImportJob& earlier) { return earlier.table.name == call.table_name; },
        [] {
          return Error(ErrorCode::ImportConflict,
                       "Import conflict: Duplicate request detected with conflicting parameters");
        });
  }
};

}  // namespace

Operation import_table_row() { return define<ImportTable>(); }

}  // namespace stator
