// The walk over a space or a range of sort keys: a stack of LMDB cursors, the lowest on Items, one
// more for each node that the walk is inside.
//
// Each cursor has a start and a limit in its own database. If a bound is too long for one key, its
// key is the pointer's and it has a rest. A cursor on exactly that pointer continues with the rest
// in the pointer's node; every other node is inside the bound as a whole.
//
// After its first record a walk keeps the cursors one record ahead of record(), so that the next
// record is prefetched while the caller reads this one. Waiting for memory is half of the time of a
// page of small records.
#include <cassert>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/bytes/damage.h"
#include "engine/storage/keys/key_codec.h"
#include "engine/storage/keys/partition_hash.h"
#include "engine/storage/lmdb/prefetch.h"
#include "engine/storage/stores/item_store.h"
#include "engine/storage/stores/raw_cursor.h"

namespace stator::storage {
namespace {

void set_lower_bound(Bound& bound, const KeyBuffer& prefix, std::string_view sort) {
  assert(sort.size() <= kSortBytesMax);
  bound.key.assign(prefix);
  bound.rest = append_sort(bound.key, sort);
}

// If `sort` is empty, the first key after all that begin with `prefix`.
void set_upper_bound(Bound& bound, const KeyBuffer& prefix, std::string_view sort) {
  if (!sort.empty()) return set_lower_bound(bound, prefix, sort);
  bound.key.assign(prefix);
  bound.key.advance();
  bound.rest = {};
}

}  // namespace

struct RecordCursor::Impl {
  // A record of the walk: its key in Items and its bytes; no bytes at the end.
  struct Place {
    std::string_view key;
    std::optional<std::string_view> record;
  };

  Impl(const Transaction& read_from, SpaceId walked) : transaction(read_from), space(walked) {}

  RawCursor& top() { return depth == 1 ? items : nodes[depth - 2]; }

  // Restarts the walk. `after` excludes a record exactly at the start (forwards only). REQUIRES:
  // the limit of `items` is set.
  Result<void> begin(Direction to, Bound& start, bool after = false) {
    direction = to;
    depth = 1;
    is_ahead = false;
    current = {};
    STATOR_CHECK(
        items.seek(transaction, Database::Items, direction, start, after && start.rest.empty()));
    while (!start.rest.empty() && top().is_inside() && top().key() == start.key.view()) {
      const KeyBuffer prefix = push_node();
      set_start(start, prefix, start.rest);
      STATOR_CHECK(
          top().seek(transaction, Database::Nodes, direction, start, after && start.rest.empty()));
    }
    STATOR_CHECK(settle());
    current = place();
    if (current.record) prefetch(*current.record);
    return {};
  }

  Result<void> next() {
    if (!is_ahead) STATOR_CHECK(step());
    current = place();
    is_ahead = current.record.has_value();
    if (!is_ahead) return {};
    STATOR_CHECK(step());
    if (top().is_inside()) prefetch(top().value());
    return {};
  }

  // The record at the cursors.
  Place place() {
    if (!top().is_inside()) return {};
    return {items.key(), top().value()};
  }

  Result<void> step() {
    STATOR_CHECK(top().next(direction));
    return settle();
  }

  // Moves from the top's position to a record: into pointers, and out of finished nodes.
  Result<void> settle() {
    for (;;) {
      const RawCursor& raw = top();
      if (!raw.is_inside()) {
        if (depth == 1) return {};
        --depth;
        STATOR_CHECK(top().next(direction));
      } else if (is_pointer_key(raw.key())) {
        const KeyBuffer prefix = push_node();
        Bound start;
        set_start(start, prefix, {});
        STATOR_CHECK(top().seek(transaction, Database::Nodes, direction, start, /*after=*/false));
      } else {
        return {};
      }
    }
  }

  // Makes the node of the current pointer the top, with its limit; returns its prefix.
  KeyBuffer push_node() {
    const RawCursor& pointer = top();
    // Each node holds some 500 bytes of a sort key.
    if (depth > kSortBytesMax / 256) throw DamagedData("nodes lead in a circle");
    const KeyBuffer prefix = node_prefix(decode_pointer(pointer.value()));
    const std::string_view rest =
        pointer.key() == pointer.limit.key.view() ? pointer.limit.rest : std::string_view();
    // Cursors above the depth are retained for the next node.
    if (++depth - 1 > nodes.size()) nodes.emplace_back();
    if (direction == Direction::Forward) {
      set_upper_bound(top().limit, prefix, rest);
    } else {
      set_lower_bound(top().limit, prefix, rest);
    }
    return prefix;
  }

  void set_start(Bound& start, const KeyBuffer& prefix, std::string_view sort) const {
    if (direction == Direction::Forward) {
      set_lower_bound(start, prefix, sort);
    } else {
      set_upper_bound(start, prefix, sort);
    }
  }

  const Transaction& transaction;
  SpaceId space;
  Direction direction = Direction::Forward;
  RawCursor items;
  std::vector<RawCursor> nodes;
  std::size_t depth = 0;  // cursors in use; 0 before the first seek
  Place current;
  bool is_ahead = false;  // whether the cursors are one record after `current`
};

RecordCursor::RecordCursor(const Transaction& transaction, SpaceId space)
    : impl_(std::make_unique<Impl>(transaction, space)) {}

RecordCursor::~RecordCursor() = default;

Result<void> RecordCursor::seek_first() { return seek_hash(0); }

Result<void> RecordCursor::seek_hash(std::uint32_t hash) {
  assert(hash < (1U << 24));
  KeyBuffer prefix;
  prefix.append_u32(static_cast<std::uint32_t>(impl_->space));
  set_upper_bound(impl_->items.limit, prefix, {});
  const char bytes[kHashBytes] = {static_cast<char>(hash >> 16), static_cast<char>(hash >> 8),
                                  static_cast<char>(hash)};
  Bound start;
  set_lower_bound(start, prefix, {bytes, kHashBytes});
  return impl_->begin(Direction::Forward, start);
}

Result<void> RecordCursor::seek_after(const StoreKey& key) {
  assert(key.space == impl_->space);
  KeyBuffer prefix;
  prefix.append_u32(static_cast<std::uint32_t>(key.space));
  set_upper_bound(impl_->items.limit, prefix, {});
  prefix.resize(0);
  append_partition_prefix(prefix, key.space, key.partition);
  Bound start;
  set_lower_bound(start, prefix, key.sort);
  return impl_->begin(Direction::Forward, start, /*after=*/true);
}

Result<void> RecordCursor::seek_range(std::string_view partition, const SortRange& range,
                                      Direction direction) {
  KeyBuffer prefix;
  append_partition_prefix(prefix, impl_->space, partition);
  Bound start;
  const bool is_forward = direction == Direction::Forward;
  set_lower_bound(is_forward ? start : impl_->items.limit, prefix, range.lower);
  set_upper_bound(is_forward ? impl_->items.limit : start, prefix, range.upper);
  return impl_->begin(direction, start);
}

std::optional<std::string_view> RecordCursor::record() const { return impl_->current.record; }

std::uint32_t RecordCursor::hash() const {
  assert(record().has_value());
  if (impl_->current.key.size() < kSpaceBytes + kHashBytes)
    throw DamagedData("a key cannot be read");
  const char* bytes = impl_->current.key.data() + kSpaceBytes;
  const char padded[4] = {0, bytes[0], bytes[1], bytes[2]};
  return load_be<std::uint32_t>(padded);
}

Result<void> RecordCursor::next() {
  assert(record().has_value());
  return impl_->next();
}

}  // namespace stator::storage
