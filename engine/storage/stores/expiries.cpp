#include "engine/storage/stores/expiries.h"

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/keys/keys.h"

namespace stator::storage {
namespace {

// An item's key that is too long for the entry's key is stored in the value.
std::string value_of(const Expiry& expiry) {
  std::string value;
  if (ExpiryKey::is_inline(expiry.partition, expiry.sort)) return value;
  ByteWriter out(value);
  out.bytes(expiry.partition);
  out.bytes(expiry.sort);
  return value;
}

KeyBuffer key_of(const Expiry& expiry) {
  return ExpiryKey{expiry.space, expiry.due_s, expiry.partition, expiry.sort}.encode();
}

Result<Expiry> decode(const Transaction::Record& record) {
  STATOR_TRY(const ExpiryKey key, ExpiryKey::decode(record.key));
  Expiry expiry{key.space, key.due_s, key.partition, key.sort};
  if (!key.is_digest) return expiry;
  ByteReader in(record.value);
  expiry.partition = in.bytes();
  expiry.sort = in.bytes();
  STATOR_CHECK(in.finish("when an item expires"));
  return expiry;
}

Result<std::optional<Expiry>> found(const std::optional<Transaction::Record>& record,
                                    SpaceId space) {
  if (!record || !record->key.starts_with(SpaceKey{space}.encode().view()))
    return std::optional<Expiry>();
  STATOR_TRY(const Expiry expiry, decode(*record));
  return std::optional(expiry);
}

}  // namespace

Result<void> put_expiry(WriteTransaction& transaction, const Expiry& expiry) {
  return transaction.put(Database::Expiries, key_of(expiry).view(), value_of(expiry));
}

Result<void> erase_expiry(WriteTransaction& transaction, const Expiry& expiry) {
  STATOR_CHECK(transaction.erase(Database::Expiries, key_of(expiry).view()).map([](bool) {}));
  return {};
}

Result<bool> has_expiry(const Transaction& transaction, const Expiry& expiry) {
  STATOR_TRY(const auto value, transaction.find(Database::Expiries, key_of(expiry).view()));
  return value && *value == value_of(expiry);
}

Result<std::optional<Expiry>> first_expiry(const Transaction& transaction, SpaceId space,
                                           std::uint64_t due_s) {
  STATOR_TRY(const auto record,
             transaction.seek(Database::Expiries, ExpiryKey::prefix(space, due_s).view()));
  return found(record, space);
}

Result<std::optional<Expiry>> next_expiry(const Transaction& transaction, const Expiry& expiry) {
  STATOR_TRY(const auto record, transaction.seek(Database::Expiries, key_of(expiry).view(),
                                                 /*after=*/true));
  return found(record, expiry.space);
}

}  // namespace stator::storage
