#include "engine/storage/stores/token_store.h"

#include <cassert>

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/keys/keys.h"

namespace stator::storage {
namespace {

KeyBuffer key_of(const TokenName& name) {
  return TokenKey{name.scope, static_cast<std::uint8_t>(name.kind), name.text}.encode();
}

std::string encode_token(const StoredToken& token) {
  assert(token.fingerprint.size() == kFingerprintBytes);
  std::string value;
  ByteWriter out(value);
  out.be(static_cast<std::uint64_t>(token.finished.unix_us));
  out.raw(token.fingerprint);
  out.bytes(token.name.scope);
  out.raw(token.payload);
  return value;
}

// Decodes the value under a token's key. Only the key has the rest of the name.
Result<StoredToken> decode_token(std::string_view bytes) {
  ByteReader in(bytes);
  StoredToken token;
  token.finished.unix_us = static_cast<std::int64_t>(in.be<std::uint64_t>());
  token.fingerprint = in.raw(kFingerprintBytes);
  token.name.scope = in.bytes();
  token.payload = in.raw(in.rest().size());
  STATOR_CHECK(in.finish("a client's token"));
  return token;
}

Result<std::optional<StoredToken>> stored_token(const Transaction& transaction,
                                                std::string_view key) {
  STATOR_TRY(const auto value, transaction.find(Database::Tokens, key));
  if (!value) return std::optional<StoredToken>();
  STATOR_TRY(const StoredToken token, decode_token(*value));
  return std::optional(token);
}

Result<void> erase(WriteTransaction& transaction, Timestamp finished, std::string_view key) {
  const KeyBuffer time = TokenTimeKey{finished, key}.encode();
  STATOR_CHECK(transaction.erase(Database::Tokens, key).map([](bool) {}));
  STATOR_CHECK(transaction.erase(Database::TokenTimes, time.view()).map([](bool) {}));
  return {};
}

}  // namespace

Result<std::optional<StoredToken>> find_token(const Transaction& transaction, const TokenName& name,
                                              Timestamp now) {
  STATOR_TRY(auto token, stored_token(transaction, key_of(name).view()));
  if (!token || !token->counts(now)) return std::optional<StoredToken>();
  token->name = name;
  return token;
}

Result<void> put_token(WriteTransaction& transaction, const StoredToken& token) {
  const KeyBuffer key = key_of(token.name);
  STATOR_TRY(const auto earlier, stored_token(transaction, key.view()));
  if (earlier) {
    const KeyBuffer time = TokenTimeKey{earlier->finished, key.view()}.encode();
    STATOR_CHECK(transaction.erase(Database::TokenTimes, time.view()).map([](bool) {}));
  }
  STATOR_CHECK(transaction.put(Database::Tokens, key.view(), encode_token(token)));
  return transaction.put(Database::TokenTimes,
                         TokenTimeKey{token.finished, key.view()}.encode().view(), {});
}

std::uint64_t count_tokens(const Transaction& transaction) {
  return transaction.record_count(Database::TokenTimes);
}

Result<std::optional<Timestamp>> first_token_finished(const Transaction& transaction) {
  STATOR_TRY(const auto first, transaction.seek(Database::TokenTimes, {}));
  if (!first) return std::optional<Timestamp>();
  STATOR_TRY(const auto key, TokenTimeKey::decode(first->key));
  return std::optional(key.finished);
}

Result<std::optional<Timestamp>> erase_oldest_tokens(WriteTransaction& transaction, Timestamp until,
                                                     std::size_t count_max) {
  for (std::size_t count = 0;; ++count) {
    STATOR_TRY(const auto oldest, transaction.seek(Database::TokenTimes, {}));
    if (!oldest) return std::optional<Timestamp>();
    STATOR_TRY(const auto time, TokenTimeKey::decode(oldest->key));
    if (count == count_max || time.finished > until) return std::optional(time.finished);
    const std::string key(time.token);
    STATOR_CHECK(erase(transaction, time.finished, key));
  }
}

Result<std::string> erase_tokens(WriteTransaction& transaction,
                                 const std::function<bool(std::string_view scope)>& is_meant,
                                 std::string_view from, std::size_t count_max) {
  std::string place(from);
  for (std::size_t count = 0; count < count_max; ++count) {
    STATOR_TRY(const auto met, transaction.seek(Database::Tokens, place));
    if (!met) return std::string();
    STATOR_TRY(const StoredToken token, decode_token(met->value));
    if (is_meant(token.name.scope)) {
      place = met->key;
      STATOR_CHECK(erase(transaction, token.finished, place));
      continue;
    }
    KeyBuffer behind = TokenKey::prefix(token.name.scope);
    behind.advance();
    if (behind.size() == 0) return std::string();
    place = behind.view();
  }
  return place;
}

Result<void> for_each_token(const Transaction& transaction, const VisitToken& visit) {
  std::string key;
  for (;;) {
    STATOR_TRY(const auto met, transaction.seek(Database::Tokens, key, /*after=*/!key.empty()));
    if (!met) return {};
    key = met->key;
    STATOR_TRY(StoredToken token, decode_token(met->value));
    const KeyBuffer time = TokenTimeKey{token.finished, key}.encode();
    STATOR_TRY(const auto timed, transaction.find(Database::TokenTimes, time.view()));
    visit(token, timed.has_value());
  }
}

}  // namespace stator::storage
