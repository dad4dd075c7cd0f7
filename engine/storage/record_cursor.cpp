// The walk over a space: a stack of LMDB cursors, the lowest on Items, one more for each node the
// walk is inside of.
#include <lmdb.h>

#include <cassert>
#include <vector>

#include "engine/storage/item_store.h"
#include "engine/storage/key_codec.h"
#include "engine/storage/lmdb_handle.h"

namespace stator::storage {

// One LMDB cursor that stays within the keys of a prefix.
class RawCursor {
 public:
  RawCursor() = default;
  RawCursor(RawCursor&& other) noexcept
      : prefix_(other.prefix_),
        cursor_(std::exchange(other.cursor_, nullptr)),
        key_(other.key_),
        value_(other.value_),
        is_inside_(other.is_inside_) {}
  RawCursor& operator=(RawCursor&&) = delete;
  ~RawCursor() {
    if (cursor_ != nullptr) mdb_cursor_close(cursor_);
  }

  // Positions at the first key that is not less than `key` (greater, with `after`) and begins with
  // `prefix`.
  Result<void> seek(const Transaction& transaction, Database database, const KeyBuffer& prefix,
                    std::string_view key, bool after) {
    if (cursor_ == nullptr) {
      const int code = mdb_cursor_open(transaction.txn_, dbi_of(database), &cursor_);
      if (code != MDB_SUCCESS) return lmdb_error("open a cursor", code);
    }
    prefix_ = prefix;
    key_ = key;
    STATOR_CHECK(move(MDB_SET_RANGE));
    if (after && is_inside_ && key_ == key) return move(MDB_NEXT);
    return {};
  }

  Result<void> next() { return move(MDB_NEXT); }

  // Whether there is a current record.
  bool is_inside() const { return is_inside_; }
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }

 private:
  Result<void> move(MDB_cursor_op operation) {
    MDB_val key = to_lmdb(key_);
    MDB_val value{};
    const int code = mdb_cursor_get(cursor_, &key, &value, operation);
    is_inside_ = false;
    if (code == MDB_NOTFOUND) return {};
    if (code != MDB_SUCCESS) return lmdb_error("read", code);
    key_ = from_lmdb(key);
    value_ = from_lmdb(value);
    is_inside_ = key_.starts_with(prefix_.view());
    return {};
  }

  KeyBuffer prefix_;
  MDB_cursor* cursor_ = nullptr;
  std::string_view key_;
  std::string_view value_;
  bool is_inside_ = false;
};

struct RecordCursor::Impl {
  Impl(const Transaction& read_from, SpaceId walked) : transaction(read_from), space(walked) {}

  // Starts anew at the first record whose key in Items is not less than `key`.
  Result<void> seek(const KeyBuffer& prefix, std::string_view key, bool after) {
    depth = 0;
    STATOR_CHECK(push(Database::Items, prefix, key, after));
    return settle();
  }

  // Goes into the node that the top's current pointer names.
  Result<void> enter(std::string_view sort, bool after, std::string_view& rest) {
    const KeyBuffer prefix = node_prefix(decode_pointer(cursors[depth - 1].value()));
    KeyBuffer key = prefix;
    rest = append_sort(key, sort);
    return push(Database::Nodes, prefix, key.view(), after && rest.empty());
  }

  // From wherever the top is to a record: into pointers, out of nodes that are through.
  Result<void> settle() {
    for (;;) {
      RawCursor& top = cursors[depth - 1];
      if (!top.is_inside()) {
        if (depth == 1) return {};
        --depth;
        STATOR_CHECK(cursors[depth - 1].next());
      } else if (is_pointer_key(top.key())) {
        std::string_view rest;
        STATOR_CHECK(enter({}, /*after=*/false, rest));
      } else {
        return {};
      }
    }
  }

  Result<void> push(Database database, const KeyBuffer& prefix, std::string_view key, bool after) {
    // Cursors above the depth are kept for the next node; those above the lowest are all on Nodes.
    if (depth == cursors.size()) cursors.emplace_back();
    ++depth;
    return cursors[depth - 1].seek(transaction, database, prefix, key, after);
  }

  const Transaction& transaction;
  SpaceId space;
  std::vector<RawCursor> cursors;
  std::size_t depth = 0;
};

RecordCursor::RecordCursor(const Transaction& transaction, SpaceId space)
    : impl_(std::make_unique<Impl>(transaction, space)) {}

RecordCursor::~RecordCursor() = default;

Result<void> RecordCursor::seek_first() { return seek_hash(0); }

Result<void> RecordCursor::seek_hash(std::uint32_t hash) {
  assert(hash < (1U << 24));
  KeyBuffer prefix;
  prefix.append_u32(static_cast<std::uint32_t>(impl_->space));
  KeyBuffer key = prefix;
  const char bytes[kHashBytes] = {static_cast<char>(hash >> 16), static_cast<char>(hash >> 8),
                                  static_cast<char>(hash)};
  key.append({bytes, kHashBytes});
  return impl_->seek(prefix, key.view(), /*after=*/false);
}

Result<void> RecordCursor::seek_partition(std::string_view partition, std::string_view sort,
                                          bool after) {
  assert(sort.size() <= kSortBytesMax);
  KeyBuffer prefix;
  append_partition_prefix(prefix, impl_->space, partition);
  KeyBuffer key = prefix;
  std::string_view rest = append_sort(key, sort);
  impl_->depth = 0;
  STATOR_CHECK(impl_->push(Database::Items, prefix, key.view(), after && rest.empty()));
  // While the top stands on the very pointer that leads to `sort`, the place is inside its node.
  while (!rest.empty() && impl_->cursors[impl_->depth - 1].is_inside() &&
         impl_->cursors[impl_->depth - 1].key() == key.view()) {
    const std::string_view sort_in_node = rest;
    key = node_prefix(decode_pointer(impl_->cursors[impl_->depth - 1].value()));
    append_sort(key, sort_in_node);
    STATOR_CHECK(impl_->enter(sort_in_node, after, rest));
  }
  return impl_->settle();
}

std::optional<std::string_view> RecordCursor::record() const {
  if (impl_->depth == 0) return {};
  const RawCursor& top = impl_->cursors[impl_->depth - 1];
  if (!top.is_inside()) return {};
  return top.value();
}

Result<void> RecordCursor::next() {
  assert(record().has_value());
  STATOR_CHECK(impl_->cursors[impl_->depth - 1].next());
  return impl_->settle();
}

}  // namespace stator::storage
