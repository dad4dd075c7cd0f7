#include "engine/storage/stores/stream_store.h"

#include <algorithm>
#include <array>

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/keys/keys.h"
#include "protocol/service/limits.h"

namespace stator::storage {
namespace {

// Persisted: never change, only append.
constexpr std::array kViewTypes{StreamViewType::KeysOnly, StreamViewType::NewImage,
                                StreamViewType::OldImage, StreamViewType::NewAndOldImages};
constexpr std::array kKeyTypes{Type::S, Type::N, Type::B};

template <class Enum, std::size_t Count>
std::uint8_t code_of(Enum value, const std::array<Enum, Count>& all) {
  for (std::size_t i = 0; i < Count; ++i) {
    if (all[i] == value) return static_cast<std::uint8_t>(i);
  }
  __builtin_unreachable();
}
template <class Enum, std::size_t Count>
std::optional<Enum> of_code(std::uint8_t code, const std::array<Enum, Count>& all) {
  return code < Count ? std::optional(all[code]) : std::nullopt;
}

Error damaged(std::string_view what) {
  return Error(ErrorCode::InternalServerError,
               "the data is damaged: " + std::string(what) + " cannot be read");
}

void write_time(ByteWriter& out, Timestamp time) {
  out.be(static_cast<std::uint64_t>(time.unix_us));
}
Timestamp read_time(ByteReader& in) { return {static_cast<std::int64_t>(in.be<std::uint64_t>())}; }

void write_key(ByteWriter& out, const KeyAttribute& key) {
  out.bytes(key.name);
  out.u8(code_of(key.type, kKeyTypes));
}
bool read_key(ByteReader& in, KeyAttribute& key) {
  key.name = in.bytes();
  const auto type = of_code(in.u8(), kKeyTypes);
  if (type) key.type = *type;
  return type.has_value();
}

std::string encode_stream(const Stream& stream) {
  std::string value;
  ByteWriter out(value);
  for (const std::string* text :
       {&stream.scope, &stream.table_name, &stream.region, &stream.account_id, &stream.label})
    out.bytes(*text);
  out.be(static_cast<std::uint32_t>(stream.table));
  write_key(out, stream.partition_key);
  out.u8(stream.sort_key ? 1 : 0);
  if (stream.sort_key) write_key(out, *stream.sort_key);
  out.u8(code_of(stream.view_type, kViewTypes));
  for (const std::uint64_t half : stream.seed) out.be(half);
  write_time(out, stream.created);
  write_time(out, stream.enabling_until);
  out.u8(stream.closed ? 1 : 0);
  if (stream.closed) {
    write_time(out, *stream.closed);
    write_time(out, stream.disabling_until);
  }
  out.varint(stream.open_shards.size());
  for (const std::string& id : stream.open_shards) out.bytes(id);
  return value;
}

Result<Stream> decode_stream(std::uint64_t number, std::string_view bytes) {
  constexpr std::string_view kWhat = "the description of a stream";
  ByteReader in(bytes);
  Stream stream;
  stream.number = number;
  for (std::string* text :
       {&stream.scope, &stream.table_name, &stream.region, &stream.account_id, &stream.label})
    *text = in.bytes();
  stream.table = SpaceId{in.be<std::uint32_t>()};
  bool is_sound = read_key(in, stream.partition_key);
  if (in.u8() != 0) is_sound = read_key(in, stream.sort_key.emplace()) && is_sound;
  const auto view_type = of_code(in.u8(), kViewTypes);
  if (!is_sound || !view_type) return damaged(kWhat);
  stream.view_type = *view_type;
  for (std::uint64_t& half : stream.seed) half = in.be<std::uint64_t>();
  stream.created = read_time(in);
  stream.enabling_until = read_time(in);
  if (in.u8() != 0) {
    stream.closed = read_time(in);
    stream.disabling_until = read_time(in);
  }
  for (std::size_t left = in.varint(); left > 0 && !in.is_damaged(); --left)
    stream.open_shards.emplace_back(in.bytes());
  STATOR_CHECK(in.finish(kWhat));
  return stream;
}

std::string encode_shard(const Shard& shard) {
  std::string value;
  ByteWriter out(value);
  out.bytes(shard.parent_id);
  out.be(shard.start);
  out.be(shard.hash_begin);
  out.be(shard.hash_end);
  write_time(out, shard.opened);
  out.u8(shard.closed ? 1 : 0);
  if (shard.closed) {
    out.be(*shard.end);
    write_time(out, *shard.closed);
  }
  return value;
}

Result<Shard> decode_shard(std::string_view id, std::string_view bytes) {
  ByteReader in(bytes);
  Shard shard;
  shard.id = id;
  shard.parent_id = in.bytes();
  shard.start = in.be<std::uint64_t>();
  shard.hash_begin = in.be<std::uint32_t>();
  shard.hash_end = in.be<std::uint32_t>();
  shard.opened = read_time(in);
  if (in.u8() != 0) {
    shard.end = in.be<std::uint64_t>();
    shard.closed = read_time(in);
  }
  STATOR_CHECK(in.finish("a shard of a stream"));
  return shard;
}

// No stream has a longer name, and a longer one fits no key.
bool can_be(const StreamName& name) {
  return name.table_name.size() <= limits::kTableNameCharsMax &&
         name.label.size() <= kStreamLabelBytesMax;
}

Result<std::uint64_t> decode_number(std::string_view bytes) {
  ByteReader in(bytes);
  const auto number = in.be<std::uint64_t>();
  STATOR_CHECK(in.finish("the number of a stream"));
  return number;
}

// The stream that a name's record points to.
Result<std::optional<Stream>> stream_under(const Transaction& transaction,
                                           std::string_view number) {
  STATOR_TRY(const std::uint64_t found, decode_number(number));
  STATOR_TRY(auto stream, find_stream(transaction, found));
  if (!stream) return damaged("the name of a stream");
  return stream;
}

}  // namespace

Result<std::optional<Stream>> find_stream(const Transaction& transaction, std::uint64_t number) {
  STATOR_TRY(const auto stored,
             transaction.find(Database::Streams, StreamKey{number}.encode().view()));
  if (!stored) return std::optional<Stream>();
  STATOR_TRY(auto stream, decode_stream(number, *stored));
  return std::optional(std::move(stream));
}

Result<std::optional<Stream>> find_stream(const Transaction& transaction, const StreamName& name) {
  if (!can_be(name)) return std::optional<Stream>();
  const StreamNameKey key{name.scope, name.table_name, name.label};
  STATOR_TRY(const auto stored, transaction.find(Database::Streams, key.encode().view()));
  if (!stored) return std::optional<Stream>();
  return stream_under(transaction, *stored);
}

Result<std::optional<Stream>> next_stream(const Transaction& transaction, const StreamName& after,
                                          std::optional<std::string_view> table_name) {
  if (!can_be(after) || (table_name && !can_be({after.scope, *table_name, {}})))
    return std::optional<Stream>();
  const KeyBuffer prefix = table_name ? StreamNameKey::prefix(after.scope, *table_name)
                                      : StreamNameKey::prefix(after.scope);
  std::string from(prefix.view());
  if (!after.table_name.empty()) {
    const StreamNameKey key{after.scope, after.table_name, after.label};
    from = std::max(from, std::string(key.encode().view()));
  }
  STATOR_TRY(const auto met, transaction.seek(Database::Streams, from, /*after=*/true));
  if (!met || !met->key.starts_with(prefix.view())) return std::optional<Stream>();
  return stream_under(transaction, met->value);
}

Result<void> put_stream(WriteTransaction& transaction, const Stream& stream) {
  std::string number;
  ByteWriter(number).be(stream.number);
  const StreamNameKey name{stream.scope, stream.table_name, stream.label};
  STATOR_CHECK(transaction.put(Database::Streams, name.encode().view(), number));
  return transaction.put(Database::Streams, StreamKey{stream.number}.encode().view(),
                         encode_stream(stream));
}

Result<void> erase_stream(WriteTransaction& transaction, const Stream& stream) {
  const StreamNameKey name{stream.scope, stream.table_name, stream.label};
  STATOR_CHECK(transaction.erase(Database::Streams, name.encode().view()).map([](bool) {}));
  STATOR_CHECK(
      transaction.erase(Database::Streams, StreamKey{stream.number}.encode().view()).map([](bool) {
      }));
  return {};
}

Result<std::optional<Shard>> find_shard(const Transaction& transaction, std::uint64_t stream,
                                        std::string_view id) {
  if (id.size() > kShardIdBytesMax) return std::optional<Shard>();
  STATOR_TRY(const auto stored,
             transaction.find(Database::Streams, ShardKey{stream, id}.encode().view()));
  if (!stored) return std::optional<Shard>();
  STATOR_TRY(auto shard, decode_shard(id, *stored));
  return std::optional(std::move(shard));
}

Result<std::optional<Shard>> next_shard(const Transaction& transaction, std::uint64_t stream,
                                        std::string_view after_id) {
  if (after_id.size() > kShardIdBytesMax) return std::optional<Shard>();
  const KeyBuffer from = ShardKey{stream, after_id}.encode();
  STATOR_TRY(const auto met, transaction.seek(Database::Streams, from.view(), /*after=*/true));
  const KeyBuffer prefix = ShardKey{stream, {}}.encode();
  if (!met || !met->key.starts_with(prefix.view())) return std::optional<Shard>();
  STATOR_TRY(auto shard, decode_shard(met->key.substr(prefix.size()), met->value));
  return std::optional(std::move(shard));
}

Result<void> put_shard(WriteTransaction& transaction, std::uint64_t stream, const Shard& shard) {
  return transaction.put(Database::Streams, ShardKey{stream, shard.id}.encode().view(),
                         encode_shard(shard));
}

Result<void> erase_shard(WriteTransaction& transaction, std::uint64_t stream, std::string_view id) {
  const KeyBuffer key = ShardKey{stream, id}.encode();
  STATOR_CHECK(transaction.erase(Database::Streams, key.view()).map([](bool) {}));
  return {};
}

Result<std::optional<std::string_view>> stream_secret(const Transaction& transaction) {
  return transaction.find(Database::Meta, encode(MetaKey::StreamSecret));
}

Result<void> put_stream_secret(WriteTransaction& transaction, std::string_view secret) {
  return transaction.put(Database::Meta, encode(MetaKey::StreamSecret), secret);
}

}  // namespace stator::storage
