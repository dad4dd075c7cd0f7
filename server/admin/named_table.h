// The table that a verb's path names, among those of all Regions and access keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/call/settings.h"
#include "engine/reports/figures.h"
#include "engine/schema/table.h"
#include "server/dispatch/admin.h"

namespace stator {

class TableView;

inline constexpr std::string_view kNoSuchTableText = "there is no such table";

// Parameters of a verb's query that choose among tables of one name. They are those of a request:
// what Settings::isolation ignores of a request is ignored here too.
struct TableChoice {
  std::optional<std::string> region = {};
  std::optional<std::string> access_key = {};

  // Takes the parameter, as sent, if it is one of these.
  void read(std::string_view name, std::string_view value);
  bool means(const TableLabel& label, Isolation isolation) const;
};

struct NamedTable {
  const Table* table = nullptr;  // nullptr: `refusal` says why
  TableLabel label;
  AdminResponse refusal;
};
// The table is valid as long as the view's snapshot.
NamedTable find_named_table(const TableView& tables, std::string_view name,
                            const TableChoice& choice, Isolation isolation);

// Writes the members region, access_key (if tables have one) and table.
void write_label(JsonWriter& json, const TableLabel& label);

}  // namespace stator
