// WriteJob: a write's way through the commit queue, which transactions in flight go twice.
#include <string>
#include <utility>
#include <vector>

#include "engine/api/engine.h"
#include "engine/api/engine_impl.h"

namespace stator {
namespace {

// A write with more steps than this runs again as a long one: a millisecond or two.
constexpr std::uint64_t kBriefStepsMax = 1024 * 1024;

// Stops like `inner`, but also above kBriefStepsMax.
class StepBudget final : public StopCondition {
 public:
  explicit StepBudget(const Work& work) : work_(work), inner_(work.stop_condition()) {}

  bool should_stop() noexcept override {
    if (inner_ != nullptr && inner_->should_stop()) return true;
    has_left_ = work_.steps() > kBriefStepsMax;
    return has_left_;
  }
  StopCondition* inner() const { return inner_; }
  bool has_left() const { return has_left_; }

 private:
  const Work& work_;
  StopCondition* const inner_;
  bool has_left_ = false;
};

// What a write leaves to the maintenance: a new index or a new copy, to be filled.
struct BegunWork {
  std::optional<std::pair<std::string, std::string>> building;  // scope and name of its table
  bool is_copy = false;
};

BegunWork work_begun_by(Mutation& mutation, Timestamp now) {
  BegunWork work{{}, mutation.begins_copy()};
  for (const Table& table : mutation.tables()) {
    for (const GlobalIndex& index : table.global_indexes) {
      const bool is_new = index.space == storage::SpaceId{};
      if (is_new && index.is_backfilling(now)) work.building = {table.scope, table.name};
    }
  }
  return work;
}

// Fills the index or the copy of a small table in the commit of the write, unless the settings show
// its phases.
Result<void> run_first_piece(const BegunWork& work, LeaderState& own, Maintenance& maintenance,
                             storage::WriteTransaction& transaction, Timestamp now) {
  if (work.is_copy) return maintenance.begin_copy(own.batch.last_copy(), transaction, now);
  if (!work.building) return {};
  const auto& [scope, name] = *work.building;
  return maintenance.begin_backfill(*own.batch.catalog()->find(scope, name, now), transaction, now);
}

}  // namespace

// Decides and applies a write. A transaction with a duration only holds its items in the first run;
// the second run, at its due time, decides and applies it.
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
  // Skips a write that no client awaits, to save the leader's time. A transaction in flight always
  // commits.
  if (phase_ == Phase::Committing) {
    call_.work.set_stop_condition(nullptr);
  } else {
    phase_ = Phase::Deciding;
    if (auto wanted = call_.work.check_wanted(); !wanted) {
      error_ = std::move(wanted).error();
      return {};
    }
  }
  call_.memory.forget_refusal();
  LeaderState& own = *engine.leader;
  own.mutation.clear();
  const Timestamp now = engine.clock.now();
  STATOR_TRY(const bool is_decided, is_long_ || phase_ == Phase::Committing
                                        ? decide(transaction, now)
                                        : decide_briefly(transaction, now));
  if (!is_decided || starts_waiting(now)) return {};
  const BegunWork begun = work_begun_by(own.mutation, now);
  STATOR_CHECK(own.batch.apply(own.mutation, now, transaction));
  if (found_no_room_) return {};
  auto first_piece = run_first_piece(begun, own, engine.maintenance, transaction, now);
  // A store without room for the piece may have some for the write: then the work waits for more.
  if (!first_piece && engine.environment->room() == storage::FreeSpace::None)
    is_put_off_ = found_no_room_ = true;
  return first_piece;
}

// As decide(), but postpones a write that turns out to be long.
Result<bool> WriteJob::decide_briefly(storage::WriteTransaction& transaction, Timestamp now) {
  StepBudget stop_condition(call_.work);
  call_.work.set_stop_condition(&stop_condition);
  auto decided = decide(transaction, now);
  call_.work.set_stop_condition(stop_condition.inner());
  if (!decided || *decided || !stop_condition.has_left()) return decided;
  error_.reset();
  is_long_ = is_put_off_ = true;
  return false;
}

// Fills the mutation. Returns false if the request is rejected or postponed.
Result<bool> WriteJob::decide(storage::WriteTransaction& transaction, Timestamp now) {
  Engine::Impl& engine = *engine_.impl_;
  LeaderState& own = *engine.leader;
  const Snapshot snapshot(transaction, *own.batch.catalog(), now, engine.warnings, engine.flights,
                          this);
  try {
    if (auto decided = call_.operation->write(call_.request, snapshot, own.mutation, call_);
        !decided) {
      if (decided.error().code() == ErrorCode::InternalServerError)
        return std::move(decided).error();
      error_ = std::move(decided).error();
      return false;
    }
    call_.charge_response();
    return true;
  } catch (const MemoryExhausted&) {
    // Nothing was written, so this is an ordinary rejection, which does not fail the batch.
    error_ = Error::internal_server_error();
  } catch (const storage::DamagedData& damage) {
    engine.warnings.damage_met(call_, damage);
    error_ = Error::internal_server_error();
  }
  return false;
}

bool WriteJob::only_frees_space() const noexcept {
  return call_.operation->only_frees_space(call_.request);
}

// Returns whether the transaction is in flight now.
bool WriteJob::starts_waiting(Timestamp now) {
  Engine::Impl& engine = *engine_.impl_;
  const Mutation& mutation = engine.leader->mutation;
  if (phase_ == Phase::Committing || mutation.held().empty()) return false;
  phase_ = Phase::Parked;
  const Timestamp due = now.plus(call_.settings->transaction_time);
  if (!engine.flights.begin(*this, mutation.held(), mutation.token(), now, due))
    error_ = Error::internal_server_error();
  return true;
}

void WriteJob::done(bool committed) noexcept {
  Engine::Impl& engine = *engine_.impl_;
  if (std::exchange(is_put_off_, false)) {
    // This thread leads, so push() needs no other leader. The job may be gone when it returns.
    static_cast<void>(engine.queue.push(*this));
    return;
  }
  if (committed && phase_ != Phase::Committing) engine.settle(call_, error_ ? &*error_ : nullptr);
  if (!committed) call_.charging.undo();
  if (phase_ == Phase::Parked && committed && !error_) {
    // The job may have committed and be gone when this returns.
    if (const auto due = engine.flights.go_on(*this)) {
      if (engine.log_due) engine.log_due(*due);
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

void Engine::abort_in_flight() { impl_->land(impl_->flights.take_all(), WriteJob::Phase::Ending); }

}  // namespace stator
