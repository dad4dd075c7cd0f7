#include "engine/reset.h"

#include <string>
#include <utility>

#include "engine/engine.h"
#include "engine/storage/token_store.h"

namespace stator {
namespace {

constexpr std::size_t kTablesInCommit = 200;
constexpr std::size_t kTokensInCommit = 1000;

using IsMeant = std::function<bool(std::string_view scope)>;

// Whether all are gone.
bool erase_tables(Engine& engine, const IsMeant& is_meant, Audience& audience, Reset& reset) {
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
    if (!engine.change(erase_some)) return false;
    reset.tables += seen;
    if (removed < kTablesInCommit) return true;
    if (!audience.is_waiting()) return false;
  }
}

bool forget_tokens(Engine& engine, const IsMeant& is_meant, Audience& audience) {
  for (std::string from;;) {
    std::string next;
    const auto erase_some = [&](ChorePiece& piece) -> Result<void> {
      STATOR_TRY(next, storage::erase_tokens(piece.transaction, is_meant, from, kTokensInCommit));
      return {};
    };
    if (!engine.do_piece(erase_some)) return false;
    if (next.empty()) return true;
    if (!audience.is_waiting()) return false;
    from = std::move(next);
  }
}

}  // namespace

Reset reset_tables(Engine& engine, const IsMeant& is_meant, Audience& audience) {
  Reset reset;
  reset.is_whole =
      erase_tables(engine, is_meant, audience, reset) && forget_tokens(engine, is_meant, audience);
  return reset;
}

}  // namespace stator
