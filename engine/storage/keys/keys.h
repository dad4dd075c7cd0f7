// The keys of every database except Items and Nodes (key_codec.h), one type each, and their values
// of fixed layout. engine/storage/FORMAT.md draws them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/schema/space.h"
#include "engine/schema/space_stats.h"
#include "engine/seams/clock.h"
#include "engine/storage/keys/key_codec.h"
#include "protocol/errors/result.h"

namespace stator::storage {

// ---- Meta ----

enum class MetaKey : std::uint8_t {
  Format,        // magic and version (format.h)
  NextNode,      // next number of a node
  NextSpace,     // next number of a table or index
  NextChange,    // next number of a change (journal.h)
  Migration,     // progress of migrating the data of an older version (migration.h)
  Time,          // the engine's time (engine/catalog/persisted_time.h)
  Clock,         // how the engine's time passes (engine/catalog/persisted_clock.h)
  StreamSecret,  // secret that signs tokens of stream readers (stream_store.h)
};
std::string_view encode(MetaKey key);

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
  // The common prefix of the keys of all collections of a space.
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

// REQUIRES: the name has at most kConsumerNameBytesMax bytes.
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
  std::string_view partition;  // from the item's key
  std::string_view sort;
  // Set by decode() only: the key holds a digest of the item's key, which is in the value.
  bool is_digest = false;

  // Whether an item's key fits into the entry's key.
  static bool is_inline(std::string_view partition, std::string_view sort);
  KeyBuffer encode() const;
  static Result<ExpiryKey> decode(std::string_view bytes);
  // The key before all entries of the space due at `due_s` or later.
  static KeyBuffer prefix(SpaceId space, std::uint64_t due_s);
};

std::string encode_position(std::uint64_t position);
Result<std::uint64_t> decode_position(std::string_view bytes);

// ---- Streams (stream_store.h) ----

// REQUIRES: names of tables and labels within their limits.
inline constexpr std::size_t kStreamLabelBytesMax = 32;
inline constexpr std::size_t kShardIdBytesMax = 65;

// The value is the stream's number.
struct StreamNameKey {
  std::string_view scope;
  std::string_view table_name;
  std::string_view label;

  KeyBuffer encode() const;
  // The common prefix of the keys of all streams of a scope, or of tables of one name.
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

// REQUIRES: the text has at most kTokenTextBytesMax bytes: 36 characters.
inline constexpr std::size_t kTokenTextBytesMax = std::size_t{36} * 4;
struct TokenKey {
  std::string_view scope;
  std::uint8_t kind = 0;
  std::string_view text;

  KeyBuffer encode() const;
  // The common prefix of the keys of all tokens of a scope.
  static KeyBuffer prefix(std::string_view scope);
};

struct TokenTimeKey {
  Timestamp finished;
  std::string_view token;  // a TokenKey's bytes

  KeyBuffer encode() const;
  static Result<TokenTimeKey> decode(std::string_view bytes);
};

// ---- Backups (description_store.h) ----

// What is described. The next number is that of the keys by space. Persisted: never change.
enum class DescriptionKind : std::uint8_t {
  Backup = 1,
  Export = 3,
  Import = 5,
  BulkJob = 7,
  KinesisStream = 9,
};

// REQUIRES: the id has kBackupIdBytes bytes.
inline constexpr std::size_t kBackupIdBytes = 23;
struct DescriptionKey {
  DescriptionKind kind{};
  std::string_view scope;
  std::string_view id;  // before the name, so that keys are in the order of creation
  std::string_view table_name;

  KeyBuffer encode() const;
  // The common prefix of the keys of a scope, or of all.
  static KeyBuffer prefix(DescriptionKind kind, std::string_view scope);
  static KeyBuffer prefix(DescriptionKind kind);
};

// Names the description in progress whose items are in the space.
struct DescriptionSpaceKey {
  DescriptionKind kind{};
  SpaceId space{};

  KeyBuffer encode() const;
  static KeyBuffer prefix(DescriptionKind kind);
};

}  // namespace stator::storage
