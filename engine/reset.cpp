#include "engine/reset.h"

#include <string>

#include "engine/engine.h"

namespace stator {
namespace {

constexpr std::size_t kTablesInCommit = 200;

}  // namespace

Reset reset_tables(Engine& engine, const std::function<bool(std::string_view scope)>& is_meant,
                   Audience& audience) {
  Reset reset;
  for (;;) {
    std::size_t removed = 0;
    std::size_t seen = 0;
    const auto erase_some = [&](const Catalog& catalog, Timestamp now, Mutation& mutation) {
      removed = seen = 0;
      catalog.scopes().for_each([&](const std::string& scope, const Catalog::Names& names) {
        if (removed == kTablesInCommit || !is_meant(scope)) return;
        names.for_each([&](const std::string&, const Catalog::TablePtr& table) {
          if (removed == kTablesInCommit) return;
          ++removed;
          if (table->status(now) != TableStatus::Gone) ++seen;
          mutation.erase_table(*table);
        });
      });
    };
    if (!engine.change(erase_some)) return reset;
    reset.tables += seen;
    if (removed < kTablesInCommit) break;
    if (!audience.is_waiting()) return reset;
  }
  reset.is_whole = true;
  return reset;
}

}  // namespace stator
