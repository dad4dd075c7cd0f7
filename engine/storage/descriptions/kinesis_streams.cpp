#include "engine/storage/descriptions/kinesis_streams.h"

#include <utility>

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/descriptions/description_store.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/records/table_codec.h"

namespace stator::storage {
namespace {

constexpr DescriptionKind kStreamKind = DescriptionKind::KinesisStream;

std::string key_of_stream(std::string_view scope, std::string_view name) {
  return std::string(DescriptionKey::prefix(kStreamKind, scope).view()).append(name);
}

Result<KinesisStream> decode_stream(std::string_view bytes) {
  auto stream = decode_kinesis_stream(std::string(bytes));
  if (!stream)
    return Error(ErrorCode::InternalServerError,
                 "the data is damaged: the description of a stream of Kinesis cannot be read");
  return *std::move(stream);
}

}  // namespace

Result<std::optional<KinesisStream>> find_kinesis_stream(const Transaction& transaction,
                                                         std::string_view scope,
                                                         std::string_view name) {
  STATOR_TRY(const auto stored, transaction.find(Database::Backups, key_of_stream(scope, name)));
  if (!stored) return std::optional<KinesisStream>();
  STATOR_TRY(auto stream, decode_stream(*stored));
  return std::optional(std::move(stream));
}

Result<std::optional<KinesisStream>> next_kinesis_stream(const Transaction& transaction,
                                                         std::string_view scope,
                                                         std::string_view after) {
  const std::string prefix = key_of_stream(scope, {});
  STATOR_TRY(const auto met,
             transaction.seek(Database::Backups, key_of_stream(scope, after), !after.empty()));
  if (!met || !met->key.starts_with(prefix)) return std::optional<KinesisStream>();
  STATOR_TRY(auto stream, decode_stream(met->value));
  return std::optional(std::move(stream));
}

Result<std::vector<KinesisStream>> all_kinesis_streams(const Transaction& transaction) {
  std::vector<KinesisStream> streams;
  STATOR_CHECK(visit_descriptions(transaction, DescriptionKey::prefix(kStreamKind).view(),
                                  [&](std::string_view bytes) -> Result<void> {
                                    STATOR_TRY(auto stream, decode_stream(bytes));
                                    streams.push_back(std::move(stream));
                                    return {};
                                  }));
  return streams;
}

Result<void> put_kinesis_stream(WriteTransaction& transaction, const KinesisStream& stream) {
  return transaction.put(Database::Backups, key_of_stream(stream.scope, stream.name),
                         encode_kinesis_stream(stream));
}

Result<void> erase_kinesis_stream(WriteTransaction& transaction, const KinesisStream& stream) {
  STATOR_CHECK(transaction.erase(Database::Backups, key_of_stream(stream.scope, stream.name))
                   .map([](bool /*existed*/) {}));
  return {};
}

std::string encode_kinesis_record(const KinesisRecordBytes& record) {
  std::string bytes;
  ByteWriter out(bytes);
  out.be(record.number);
  out.be(static_cast<std::uint64_t>(record.arrived.unix_us));
  out.bytes(record.partition_key);
  out.bytes(record.data);
  return bytes;
}

Result<KinesisRecordBytes> decode_kinesis_record(std::string_view bytes) {
  ByteReader in(bytes);
  KinesisRecordBytes record;
  record.number = in.be<std::uint64_t>();
  record.arrived = {static_cast<std::int64_t>(in.be<std::uint64_t>())};
  record.partition_key = in.bytes();
  record.data = in.bytes();
  STATOR_CHECK(in.finish("a record of a stream of Kinesis"));
  return record;
}

std::string kinesis_shard_bytes(std::uint32_t shard) {
  std::string bytes;
  ByteWriter(bytes).be(shard);
  return bytes;
}

std::string kinesis_number_bytes(std::uint64_t number) {
  std::string bytes;
  ByteWriter(bytes).be(number);
  return bytes;
}

}  // namespace stator::storage
