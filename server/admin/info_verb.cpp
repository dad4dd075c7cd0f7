// /_stator/info: the program, its operations and its settings.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/engine.h"
#include "engine/api/operation_table.h"
#include "engine/api/table_view.h"
#include "engine/reports/figures.h"
#include "engine/seams/iso_time.h"
#include "server/admin/setting_rows.h"
#include "server/admin/verbs.h"
#include "server/dispatch/live_settings.h"
#include "server/options/flag_words.h"
#include "server/options/version.h"

namespace stator {

namespace {

template <class Texts>
void write_texts(JsonWriter& json, std::string_view name, const Texts& texts) {
  json.key(name);
  json.begin_array();
  for (const auto& text : texts) json.string(text);
  json.end_array();
}

// The Regions that have tables.
std::set<std::string> regions_of(const TableView& tables, Isolation isolation) {
  std::set<std::string> regions;
  tables.visit_scopes([&](std::string_view scope) {
    tables.visit_tables(scope, [&](const Table& table) {
      const auto label = label_of(table.scope, table.region, table.name, isolation);
      if (label) regions.insert(label->region);
      // Other tables of the scope are in the same Region, unless all Regions share it.
      return scope.empty();
    });
    return true;
  });
  return regions;
}

void write_operations(JsonWriter& json, const OperationTable& operations) {
  std::vector<std::string_view> names;
  for (const Operation& operation : operations.rows()) names.push_back(operation.name);
  std::sort(names.begin(), names.end());
  write_texts(json, "operations", names);
}

}  // namespace

AdminResponse show_info(AdminRequest& request) {
  const Options& options = request.parts.options;
  std::set<std::string> regions;
  Engine::Reader reader(request.parts.engine);
  const auto looked = request.parts.engine.look(reader, [&](const Snapshot& snapshot) {
    regions = regions_of(TableView(snapshot), options.settings.isolation);
    return Result<void>();
  });
  if (!looked) return admin_error(500, looked.error().message());
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.member("version", version_text());
  json.member("started", iso_extended(request.parts.started));
  json.member("time", iso_extended(request.parts.engine.clock().now()));
  if (const auto& folder = options.settings.storage.folder) json.member("folder", folder->string());
  json.member("isolation", word_of(kIsolations, options.settings.isolation));
  json.member("account_id", options.settings.account_id);
  write_texts(json, "regions", regions);
  write_operations(json, request.parts.operations);
  write_setting_rows(json, request.parts);
  json.key("limits");
  json.begin_object();
  json.member("explain", static_cast<std::int64_t>(request.parts.live->requests_kept()));
  json.member("explain_bytes", static_cast<std::int64_t>(options.explain_bytes));
  json.end_object();
  json.member("token_needed", !options.origins.token.empty());
  json.end_object();
  return answer;
}

}  // namespace stator
