// StreamedTable: a table with a stream as the model keeps it beside the engine: its items, and
// every change that a stream of it must tell. What it finds otherwise in the engine it throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/model/streams/random_writes.h"
#include "tests/unit/streams/stream_harness.h"

namespace stator::model {

class StreamedTable {
 public:
  // Both must outlive it.
  StreamedTable(test::StreamHarness& engine, std::mt19937_64& random, std::string name);

  // Writes an item or a few, by any operation; some expire, some are indexed.
  void write();
  // Cuts a partition of the table in two at a random place, a few times.
  void split_partition();
  // Each turns what it names on or off.
  void switch_stream();
  void switch_time_to_live();
  void switch_index();

  // To be called behind every piece of maintenance, before time is moved: notes what was deleted
  // because it expired. When all is done that is due: that nothing is left that should have been,
  // and that the index is as the table.
  void maintained(bool is_all_done);

  // Every stream tells what it should, and gives the table when it is replayed.
  void check();

  struct Counts {  // what was compared so far
    std::size_t records = 0;
    std::size_t expired = 0;
    std::size_t indexed = 0;  // items met in an index
    std::size_t replays = 0;
    std::size_t splits = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  // Items by key, as the wire shows them.
  using Items = std::map<std::string, std::string>;
  // Of an image that is none the text is empty.
  struct Change {
    std::string key;
    std::string before;
    std::string after;
    bool is_expiry = false;
    Timestamp time{};
  };
  struct Stream {
    std::string view_type;
    Items base;                  // the table before the first of `changes`
    std::optional<Items> end;    // the table when the stream was disabled
    std::deque<Change> changes;  // those that may still be told
    bool shows_new() const { return view_type.starts_with("NEW"); }
    bool shows_old() const { return view_type.ends_with("OLD_IMAGES") || view_type == "OLD_IMAGE"; }
  };
  struct Told {
    std::string number;
    std::string key;
    std::string event;  // its name
    std::string before;
    std::string after;
    bool is_expiry;

    bool operator<(const Told& other) const {
      return number.size() != other.number.size() ? number.size() < other.number.size()
                                                  : number < other.number;
    }
  };

  // The engine's time: after a kill it may be ahead of that of the clock which it follows.
  Timestamp now() const { return engine_.engine().clock().now(); }
  std::uint64_t pick(std::uint64_t below) { return random_() % below; }
  ItemWrite random_write(const std::string& key);
  // Of different keys.
  std::vector<ItemWrite> random_writes(std::size_t count);
  void write_batch();
  void write_transaction();
  void note(const ItemWrite& write) { note(write.key, write.after, /*is_expiry=*/false); }
  std::optional<std::int64_t> due_s(const std::string& item) const;
  void note(const std::string& key, const std::string& after, bool is_expiry);
  Items scan(const std::string& more = "");
  std::vector<Told> read(const std::string& arn);
  void check_stream(const std::string& arn, Stream& stream);
  void check_replay(const std::string& arn, const Stream& stream, const std::vector<Told>& told);
  static std::string text_of(const Told& record);
  static std::string text_of(const Change& change, const Stream& stream);
  [[noreturn]] void fail(const std::string& where, const std::string& what) const;

  test::StreamHarness& engine_;
  std::mt19937_64& random_;
  const std::string name_;
  Items items_;
  std::map<std::string, Stream> streams_;  // by ARN
  std::string open_stream_;                // its ARN, or empty
  bool has_time_to_live_ = false;
  bool has_index_ = false;
  Counts counts_;
};

}  // namespace stator::model
