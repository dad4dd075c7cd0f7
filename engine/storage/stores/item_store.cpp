#include "engine/storage/stores/item_store.h"

#include <cassert>
#include <string>
#include <vector>

#include "engine/storage/bytes/damage.h"
#include "engine/storage/keys/key_codec.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/lmdb/prefetch.h"
#include "engine/storage/stores/counters.h"

namespace stator::storage {
namespace {

// One lookup on the way to a record: first in Items, then in one node after the other.
struct Step {
  Database database;
  KeyBuffer key;
  std::string_view
      rest;  // sort bytes that continue in the node the key points to; empty at the record
};

Step first_step(const StoreKey& key) {
  assert(key.sort.size() <= kSortBytesMax);
  Step step{Database::Items, {}, {}};
  append_partition_prefix(step.key, key.space, key.partition);
  step.rest = append_sort(step.key, key.sort);
  return step;
}

Step step_into(std::uint64_t node, std::string_view sort) {
  Step step{Database::Nodes, node_prefix(node), {}};
  step.rest = append_sort(step.key, sort);
  return step;
}

// Follows or creates the pointers down to the step that holds the record.
Result<Step> descend_for_put(WriteTransaction& transaction, const StoreKey& key) {
  Step step = first_step(key);
  while (!step.rest.empty()) {
    STATOR_TRY(const auto pointer, transaction.find(step.database, step.key.view()));
    std::uint64_t node = 0;
    if (pointer) {
      node = decode_pointer(*pointer);
    } else {
      STATOR_TRY(node, take_number(transaction, MetaKey::NextNode));
      STATOR_CHECK(transaction.put(step.database, step.key.view(), node_prefix(node).view()));
    }
    step = step_into(node, step.rest);
  }
  return step;
}

// Erases the record at the end of `path`, then every pointer whose node becomes empty.
Result<void> erase_path(WriteTransaction& transaction, const std::vector<Step>& path) {
  for (std::size_t depth = path.size(); depth-- > 0;) {
    const Step& step = path[depth];
    STATOR_TRY(const bool was_there, transaction.erase(step.database, step.key.view()));
    if (!was_there) throw DamagedData("a key was met that is not there");
    if (step.database == Database::Items) return {};
    const std::string_view node = step.key.view().substr(0, kNodeIdBytes);
    STATOR_TRY(const auto sibling, transaction.seek(Database::Nodes, node));
    if (sibling && sibling->key.starts_with(node)) return {};
  }
  return {};
}

// The path from `first`, a key in Items, to the first record under it.
Result<std::vector<Step>> path_to_first_record(const Transaction& transaction,
                                               const Transaction::Record& first) {
  std::vector<Step> path;
  Database database = Database::Items;
  Transaction::Record record = first;
  for (;;) {
    Step step{database, {}, {}};
    step.key.append(record.key);
    path.push_back(step);
    if (!is_pointer_key(record.key)) return path;
    const KeyBuffer node = node_prefix(decode_pointer(record.value));
    STATOR_TRY(const auto next, transaction.seek(Database::Nodes, node.view()));
    if (!next || !next->key.starts_with(node.view())) throw DamagedData("a node is empty");
    database = Database::Nodes;
    record = *next;
  }
}

}  // namespace

std::strong_ordering compare_positions(const StoreKey& a, const StoreKey& b) {
  assert(a.space == b.space);
  if (a.partition != b.partition) {
    KeyBuffer a_prefix;
    KeyBuffer b_prefix;
    append_partition_prefix(a_prefix, a.space, a.partition);
    append_partition_prefix(b_prefix, b.space, b.partition);
    return a_prefix.view() <=> b_prefix.view();
  }
  return a.sort <=> b.sort;
}

Result<std::optional<std::string_view>> find_record(const Transaction& transaction,
                                                    const StoreKey& key) {
  Step step = first_step(key);
  for (;;) {
    STATOR_TRY(const auto value, transaction.find(step.database, step.key.view()));
    if (value && step.rest.empty()) prefetch(*value);
    if (!value || step.rest.empty()) return value;
    step = step_into(decode_pointer(*value), step.rest);
  }
}

Result<void> put_record(WriteTransaction& transaction, const StoreKey& key,
                        std::string_view record) {
  STATOR_TRY(const Step step, descend_for_put(transaction, key));
  return transaction.put(step.database, step.key.view(), record);
}

Result<bool> erase_record(WriteTransaction& transaction, const StoreKey& key) {
  Step step = first_step(key);
  if (step.rest.empty()) return transaction.erase(step.database, step.key.view());
  std::vector<Step> path;
  for (;;) {
    STATOR_TRY(const auto value, transaction.find(step.database, step.key.view()));
    if (!value) return false;
    path.push_back(step);
    if (step.rest.empty()) break;
    step = step_into(decode_pointer(*value), step.rest);
  }
  STATOR_CHECK(erase_path(transaction, path));
  return true;
}

Result<bool> erase_some(WriteTransaction& transaction, SpaceId space, std::size_t records_max) {
  KeyBuffer prefix;
  prefix.append_u32(static_cast<std::uint32_t>(space));
  for (std::size_t erased = 0;; ++erased) {
    STATOR_TRY(const auto first, transaction.seek(Database::Items, prefix.view()));
    if (!first || !first->key.starts_with(prefix.view())) return true;
    if (erased == records_max) return false;
    STATOR_TRY(const auto path, path_to_first_record(transaction, *first));
    STATOR_CHECK(erase_path(transaction, path));
  }
}

}  // namespace stator::storage
