#include "engine/storage/keys/keys.h"

#include <array>
#include <cassert>

#include "engine/storage/bytes/bytes.h"

namespace stator::storage {

std::string_view encode(MetaKey key) {
  // Persisted: never change.
  switch (key) {
    case MetaKey::Format:
      return "format";
    case MetaKey::NextNode:
      return "next-node";
    case MetaKey::NextSpace:
      return "next_space";
    case MetaKey::NextChange:
      return "next_change";
    case MetaKey::Migration:
      return "migration";
    case MetaKey::Time:
      return "time";
    case MetaKey::Clock:
      return "clock";
    case MetaKey::StreamSecret:
      return "stream-secret";
  }
  __builtin_unreachable();
}

KeyBuffer SpaceKey::encode() const {
  KeyBuffer key;
  key.append_u32(static_cast<std::uint32_t>(space));
  return key;
}

Result<SpaceKey> SpaceKey::decode(std::string_view bytes) {
  ByteReader in(bytes);
  const SpaceKey key{SpaceId{in.be<std::uint32_t>()}};
  STATOR_CHECK(in.finish("the number of a table or index"));
  return key;
}

std::string encode_stats(const SpaceStats& stats) {
  std::string value;
  ByteWriter out(value);
  out.le(static_cast<std::uint64_t>(stats.item_count));
  out.le(static_cast<std::uint64_t>(stats.size_bytes));
  return value;
}

Result<SpaceStats> decode_stats(std::string_view bytes) {
  ByteReader in(bytes);
  const auto item_count = static_cast<std::int64_t>(in.le<std::uint64_t>());
  const auto size_bytes = static_cast<std::int64_t>(in.le<std::uint64_t>());
  STATOR_CHECK(in.finish("the statistics of a table or index"));
  return SpaceStats{item_count, size_bytes};
}

KeyBuffer CollectionKey::encode() const {
  KeyBuffer key;
  append_partition_prefix(key, space, partition);
  return key;
}

std::string encode_collection_size(std::int64_t size_bytes) {
  std::string value;
  ByteWriter(value).le(static_cast<std::uint64_t>(size_bytes));
  return value;
}

Result<std::int64_t> decode_collection_size(std::string_view bytes) {
  ByteReader in(bytes);
  const auto size_bytes = static_cast<std::int64_t>(in.le<std::uint64_t>());
  STATOR_CHECK(in.finish("the size of an item collection"));
  return size_bytes;
}

KeyBuffer JournalKey::encode() const {
  KeyBuffer key;
  key.append_u32(static_cast<std::uint32_t>(table));
  key.append_u64(number);
  return key;
}

Result<JournalKey> JournalKey::decode(std::string_view bytes) {
  ByteReader in(bytes);
  JournalKey key;
  key.table = SpaceId{in.be<std::uint32_t>()};
  key.number = in.be<std::uint64_t>();
  STATOR_CHECK(in.finish("the number of a change"));
  return key;
}

KeyBuffer ConsumerKey::encode() const {
  assert(name.size() <= kConsumerNameBytesMax);
  KeyBuffer key;
  key.append_u32(static_cast<std::uint32_t>(table));
  key.append(name);
  return key;
}

Result<ConsumerKey> ConsumerKey::decode(std::string_view bytes) {
  ByteReader in(bytes);
  ConsumerKey key;
  key.table = SpaceId{in.be<std::uint32_t>()};
  key.name = in.raw(in.rest().size());
  STATOR_CHECK(in.finish("the name of a consumer"));
  return key;
}

namespace {

// Replaces a partition's length.
constexpr std::uint16_t kExpiryDigestMark = 0xFFFF;
constexpr std::size_t kExpiryHeadBytes = kSpaceBytes + sizeof(std::uint64_t);
constexpr std::size_t kExpiryItemBytesMax =
    kPointerKeyBytes - kExpiryHeadBytes - sizeof(kExpiryDigestMark);

}  // namespace

bool ExpiryKey::is_inline(std::string_view partition, std::string_view sort) {
  return partition.size() + sort.size() <= kExpiryItemBytesMax;
}

KeyBuffer ExpiryKey::prefix(SpaceId space, std::uint64_t due_s) {
  KeyBuffer key;
  key.append_u32(static_cast<std::uint32_t>(space));
  key.append_u64(due_s);
  return key;
}

KeyBuffer ExpiryKey::encode() const {
  assert(partition.size() < kExpiryDigestMark);
  KeyBuffer key = prefix(space, due_s);
  std::array<char, sizeof(kExpiryDigestMark)> length;
  store_be(length.data(), static_cast<std::uint16_t>(partition.size()));
  const std::string_view length_bytes(length.data(), length.size());
  if (is_inline(partition, sort)) {
    key.append(length_bytes);
    key.append(partition);
    key.append(sort);
    return key;
  }
  std::string item(length_bytes);
  item.append(partition).append(sort);
  store_be(length.data(), kExpiryDigestMark);
  key.append(length_bytes);
  append_digest(key, item);
  return key;
}

Result<ExpiryKey> ExpiryKey::decode(std::string_view bytes) {
  ByteReader in(bytes);
  ExpiryKey key;
  key.space = SpaceId{in.be<std::uint32_t>()};
  key.due_s = in.be<std::uint64_t>();
  const auto length = in.be<std::uint16_t>();
  key.is_digest = length == kExpiryDigestMark;
  if (key.is_digest) {
    in.raw(kDigestBytes);
  } else {
    key.partition = in.raw(length);
    key.sort = in.raw(in.rest().size());
  }
  STATOR_CHECK(in.finish("when an item expires"));
  return key;
}

std::string encode_position(std::uint64_t position) {
  std::string value;
  ByteWriter(value).be(position);
  return value;
}

Result<std::uint64_t> decode_position(std::string_view bytes) {
  ByteReader in(bytes);
  const auto position = in.be<std::uint64_t>();
  STATOR_CHECK(in.finish("the position of a consumer"));
  return position;
}

// Kinds of keys in Streams. Persisted: never change.
constexpr std::string_view kStreamNames = "\x01";
constexpr std::string_view kStreams = "\x02";
constexpr std::string_view kShards = "\x03";

KeyBuffer StreamNameKey::prefix(std::string_view scope) {
  KeyBuffer key;
  key.append(kStreamNames);
  append_bounded(key, scope);
  return key;
}

KeyBuffer StreamNameKey::prefix(std::string_view scope, std::string_view table_name) {
  constexpr std::string_view kEnd("\0", 1);
  KeyBuffer key = prefix(scope);
  key.append(table_name);
  key.append(kEnd);
  return key;
}

KeyBuffer StreamNameKey::encode() const {
  assert(label.size() <= kStreamLabelBytesMax);
  KeyBuffer key = prefix(scope, table_name);
  key.append(label);
  return key;
}

KeyBuffer StreamKey::encode() const {
  KeyBuffer key;
  key.append(kStreams);
  key.append_u64(number);
  return key;
}

KeyBuffer ShardKey::encode() const {
  assert(id.size() <= kShardIdBytesMax);
  KeyBuffer key;
  key.append(kShards);
  key.append_u64(stream);
  key.append(id);
  return key;
}

KeyBuffer TokenKey::prefix(std::string_view scope) {
  KeyBuffer key;
  append_bounded(key, scope);
  return key;
}

KeyBuffer TokenKey::encode() const {
  assert(text.size() <= kTokenTextBytesMax);
  KeyBuffer key = prefix(scope);
  const char kind_byte = static_cast<char>(kind);
  key.append({&kind_byte, 1});
  key.append(text);
  return key;
}

KeyBuffer TokenTimeKey::encode() const {
  KeyBuffer key;
  key.append_u64(static_cast<std::uint64_t>(finished.unix_us));
  key.append(token);
  return key;
}

Result<TokenTimeKey> TokenTimeKey::decode(std::string_view bytes) {
  ByteReader in(bytes);
  TokenTimeKey key;
  key.finished.unix_us = static_cast<std::int64_t>(in.be<std::uint64_t>());
  key.token = in.raw(in.rest().size());
  STATOR_CHECK(in.finish("when a client's token was used"));
  return key;
}

namespace {

// Of the keys by space; 0 for the others.
constexpr int kBySpace = 1;

KeyBuffer kind_key(DescriptionKind kind, int by_space) {
  const char byte = static_cast<char>(static_cast<int>(kind) + by_space);
  KeyBuffer key;
  key.append({&byte, 1});
  return key;
}

}  // namespace

KeyBuffer DescriptionKey::prefix(DescriptionKind kind) { return kind_key(kind, 0); }

KeyBuffer DescriptionKey::prefix(DescriptionKind kind, std::string_view scope) {
  KeyBuffer key = prefix(kind);
  append_bounded(key, scope);
  return key;
}

KeyBuffer DescriptionKey::encode() const {
  assert(id.size() == kBackupIdBytes);
  KeyBuffer key = prefix(kind, scope);
  key.append(id);
  key.append(table_name);
  return key;
}

KeyBuffer DescriptionSpaceKey::prefix(DescriptionKind kind) { return kind_key(kind, kBySpace); }

KeyBuffer DescriptionSpaceKey::encode() const {
  KeyBuffer key = prefix(kind);
  key.append(SpaceKey{space}.encode().view());
  return key;
}

}  // namespace stator::storage
