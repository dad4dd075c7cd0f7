// Snapshot: what an operation may read: the store as of one moment, the tables, the time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/call/call.h"
#include "engine/seams/clock.h"
#include "engine/state/catalog.h"
#include "engine/state/flights.h"
#include "engine/state/primary_key.h"
#include "engine/storage/item_store.h"
#include "engine/storage/keys.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator {

// Told of tables asked for in vain, for the log's hint. Any thread.
class MissingTableListener {
 public:
  virtual ~MissingTableListener() = default;
  virtual void table_missing(const Catalog& catalog, std::string_view scope,
                             std::string_view name) = 0;
};

// ResourceNotFoundException naming the table.
Error table_not_found(std::string_view name);

class Snapshot {
 public:
  // `own`: the job that looks, whose own flight is none to it; nullptr: no job.
  Snapshot(const storage::Transaction& transaction, const Catalog& catalog, Timestamp now,
           MissingTableListener& listener, const Flights& flights,
           const storage::CommitJob* own = nullptr)
      : transaction_(transaction),
        catalog_(catalog),
        now_(now),
        listener_(listener),
        flights_(flights),
        own_(own) {}

  const storage::Transaction& transaction() const { return transaction_; }
  const Catalog& catalog() const { return catalog_; }
  Timestamp now() const { return now_; }

  // The table that a request means by `name_or_arn`, or nullptr. An ARN of another Region or
  // account finds nothing.
  const Table* find_table(const Call& call, std::string_view name_or_arn) const;

  // The same for item calls: missing, CREATING and DELETING tables are ResourceNotFoundException
  // with the bare text.
  Result<const Table*> item_table(Call& call, std::string_view name_or_arn) const;
  // The same for control calls: a missing table is ResourceNotFoundException naming it.
  Result<const Table*> control_table(Call& call, std::string_view name_or_arn) const;

  // Whether a transaction in flight holds the item: it must not be written, nor read in another
  // transaction.
  bool is_held(const LocatedKey& item) const { return flights_.holds(item, own_); }

  // The fingerprint of the request with this token that is in flight; empty: there is none.
  std::optional<std::string> find_flight(const storage::TokenName& token) const {
    return flights_.find_token(token, own_);
  }

  Result<SpaceStats> stats(storage::SpaceId space) const;
  // Billed bytes of an item collection (tables with local indexes).
  Result<std::int64_t> collection_size_bytes(const Table& table, std::string_view partition) const;

 private:
  const storage::Transaction& transaction_;
  const Catalog& catalog_;
  Timestamp now_;
  MissingTableListener& listener_;
  const Flights& flights_;
  const storage::CommitJob* own_;
};

// The scope whose tables a call sees (Settings::isolation); lives in the call's arena or in its
// caller.
std::string_view scope_of(const Call& call, Arena& arena);

// Name of the table that `name_or_arn` means: itself, or the name inside an ARN.
std::string_view table_name_of(std::string_view name_or_arn);

}  // namespace stator
