#include "engine/operations/reads/page.h"

#include <optional>
#include <string_view>
#include <vector>

#include "engine/operations/answer_members.h"
#include "engine/operations/reads/start_key.h"
#include "engine/schema/capacity.h"
#include "engine/schema/partitions.h"
#include "engine/storage/encoded_source.h"
#include "engine/storage/item_codec.h"
#include "engine/storage/packed_size.h"
#include "protocol/arena.h"
#include "protocol/json_writer.h"
#include "protocol/limits.h"

namespace stator {
namespace {

// Bytes of answers: from which on a page is long, and what a whole one usually stays below.
constexpr std::size_t kLongPageBytes = 128 * 1024;
constexpr std::size_t kWholePageBytes = 3 * limits::kPageBytesMax / 2;

std::size_t whole_blocks_bytes(std::size_t size_bytes) {
  return (size_bytes + limits::kReadUnitBytes - 1) / limits::kReadUnitBytes *
         limits::kReadUnitBytes;
}

// Units of the records read: bytes are summed up and rounded partition by partition, and every
// partition on the way costs at least one unit.
class Meter {
 public:
  Meter(const HashWalk& walk, bool is_consistent)
      : walk_(walk),
        is_consistent_(is_consistent),
        partition_(partition_of(walk.begin, walk.partitions)) {}

  bool needs_hash() const { return walk_.partitions > 1; }
  void go_to(std::uint32_t hash) { enter(partition_of(hash, walk_.partitions)); }
  void count(std::size_t size_bytes) { size_bytes_ += size_bytes; }
  void reach_end() { enter(partition_of(walk_.end - 1, walk_.partitions)); }

  std::int64_t units_milli() const {
    return units_milli_ + read_units_milli(size_bytes_, is_consistent_);
  }

 private:
  void enter(std::uint32_t partition) {
    for (; partition_ < partition; ++partition_) {
      units_milli_ += read_units_milli(size_bytes_, is_consistent_);
      size_bytes_ = 0;
    }
  }

  const HashWalk walk_;
  const bool is_consistent_;
  std::uint32_t partition_;
  std::size_t size_bytes_ = 0;
  std::int64_t units_milli_ = 0;  // of the partitions left behind
};

class Page {
 public:
  Page(const ReadTarget& target, const ReadRequest& request, const HashWalk& walk,
       const Snapshot& snapshot, Call& call)
      : target_(target),
        request_(request),
        walk_(walk),
        snapshot_(snapshot),
        call_(call),
        out_(call.reply),
        meter_(walk, request.is_consistent),
        is_fetching_(needs_table_items(target, request)),
        sort_key_(target.table->sort_key ? std::string_view(target.table->sort_key->name)
                                         : std::string_view()) {}

  Result<void> answer(storage::RecordCursor& cursor) {
    out_.begin_object();
    if (request_.select != Select::Count) {
      out_.key("Items");
      out_.begin_array();
    }
    STATOR_CHECK(walk(cursor));
    if (request_.select != Select::Count) out_.end_array();
    out_.member("Count", count_);
    out_.member("ScannedCount", scanned_count_);
    if (is_full_ && !walk_.is_one_item) write_last_evaluated_key(out_, target_, last_, scratch_);
    const std::vector<Charge> charged = charges();
    call_.units_milli = total_units_milli(charged);
    write_consumed_capacity(out_, request_.return_consumed_capacity, request_.table_name, charged);
    out_.end_object();
    return {};
  }

 private:
  Result<void> walk(storage::RecordCursor& cursor) {
    const bool needs_hash = meter_.needs_hash() || walk_.end != kHashEnd;
    while (const auto record = cursor.record()) {
      if (needs_hash) {
        const std::uint32_t hash = cursor.hash();
        if (hash >= walk_.end) break;
        meter_.go_to(hash);
      }
      last_ = *record;
      ++scanned_count_;
      STATOR_CHECK(evaluate(*record));
      is_full_ = static_cast<std::size_t>(scanned_count_) >= request_.limit ||
                 page_bytes() >= limits::kPageBytesMax;
      if (is_full_) return {};
      STATOR_CHECK(cursor.next());
    }
    meter_.reach_end();
    return {};
  }

