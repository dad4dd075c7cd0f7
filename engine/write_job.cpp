// A write's way through the commit queue, and transactions in flight, which go it twice.
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/engine_impl.h"

namespace stator {
namespace {

// From how many steps on a write is run again as a long one: a few milliseconds.
constexpr std::uint64_t kBriefStepsMax = 2 * 1024 * 1024;

// Waits like another, but for so many steps only.
class BriefAudience final : public Audience {
 public:
  explicit BriefAudience(const Work& work) : work_(work), inner_(work.audience()) {}

  bool is_waiting() noexcept override {
    if (inner_ != nullptr && !inner_->is_waiting()) return false;
    has_left_ = work_.steps() > kBriefStepsMax;
    return !has_left_;
  }
  Audience* inner() const { return inner_; }
  bool has_left() const { return has_left_; }

 private:
  const Work& work_;
  Audience* const inner_;
  bool has_left_ = false;
};

}  // namespace

// What happens to a write, unless it is a transaction that takes its time: then its items are held
// from the first run on, and the second one, when the time has come, is what counts.
Result<void> WriteJob::run(storage::WriteTransaction& transaction) {
  Engine::Impl& engine = *engine_.impl_;
  error_.reset();
  is_put_off_ = false;
  call_.reply.clear();
  call_.charging.begin_write();
  if (phase_ == Phase::Ending) {
    error_ = Error::internal_server_error();
    return {};
  }
  // It may have waited for long; the leader's time is everybody's. A flight lands in any case.
  if (phase_ == Phase::Landing) {
    call_.work.listen_to(nullptr);
  } else {
    phase_ = Phase::Deciding;
    if (auto wanted = call_.work.check_wanted(); !wanted) {
      error_ = std::move(wanted).error();
      return {};
    }
  }
  call_.memory.forget_refusal();
  engine.mutation.clear();
  const Timestamp now = engine.clock.now();
  STATOR_TRY(const bool is_decided, is_long_ || phase_ == Phase::Landing
                                        ? decide(transaction, now)
                                        : decide_briefly(transaction, now));
  if (!is_decided || takes_off(now)) return {};
  // A new index of a small table is complete with its commit, unless the user wants to see phases.
  std::optional<std::pair<std::string, std::string>> building;
  for (const Table& table : engine.mutation.tables()) {
    for (const GlobalIndex& index : table.global_indexes) {
      const bool is_new = index.space == storage::SpaceId{};
      if (is_new && index.is_backfilling(now)) building = {table.scope, table.name};
    }
  }
  STATOR_CHECK(engine.batch.apply(engine.mutation, now, transaction));
  if (!building) return {};
  const Table* table = engine.batch.catalog()->find(building->first, building->second, now);
  return engine.maintenance.begin_backfill(*table, transaction, now);
}

// As decide(), but what turns out to be long is put off until it may take long.
Result<bool> WriteJob::decide_briefly(storage::WriteTransaction& transaction, Timestamp now) {
  BriefAudience audience(call_.work);
  call_.work.listen_to(&audience);
  auto decided = decide(transaction, now);
  call_.work.listen_to(audience.inner());
  if (!decided || *decided || !audience.has_left()) return decided;
  error_.reset();
  is_long_ = is_put_off_ = true;
  return false;
}

// Fills the mutation; false: the request is refused, or put off.
Result<bool> WriteJob::decide(storage::WriteTransaction& transaction, Timestamp now) {
  Engine::Impl& engine = *engine_.impl_;
  const Snapshot snapshot(transaction, *engine.batch.catalog(), now, engine.warnings,
                          engine.flights, this);
  try {
    if (auto decided = call_.operation->write(call_.request, snapshot, engine.mutation, call_);
        !decided) {
      if (decided.error().code() == ErrorCode::InternalServerError)
        return std::move(decided).error();
      error_ = std::move(decided).error();
      return false;
    }
    call_.charge_reply();
    return true;
  } catch (const MemoryExhausted&) {
    // Nothing was written: a refusal as any other, which costs the batch nothing.
    error_ = Error::internal_server_error();
  } catch (const storage::DamagedData& damage) {
    engine.warnings.damage_met(call_, damage);
    error_ = Error::internal_server_error();
  }
  return false;
}

// Whether it is in flight from here on.
bool WriteJob::takes_off(Timestamp now) {
  Engine::Impl& engine = *engine_.impl_;
  if (phase_ == Phase::Landing || engine.mutation.held().empty()) return false;
  phase_ = Phase::TakingOff;
  const Timestamp due = now.plus(engine.settings.transaction_time);
  if (!engine.flights.begin(*this, engine.mutation.held(), engine.mutation.token(), due))
    error_ = Error::internal_server_error();
  return true;
}

void WriteJob::done(bool committed) noexcept {
  Engine::Impl& engine = *engine_.impl_;
  if (committed && is_put_off_) {
    // Whoever calls this leads, so nobody is asked to; it may be over before this returns.
    static_cast<void>(engine.queue.push(*this));
    return;
  }
  if (committed && phase_ != Phase::Landing) engine.settle(call_, error_ ? &*error_ : nullptr);
  if (!committed) call_.charging.undo();
  if (phase_ == Phase::TakingOff && committed && !error_) {
    // It may have landed, and be gone, before this returns.
    if (const auto due = engine.flights.go_on(*this)) {
      if (engine.tell_due) engine.tell_due(*due);
      return;
    }
    error_ = Error::internal_server_error();
  }
  if (phase_ != Phase::Deciding) engine.flights.end(*this);
  if (!committed) error_ = Error::internal_server_error();
  answered();
}

void Engine::Impl::land(const std::vector<storage::CommitJob*>& jobs, WriteJob::Phase phase) {
  for (storage::CommitJob* job : jobs) {
    static_cast<WriteJob*>(job)->phase_ = phase;
    if (!queue.push(*job)) continue;
    while (queue.lead()) {
    }
  }
}

void Engine::end_flights() { impl_->land(impl_->flights.take_all(), WriteJob::Phase::Ending); }

}  // namespace stator
