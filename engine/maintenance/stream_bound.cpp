// Keeps what the records of all streams occupy within StreamLimits::bytes_max: the oldest go first,
// whosever they are. Bound to nothing: there is one for all tables.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "engine/maintenance/chore_kinds.h"
#include "engine/storage/journal.h"

namespace stator {
namespace {

constexpr Timestamp kAtOnce{};

class StreamBound final : public ChoreKind {
 public:
  Result<void> find_all(const storage::Transaction& transaction, const Catalog& /*catalog*/,
                        const Enter& enter) override {
    // How much there may be is known where a piece is run.
    if (transaction.occupied_bytes(storage::Database::Journal) > 0) enter(subject_, kAtOnce);
    return {};
  }

  void batch_committed(const MutationApplier::Ended& batch, const Catalog& /*catalog*/,
                       const Enter& enter) override {
    if (batch.has_too_large_streams) enter(subject_, kAtOnce);
  }

  bool only_shrinks() const override { return true; }

  Result<std::optional<Timestamp>> run_piece(const ChoreSubject& /*subject*/,
                                             ChorePiece& piece) override {
    if (!is_too_large(piece)) return std::optional<Timestamp>();
    STATOR_TRY(Tables tables, tables_of_streams(piece.transaction));
    STATOR_TRY(const bool is_all, trim_oldest(tables, piece));
    for (const auto& [number, table] : tables) {
      // Nobody keeps what is in front of the entry that is its first now.
      for (const storage::Consumer& consumer : table.streams) {
        if (table.horizon > consumer.position)
          STATOR_CHECK(storage::put_consumer(piece.transaction,
                                             {consumer.table, consumer.name, table.horizon}));
      }
    }
    return is_all ? std::optional<Timestamp>() : std::optional(piece.now);
  }

 private:
  // Streams of one table, and how far it is trimmed.
  struct Followed {
    std::vector<storage::Consumer> streams;
    std::uint64_t kept_from = UINT64_MAX;  // by other consumers
    std::uint64_t horizon = 0;
  };
  // By the number of their first entry.
  using Tables = std::map<std::uint64_t, Followed>;

  static bool is_too_large(const ChorePiece& piece) {
    return piece.transaction.occupied_bytes(storage::Database::Journal) >
           piece.batch.stream_limits().bytes_max;
  }

  static Result<Tables> tables_of_streams(const storage::Transaction& transaction) {
    STATOR_TRY(const auto consumers, storage::all_consumers(transaction));
    std::map<storage::SpaceId, Followed> by_space;
    for (const storage::Consumer& consumer : consumers) {
      Followed& table = by_space[consumer.table];
      if (stream_of(consumer.name)) {
        table.streams.push_back(consumer);
      } else {
        table.kept_from = std::min(table.kept_from, consumer.position);
      }
    }
    Tables tables;
    for (auto& [space, table] : by_space) {
      if (table.streams.empty()) continue;
      STATOR_TRY(const auto first, storage::find_in_journal(transaction, space, 0));
      if (first && first->number < table.kept_from) tables.emplace(first->number, std::move(table));
    }
    return tables;
  }

  // Erases the oldest entries of all, until there are few enough or the piece is full; whether it
  // is done.
  static Result<bool> trim_oldest(Tables& tables, ChorePiece& piece) {
    Tables done;
    std::size_t erased = 0;
    while (!tables.empty() && erased < piece.limits.records_max && is_too_large(piece)) {
      auto oldest = tables.extract(tables.begin());
      Followed& table = oldest.mapped();
      const storage::SpaceId space = table.streams.front().table;
      STATOR_CHECK(storage::erase_in_journal(piece.transaction, space, oldest.key()));
      ++erased;
      table.horizon = oldest.key() + 1;
      STATOR_TRY(const auto next,
                 storage::find_in_journal(piece.transaction, space, table.horizon));
      const bool has_more = next && next->number < table.kept_from;
      if (has_more) oldest.key() = next->number;
      (has_more ? tables : done).insert(std::move(oldest));
    }
    const bool is_all = tables.empty() || !is_too_large(piece);
    tables.merge(done);
    return is_all;
  }

  const ChoreSubject subject_{storage::SpaceId{}, std::make_shared<Runtime>()};
};

}  // namespace

std::unique_ptr<ChoreKind> make_stream_bound() { return std::make_unique<StreamBound>(); }

}  // namespace stator