  Result<void> evaluate(std::string_view record) {
    std::string_view item = record;
    const std::size_t size_bytes = storage::EncodedItem(record).size_bytes();
    meter_.count(size_bytes);
    if (is_fetching_) {
      entries_bytes_ += size_bytes;
      STATOR_TRY(item, fetch(record));
    } else {
      packed_bytes_ += storage::packed_size_bytes(record, sort_key_);
    }
    if (request_.filter != nullptr) {
      scratch_.reset();
      if (!expr::matches(*request_.filter, storage::EncodedSource(item, scratch_))) return {};
    }
    ++count_;
    if (request_.select == Select::Count) return {};
    out_.before_value();
    make_room();
    scratch_.reset();
    append_projected_json(call_.reply, item, request_.projection, scratch_);
    return {};
  }

  // A page that has become long is likely to become a whole one: room for it at once, rather than
  // by copying again and again.
  void make_room() {
    if (call_.reply.size() > kLongPageBytes && call_.reply.capacity() < kWholePageBytes) {
      call_.reply.reserve(kWholePageBytes);
    }
  }

  // The table's item of a local index's entry. Both are written together; without an item (a
  // damaged file) the entry has to do.
  Result<std::string_view> fetch(std::string_view entry) {
    const Table& table = *target_.table;
    scratch_.reset();
    const storage::EncodedItem encoded(entry);
    const auto bytes = [&](const KeyAttribute& key) {
      return encoded.find(key.name, scratch_)->bytes();
    };
    const storage::StoreKey key{table.space, bytes(table.partition_key),
                                table.sort_key ? bytes(*table.sort_key) : std::string_view()};
    STATOR_TRY(const auto item, storage::find_record(snapshot_.transaction(), key));
    const std::size_t size_bytes = item ? storage::EncodedItem(*item).size_bytes() : 0;
    fetched_units_milli_ += read_units_milli(size_bytes, request_.is_consistent);
    fetched_bytes_ += whole_blocks_bytes(size_bytes);
    return item.value_or(entry);
  }

  std::size_t page_bytes() const {
    return is_fetching_ ? whole_blocks_bytes(entries_bytes_) + fetched_bytes_ : packed_bytes_;
  }

  std::vector<Charge> charges() const {
    if (target_.local != nullptr) {
      return {{.units_milli = fetched_units_milli_},
              {.of = Charge::Of::LocalIndex,
               .index_name = target_.local->name,
               .units_milli = meter_.units_milli()}};
    }
    if (target_.global != nullptr) {
      return {{.of = Charge::Of::GlobalIndex,
               .index_name = target_.global->name,
               .units_milli = meter_.units_milli()}};
    }
    return {{.units_milli = meter_.units_milli()}};
  }

  const ReadTarget& target_;
  const ReadRequest& request_;
  const HashWalk& walk_;
  const Snapshot& snapshot_;
  Call& call_;
  JsonWriter out_;
  Arena scratch_;  // for one record at a time
  Meter meter_;
  const bool is_fetching_;
  const std::string_view sort_key_;

  std::string_view last_;
  std::int64_t count_ = 0;
  std::int64_t scanned_count_ = 0;
  bool is_full_ = false;
  std::size_t packed_bytes_ = 0;
  std::size_t entries_bytes_ = 0;  // with table items fetched
  std::size_t fetched_bytes_ = 0;
  std::int64_t fetched_units_milli_ = 0;
};

}  // namespace

Result<void> answer_page(const ReadTarget& target, const ReadRequest& request, const HashWalk& walk,
                         storage::RecordCursor& cursor, const Snapshot& snapshot, Call& call) {
  return Page(target, request, walk, snapshot, call).answer(cursor);
}

}  // namespace stator
