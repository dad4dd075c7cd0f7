// Snapshot: what an operation may read: the store as of one moment, the tables, the time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/call/call.h"
#include "engine/seams/clock.h"
#include "engine/state/catalog.h"
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
  Snapshot(const storage::Transaction& transaction, const Catalog& catalog, Timestamp now,
           MissingTableListener& listener)
      : transaction_(transaction), catalog_(catalog), now_(now), listener_(listener) {}

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

  Result<SpaceStats> stats(storage::SpaceId space) const;
  // Billed bytes of an item collection (tables with local indexes).
  Result<std::int64_t> collection_size_bytes(const Table& table, std::string_view partition) const;

 private:
  const storage::Transaction& transaction_;
  const Catalog& catalog_;
  Timestamp now_;
  MissingTableListener& listener_;
};

// The scope whose tables a call sees (Settings::isolation); lives in the call's arena or in its
// caller.
std::string_view scope_of(const Call& call, Arena& arena);

// Name of the table that `name_or_arn` means: itself, or the name inside an ARN.
std::string_view table_name_of(std::string_view name_or_arn);

}  // namespace stator
