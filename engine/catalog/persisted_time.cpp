#include "engine/catalog/persisted_time.h"

#include <string>
#include <utility>

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/keys/keys.h"

namespace stator {

Result<std::optional<Timestamp>> PersistedTime::load(const storage::Transaction& transaction) {
  const std::string_view key = encode(storage::MetaKey::Time);
  STATOR_TRY(const auto stored, transaction.find(storage::Database::Meta, key));
  if (!stored) return std::optional<Timestamp>();
  storage::ByteReader in(*stored);
  const auto unix_us = static_cast<std::int64_t>(in.le<std::uint64_t>());
  const std::chrono::microseconds slack(in.le<std::uint32_t>());
  STATOR_CHECK(in.finish(key));
  return std::optional(Timestamp{unix_us}.plus(slack));
}

Result<void> PersistedTime::before_commit(Timestamp now, bool stands,
                                          storage::WriteTransaction& transaction) {
  const bool is_exact = is_ending_ || stands;
  const std::chrono::microseconds slack = is_exact ? std::chrono::microseconds(0) : kStep;
  const RetainedSnapshot next{now, slack};
  if (stored_ == next) return {};
  if (!is_exact && stored_ && now < stored_->time.plus(stored_->slack)) return {};
  pending_ = next;
  std::string value;
  storage::ByteWriter out(value);
  out.le(static_cast<std::uint64_t>(now.unix_us));
  out.le(static_cast<std::uint32_t>(slack.count()));
  return transaction.put(storage::Database::Meta, encode(storage::MetaKey::Time), value);
}

void PersistedTime::batch_ended(bool committed) {
  const auto pending = std::exchange(pending_, std::nullopt);
  if (committed && pending) stored_ = pending;
}

}  // namespace stator
