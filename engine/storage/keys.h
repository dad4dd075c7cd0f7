// The keys of every database but Items and Nodes (key_codec.h), a type for each, and their values
// of fixed shape. Drawn in FORMAT.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/schema/space.h"
#include "engine/seams/clock.h"
#include "engine/storage/environment.h"
#include "engine/storage/key_codec.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator {

// Items and billed bytes of a table or index.
struct SpaceStats {
  std::int64_t item_count = 0;
  std::int64_t size_bytes = 0;
};

}  // namespace stator

namespace stator::storage {

// ---- Meta ----

enum class MetaKey : std::uint8_t {
  Format,        // magic and version (format.h)
  NextNode,      // the next number of a node
  NextSpace,     // the next number of a table or index
  NextChange,    // the next number of a change (journal.h)
  Migration,     // how far the data of an older version was brought along (migration.h)
  Time,          // how far the engine's time has come (engine/state/kept_time.h)
  Clock,         // how its time passes (engine/state/kept_clock.h)
  StreamSecret,  // what tokens for readers of streams are signed with (stream_store.h)
};
std::string_view encode(MetaKey key);

// The number to be given next, 1 before the first. Numbers are never given twice.
Result<std::uint64_t> next_number(const Transaction& transaction, MetaKey counter);
Result<void> put_next_number(WriteTransaction& transaction, MetaKey counter, std::uint64_t next);
// The next number, which is used up by that.
Result<std::uint64_t> take_number(WriteTransaction& transaction, MetaKey counter);

// ---- Tables, Stats, Purges ----

struct SpaceKey {
  SpaceId space{};

  KeyBuffer encode() const;
  static Result<SpaceKey> decode(std::string_view bytes);
};

std::string encode_stats(const SpaceStats& stats);
Result<SpaceStats> decode_stats(std::string_view bytes);

// ---- Collections ----

struct CollectionKey {
  SpaceId space{};
  std::string_view partition;

  KeyBuffer encode() const;
  // What the keys of all collections of a space begin with.
  static KeyBuffer prefix(SpaceId space) { return SpaceKey{space}.encode(); }
};

std::string encode_collection_size(std::int64_t size_bytes);
Result<std::int64_t> decode_collection_size(std::string_view bytes);

// ---- Journal, Consumers (journal.h) ----

struct JournalKey {
  SpaceId table{};
  std::uint64_t number = 0;

  KeyBuffer encode() const;
  static Result<JournalKey> decode(std::string_view bytes);
};

// REQUIRES: a name of at most kConsumerNameBytesMax.
inline constexpr std::size_t kConsumerNameBytesMax = 255;
struct ConsumerKey {
  SpaceId table{};
  std::string_view name;

  KeyBuffer encode() const;
  static Result<ConsumerKey> decode(std::string_view bytes);
};

// ---- Expiries (expiries.h) ----

struct ExpiryKey {
  SpaceId space{};
  std::uint64_t due_s = 0;
  std::string_view partition;  // of the item
  std::string_view sort;
  // Decoded only: the item's key is a digest here, and stands in the value.
  bool is_digest = false;

  // Whether an item's key fits.
  static bool is_inline(std::string_view partition, std::string_view sort);
  KeyBuffer encode() const;
  static Result<ExpiryKey> decode(std::string_view bytes);
  // What stands before all entries of the space that are due at `due_s` or later.
  static KeyBuffer prefix(SpaceId space, std::uint64_t due_s);
};

std::string encode_position(std::uint64_t position);
Result<std::uint64_t> decode_position(std::string_view bytes);

// ---- Streams (stream_store.h) ----

// REQUIRES: names of tables and labels no longer than they can be.
inline constexpr std::size_t kStreamLabelBytesMax = 32;
inline constexpr std::size_t kShardIdBytesMax = 65;

// To the stream's number.
struct StreamNameKey {
  std::string_view scope;
  std::string_view table_name;
  std::string_view label;

  KeyBuffer encode() const;
  // What the keys of all streams of a scope, or of the tables of a name, begin with.
  static KeyBuffer prefix(std::string_view scope);
  static KeyBuffer prefix(std::string_view scope, std::string_view table_name);
};

struct StreamKey {
  std::uint64_t number = 0;

  KeyBuffer encode() const;
};

struct ShardKey {
  std::uint64_t stream = 0;
  std::string_view id;

  KeyBuffer encode() const;
};

// ---- Tokens, TokenTimes (token_store.h) ----

// REQUIRES: a text of at most kTokenTextBytesMax: 36 characters.
inline constexpr std::size_t kTokenTextBytesMax = std::size_t{36} * 4;
struct TokenKey {
  std::string_view scope;
  std::uint8_t kind = 0;
  std::string_view text;

  KeyBuffer encode() const;
  // What the keys of all tokens of a scope begin with.
  static KeyBuffer prefix(std::string_view scope);
};

struct TokenTimeKey {
  Timestamp finished;
  std::string_view token;  // a TokenKey's bytes

  KeyBuffer encode() const;
  static Result<TokenTimeKey> decode(std::string_view bytes);
};

}  // namespace stator::storage
