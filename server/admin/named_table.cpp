#include "server/admin/named_table.h"

#include <utility>

#include "engine/api/table_view.h"
#include "server/http/query_text.h"

namespace stator {

namespace {

std::string place_text(const TableLabel& label) {
  return label.region + (label.access_key.empty() ? "" : " of access key " + label.access_key);
}

}  // namespace

void TableChoice::read(std::string_view name, std::string_view value) {
  if (name == "region") region = percent_decoded(value);
  if (name == "access_key") access_key = percent_decoded(value);
}

bool TableChoice::means(const TableLabel& label, Isolation isolation) const {
  const bool is_region = !region || *region == label.region || isolation == Isolation::None;
  const bool is_key = !access_key || *access_key == label.access_key || isolation != Isolation::Key;
  return is_region && is_key;
}

NamedTable find_named_table(const TableView& tables, std::string_view name,
                            const TableChoice& choice, Isolation isolation) {
  NamedTable found;
  std::string places;
  std::size_t count = 0;
  tables.visit_scopes([&](std::string_view scope) {
    const Table* const table = tables.find(scope, name);
    if (table == nullptr) return true;
    auto label = label_of(table->scope, table->region, table->name, isolation);
    if (!label || !choice.means(*label, isolation)) return true;
    constexpr std::size_t kPlacesShown = 5;
    if (count < kPlacesShown) places += (count == 0 ? "" : ", ") + place_text(*label);
    if (count == kPlacesShown) places += " and others";
    if (++count == 1) {
      found.table = table;
      found.label = *std::move(label);
    }
    return true;
  });
  if (count == 1) return found;
  found.table = nullptr;
  found.refusal =
      count == 0 ? admin_error(404, kNoSuchTableText)
                 : admin_error(400, "several tables have this name, in " + places +
                                        ": choose one with the parameters region and access_key");
  return found;
}

void write_label(JsonWriter& json, const TableLabel& label) {
  json.member("region", label.region);
  if (!label.access_key.empty()) json.member("access_key", label.access_key);
  json.member("table", label.table);
}

}  // namespace stator
