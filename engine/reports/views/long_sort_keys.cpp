#include "engine/reports/views/long_sort_keys.h"

#include <array>

#include "engine/catalog/primary_key.h"
#include "engine/items/item_keys.h"
#include "engine/storage/environment/undo_log.h"
#include "engine/storage/keys/key_codec.h"
#include "engine/storage/records/item_codec.h"

namespace stator {

using storage::Database;

Result<FoundRecord> find_record_at_mark(const storage::Transaction& transaction,
                                        std::span<const std::uint32_t> marks,
                                        const storage::StoreKey& key) {
  storage::KeyBuffer part;
  storage::append_partition_prefix(part, key.space, key.partition);
  std::string_view rest = storage::append_sort(part, key.sort);
  for (Database database = Database::Items;; database = Database::Nodes) {
    STATOR_TRY(auto value, storage::value_at_mark(transaction, marks, database, part.view()));
    if (!value || rest.empty()) return FoundRecord{std::string(part.view()), std::move(value)};
    part.assign(storage::node_prefix(storage::decode_pointer(*value)));
    rest = storage::append_sort(part, rest);
  }
}

std::optional<storage::StoreKey> key_in_table(const Table& table, std::string_view record,
                                              Arena& arena) {
  if (!table.sort_key) return std::nullopt;
  const storage::EncodedItem item(record);
  const auto partition = item.find(table.partition_key.name, arena);
  const auto sort = item.find(table.sort_key->name, arena);
  if (!partition || !sort) return std::nullopt;
  std::array<Member, 2> members = {Member{table.partition_key.name, *partition},
                                   Member{table.sort_key->name, *sort}};
  if (members[1].name < members[0].name) std::swap(members[0], members[1]);
  const auto key = key_of_lookup(table, members);
  return key ? std::optional(store_key_of(table, *key)) : std::nullopt;
}

}  // namespace stator
