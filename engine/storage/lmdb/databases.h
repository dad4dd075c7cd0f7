// The databases of a data folder, and which of them a rollback restores.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stator::storage {

// The databases. engine/storage/FORMAT.md draws their keys and values.
enum class Database : std::uint8_t {
  Meta,         // format version, counters
  Tables,       // table descriptions
  Items,        // items and index entries, and pointers to nodes for long sort keys
  Nodes,        // continuation of long sort keys
  Stats,        // item count and bytes of a space
  Collections,  // bytes of an item collection (tables with local indexes)
  Purges,       // spaces whose records are yet to be removed
  Journal,      // changes of items, for consumers
  Consumers,    // the consumers of a table's journal and their positions
  Streams,      // descriptions of streams and shards; their records are journal entries
  Expiries,     // when items expire
  Tokens,       // clients' tokens, by name
  TokenTimes,   // the tokens by when their requests finished
  Throughput,   // throughput state of tables and indexes that their descriptions lack
  Marks,        // states that a user can return to (undo_log.h)
  Undo,         // records before their change, by mark
  Backups,      // descriptions of backups; their items are in Items
  Documents,    // records of other layers by name (engine/documents/documents.h)
  // Changes of index entries that format version 2 delayed; exists only during its migration.
  IndexChangesOf2,
};
inline constexpr std::size_t kDatabaseCount = 18;  // without the last one

// Whether marks store records of this database before a change. Counters are never rolled back.
constexpr bool is_remembered(Database database) {
  return (database > Database::Meta && database < Database::Marks) ||
         database == Database::Backups || database == Database::Documents;
}

}  // namespace stator::storage
