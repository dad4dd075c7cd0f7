#include "engine/documents/documents.h"

#include <utility>

#include "engine/api/engine.h"
#include "engine/maintenance/chores/chore.h"
#include "engine/state/snapshot.h"

namespace stator {
namespace {

constexpr auto kDocuments = storage::Database::Documents;
constexpr std::size_t kRemovedInCommit = 1000;

Result<void> apply_documents(const std::vector<DocumentChange>& changes,
                             storage::WriteTransaction& transaction) {
  for (const DocumentChange& change : changes) {
    if (change.value) {
      STATOR_CHECK(transaction.put(kDocuments, change.key, *change.value));
    } else {
      STATOR_CHECK(transaction.erase(kDocuments, change.key).map([](bool /*existed*/) {}));
    }
  }
  return {};
}

}  // namespace

Documents::Documents(const Snapshot& snapshot) : transaction_(snapshot.transaction()) {}

Result<std::optional<std::string>> Documents::find(std::string_view key) const {
  STATOR_TRY(const auto found, transaction_.find(kDocuments, key));
  return found ? std::optional<std::string>(*found) : std::nullopt;
}

Result<void> Documents::visit(std::string_view prefix, const Visit& visit) const {
  std::string key(prefix);
  for (bool is_after = false;; is_after = true) {
    STATOR_TRY(const auto met, transaction_.seek(kDocuments, key, is_after));
    if (!met || !met->key.starts_with(prefix)) return {};
    key = met->key;
    if (!visit(key, met->value)) return {};
  }
}

Result<void> change_documents(Engine& engine, const DecideDocuments& decide,
                              bool only_frees_space) {
  std::optional<Error> refusal;
  const auto work = [&](ChorePiece& piece) -> Result<void> {
    refusal.reset();
    auto changes = decide(Documents(piece.transaction), piece.now);
    if (!changes) {
      // A failure here would make the jobs of other clients run again.
      refusal = std::move(changes).error();
      return {};
    }
    return apply_documents(*changes, piece.transaction);
  };
  const bool is_committed = engine.commit_piece(work, only_frees_space);
  if (refusal) return *std::move(refusal);
  if (!is_committed) return Error::internal_server_error();
  return {};
}

bool remove_documents(Engine& engine, std::string_view prefix) {
  for (;;) {
    std::size_t found = 0;
    const auto decide = [&](const Documents& stored,
                            Timestamp /*now*/) -> Result<std::vector<DocumentChange>> {
      std::vector<DocumentChange> changes;
      STATOR_CHECK(stored.visit(prefix, [&](std::string_view key, std::string_view /*value*/) {
        changes.push_back({.key = std::string(key), .value = {}});
        return changes.size() < kRemovedInCommit;
      }));
      found = changes.size();
      return changes;
    };
    if (!change_documents(engine, decide, /*only_frees_space=*/true)) return false;
    if (found < kRemovedInCommit) return true;
  }
}

}  // namespace stator
