#include "engine/api/table_view.h"

#include "engine/catalog/catalog.h"
#include "engine/items/item_keys.h"
#include "engine/items/stored_item.h"
#include "engine/state/snapshot.h"
#include "engine/storage/bytes/damage.h"
#include "engine/storage/descriptions/descriptions.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/item_store.h"

namespace stator {
namespace {

// Imports that are read at most for a table's name.
constexpr std::size_t kImportsMet = 100;

}  // namespace

Timestamp TableView::now() const { return snapshot_.now(); }

const Table* TableView::find(std::string_view scope, std::string_view name) const {
  return snapshot_.catalog().find(scope, name, snapshot_.now());
}

void TableView::visit_tables_after(std::string_view scope, std::string_view name,
                                   const VisitTable& visit) const {
  const Catalog::Names& names = snapshot_.catalog().tables(scope);
  // No table's name is empty.
  for (auto entry = names.after(name); entry != nullptr; entry = names.after(entry->key)) {
    const Table& table = *entry->value;
    if (table.status(snapshot_.now()) != TableStatus::Gone && !visit(table)) return;
  }
}

std::optional<ImportJob> TableView::last_import(std::string_view scope,
                                                std::string_view name) const {
  std::optional<ImportJob> last;
  std::size_t count = 0;
  const auto visited = storage::Imports::visit_newest_first(snapshot_.transaction(), scope, {},
                                                            [&](ImportJob&& job) -> Result<bool> {
                                                              if (job.is_gone(snapshot_.now()))
                                                                return false;
                                                              if (job.table.name == name)
                                                                last = std::move(job);
                                                              return !last && ++count < kImportsMet;
                                                            });
  return visited ? last : std::nullopt;
}

bool TableView::has_tables(std::string_view scope) const {
  bool has_one = false;
  visit_tables(scope, [&](const Table& /*table*/) {
    has_one = true;
    return false;
  });
  return has_one;
}

void TableView::visit_scopes(const VisitScope& visit) const {
  const Catalog::Scopes& scopes = snapshot_.catalog().scopes();
  for (auto entry = scopes.first(); entry != nullptr; entry = scopes.after(entry->key))
    if (!visit(entry->key)) return;
}

Result<SpaceStats> TableView::stats(storage::SpaceId space) const { return snapshot_.stats(space); }

std::vector<Item> TableView::first_items(const Table& table, const ItemLimits& limits,
                                         Arena& arena) const {
  std::vector<Item> items;
  storage::RecordCursor cursor(snapshot_.transaction(), table.space);
  std::size_t bytes = 0;
  try {
    for (auto moved = cursor.seek_first(); moved; moved = cursor.next()) {
      const auto record = cursor.record();
      if (!record || items.size() == limits.items_max || bytes >= limits.bytes_max) break;
      bytes += record->size();
      items.push_back(storage::EncodedItem(*record).decode(arena));
    }
  } catch (const storage::DamagedData&) {  // those before it are whole
  }
  return items;
}

std::optional<Item> TableView::find_item(const Table& table, Item attributes, bool is_item,
                                         Arena& arena) const {
  const auto key = is_item ? key_of_item(table, attributes) : key_of_lookup(table, attributes);
  if (!key) return std::nullopt;
  try {
    const auto stored = StoredItem::find(snapshot_, table, *key);
    if (!stored) return std::nullopt;
    return stored->item(arena);
  } catch (const storage::DamagedData&) {
    return std::nullopt;
  }
}

}  // namespace stator
