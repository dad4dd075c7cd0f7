#include "engine/catalog/persisted_clock.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/keys/keys.h"

namespace stator {
namespace {

// False also for NaN.
bool is_rate(double rate) { return rate >= 0 && rate <= ClockPace::kRateMax; }

}  // namespace

Result<std::optional<ClockPace>> PersistedClock::load(const storage::Environment& environment) {
  storage::ReadTransaction transaction(environment);
  STATOR_CHECK(transaction.acquire());
  const std::string_view key = encode(storage::MetaKey::Clock);
  STATOR_TRY(const auto stored, transaction.find(storage::Database::Meta, key));
  if (!stored) return std::optional<ClockPace>();
  storage::ByteReader in(*stored);
  ClockPace pace;
  pace.rate = std::bit_cast<double>(in.le<std::uint64_t>());
  pace.ahead_us = static_cast<std::int64_t>(in.le<std::uint64_t>());
  STATOR_CHECK(in.finish(key));
  if (!is_rate(pace.rate))
    return Error(ErrorCode::InternalServerError, "the data is damaged: clock cannot be read");
  return std::optional(pace);
}

Result<void> PersistedClock::before_commit(const ClockPace& pace,
                                           storage::WriteTransaction& transaction) {
  if (pace == stored_) return {};
  pending_ = pace;
  std::string value;
  storage::ByteWriter out(value);
  out.le(std::bit_cast<std::uint64_t>(pace.rate));
  out.le(static_cast<std::uint64_t>(pace.ahead_us));
  return transaction.put(storage::Database::Meta, encode(storage::MetaKey::Clock), value);
}

void PersistedClock::batch_ended(bool committed) {
  const auto pending = std::exchange(pending_, std::nullopt);
  if (committed && pending) stored_ = *pending;
}

void put_in_place(MovableClock& clock, const std::optional<ClockPace>& kept,
                  const ClockChoice& choice, Timestamp not_before) {
  const ClockPace pace = kept.value_or(ClockPace());
  if (pace.rate != 1) {
    clock.go_on(not_before, pace.rate);  // it stood still without a process
  } else if (pace != ClockPace()) {
    clock.resume(pace);
  }
  if (choice.at) {
    clock.go_on(std::max(*choice.at, not_before), 0);
  } else if (const double rate = choice.stands.value_or(false) ? 0 : 1;
             choice.stands && rate != pace.rate) {
    clock.go_on(std::max(clock.now(), not_before), rate);
  }
}

}  // namespace stator
