// Snapshot: what an operation may read, namely a consistent state of the store, the tables and the
// time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/call/call.h"
#include "engine/call/scope.h"
#include "engine/seams/clock.h"
#include "engine/storage/environment/transaction.h"
#include "engine/storage/keys/keys.h"
#include "protocol/errors/result.h"

namespace stator {

namespace storage {
class CommitJob;
struct TokenName;
}  // namespace storage
class Catalog;
class InFlightTransactions;
struct FlightInfo;
struct LocatedKey;
struct Table;

// Called when a request names a missing table. Any thread.
class MissingTableListener {
 public:
  virtual ~MissingTableListener() = default;
  virtual void table_missing(const Catalog& catalog, std::string_view scope,
                             std::string_view name) = 0;
};

// ResourceNotFoundException that names the table.
Error table_not_found(std::string_view name);

class Snapshot {
 public:
  // `own`: the reading job, whose own transaction in flight is ignored; nullptr if none.
  Snapshot(const storage::Transaction& transaction, const Catalog& catalog, Timestamp now,
           MissingTableListener& listener, const InFlightTransactions& flights,
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

  // The table that `name_or_arn` names, or nullptr. An ARN of another Region or account finds
  // nothing.
  const Table* find_table(const Call& call, std::string_view name_or_arn) const;

  // The table for item calls. Error for missing, CREATING and DELETING tables:
  // ResourceNotFoundException with the bare text.
  Result<const Table*> item_table(Call& call, std::string_view name_or_arn) const;
  // The table for control calls. Error if missing: ResourceNotFoundException that names it.
  Result<const Table*> control_table(Call& call, std::string_view name_or_arn) const;

  // Whether a transaction in flight holds the item, which then can be neither written nor read in
  // another transaction.
  bool is_held(const LocatedKey& item) const;

  // The fingerprint of the request in flight with this token; empty if none.
  std::optional<std::string> find_flight(const storage::TokenName& token) const;

  // The first `count_max` transactions in flight (in_flight_transactions.h).
  std::vector<FlightInfo> flights(std::size_t count_max) const;

  Result<SpaceStats> stats(storage::SpaceId space) const;
  // Billed bytes of an item collection (tables with local indexes).
  Result<std::int64_t> collection_size_bytes(const Table& table, std::string_view partition) const;

 private:
  const storage::Transaction& transaction_;
  const Catalog& catalog_;
  Timestamp now_;
  MissingTableListener& listener_;
  const InFlightTransactions& flights_;
  const storage::CommitJob* own_;
};

}  // namespace stator
