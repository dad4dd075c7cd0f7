// Marks (control.h, undo_log.h).
#include <algorithm>
#include <utility>
#include <vector>

#include "engine/api/control.h"
#include "engine/api/engine.h"
#include "engine/api/engine_impl.h"
#include "engine/catalog/loading.h"
#include "engine/catalog/mark_state.h"
#include "engine/state/throughput.h"
#include "engine/storage/environment/undo_log.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/stores/counters.h"

namespace stator {
namespace {

using storage::BlockingJob;

Result<std::optional<storage::Mark>> find_mark(const storage::Transaction& transaction,
                                               std::string_view name) {
  STATOR_TRY(auto marks, storage::all_marks(transaction));
  for (storage::Mark& mark : marks) {
    if (mark.name == name) return std::optional(std::move(mark));
  }
  return std::optional<storage::Mark>();
}

}  // namespace

bool is_mark_name(std::string_view name) {
  if (name.empty() || name.size() > kMarkNameBytesMax) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
}

MarkOutcome Engine::change_marks(
    const std::function<Result<MarkOutcome>(storage::WriteTransaction&)>& work,
    bool only_frees_space) {
  MarkOutcome end{};
  BlockingJob job(
      [&](storage::WriteTransaction& transaction) -> Result<void> {
        STATOR_TRY(end, work(transaction));
        return {};
      },
      only_frees_space);
  return job.run_in(impl_->queue) ? end : MarkOutcome::WriteFailed;
}

// May use the reserve, so that a full store can be distinguished from a failing one.
MarkOutcome Engine::set_mark(const std::string& name) {
  const MarkOutcome end = change_marks(
      [&](storage::WriteTransaction& transaction) -> Result<MarkOutcome> {
        STATOR_TRY(const auto earlier, find_mark(transaction, name));
        if (!earlier && transaction.record_count(storage::Database::Marks) >= kMarksMax)
          return MarkOutcome::TooMany;
        if (!impl_->environment->has_ample_space()) return MarkOutcome::NoRoom;
        STATOR_CHECK(impl_->leader->batch.write_gathered(transaction));
        if (earlier) STATOR_CHECK(storage::forget_mark(transaction, earlier->number));
        const ClockPace pace = impl_->movable != nullptr ? impl_->movable->pace() : ClockPace();
        STATOR_TRY(const auto next_space,
                   storage::next_number(transaction, storage::MetaKey::NextSpace));
        const MarkState state{impl_->clock.now(), pace,
                              storage::SpaceId{static_cast<std::uint32_t>(next_space)},
                              throttling_of(*impl_->leader->batch.catalog())};
        STATOR_CHECK(storage::add_mark(transaction, {0, name, encode_mark_state(state)}));
        return MarkOutcome::Done;
      },
      /*only_frees_space=*/true);
  if (end == MarkOutcome::Done) impl_->forget_lost_mark(name);
  return end;
}

MarkOutcome Engine::forget_mark(const std::string& name) {
  const MarkOutcome end = change_marks(
      [&](storage::WriteTransaction& transaction) -> Result<MarkOutcome> {
        STATOR_TRY(const auto mark, find_mark(transaction, name));
        if (!mark) return MarkOutcome::Unknown;
        if (transaction.record_count(storage::Database::Marks) == 1) {
          STATOR_CHECK(impl_->give_up_marks(transaction, {}));
        } else {
          STATOR_CHECK(storage::forget_mark(transaction, mark->number));
        }
        return MarkOutcome::Done;
      },
      /*only_frees_space=*/true);
  const bool was_lost = end == MarkOutcome::Unknown && impl_->forget_lost_mark(name);
  return was_lost ? MarkOutcome::Done : end;
}

std::vector<LostMark> Engine::lost_marks() const {
  const std::scoped_lock lock(impl_->lost_marks_mutex);
  return impl_->lost_marks;
}

// Commits transactions in flight before the rollback, and those that began meanwhile after it: the
// clock may never reach their due time again.
MarkOutcome Engine::roll_back(const std::string& name) {
  const auto land_all = [this] {
    impl_->land(impl_->flights.take_due(Timestamp::max()), WriteJob::Phase::Committing);
  };
  land_all();
  bool has_other_delays = false;  // the mark may be of a process with other delays
  const MarkOutcome end = change_marks(
      [&](storage::WriteTransaction& transaction) -> Result<MarkOutcome> {
        STATOR_TRY(const auto mark, find_mark(transaction, name));
        if (!mark) return MarkOutcome::Unknown;
        STATOR_CHECK(impl_->roll_back(*mark, transaction));
        STATOR_TRY(has_other_delays, impl_->has_other_delays(transaction));
        return MarkOutcome::Done;
      },
      /*only_frees_space=*/true);
  land_all();
  if (end == MarkOutcome::Done && has_other_delays && !set_delays())
    return MarkOutcome::WriteFailed;
  return end;
}

Result<std::vector<NamedMark>> Engine::marks() const {
  storage::ReadTransaction transaction(*impl_->environment);
  STATOR_CHECK(transaction.acquire());
  STATOR_TRY(const auto marks, storage::all_marks(transaction));
  std::vector<NamedMark> told;
  for (const storage::Mark& mark : marks) {
    STATOR_TRY(const MarkState state, decode_mark_state(mark.state));
    told.push_back({mark.name, state.made});
  }
  return told;
}

// Reads the in-memory state again from the transaction, as at a start.
Result<void> Engine::Impl::roll_back(const storage::Mark& mark,
                                     storage::WriteTransaction& transaction) {
  STATOR_TRY(const MarkState state, decode_mark_state(mark.state));
  MutationApplier& batch = leader->batch;
  STATOR_CHECK(batch.write_gathered(transaction));
  STATOR_CHECK(storage::roll_back(transaction, mark.number));
  STATOR_TRY(const std::shared_ptr<const Catalog> tables, read_catalog(transaction));
  STATOR_TRY(auto consumers, Consumers::load(transaction));
  turn_clock_back(state);
  const Timestamp now = clock.now();
  Result<void> loaded;
  tables->for_each([&](const Table& table) {
    if (!loaded || !batch.counts_throughput()) return;
    loaded = stator::load_throughput(table, transaction, leader->settings, std::nullopt, now,
                                     &throughput_keeper);
  });
  STATOR_CHECK(std::move(loaded));
  for (const auto& [space, throttling] : state.throttling) {
    const Table* const table = tables->find(space);
    if (table == nullptr || table->runtime->throughput == nullptr) continue;
    table->runtime->throttling = throttling;
    table->runtime->is_throttling_set = true;
  }
  batch.roll_back(tables, std::move(consumers));
  return {};
}

// A clock that was not moved since the mark continues unchanged.
void Engine::Impl::turn_clock_back(const MarkState& state) {
  auto& [from] = leader->went_back ? *leader->went_back : leader->went_back.emplace();
  if (movable == nullptr) return;
  const ClockPace pace = movable->pace();
  if (pace.rate == 1 && pace == state.pace) return;
  if (!from) from = Rollback::From{clock.now(), pace.rate};
  if (state.pace.rate == 1) {
    movable->resume(state.pace);
  } else {
    movable->go_on(state.made, state.pace.rate);
  }
  clock.follow_back(state.made);
  leader->kept_time.forget();
}

Result<void> Engine::Impl::give_up_marks(storage::WriteTransaction& transaction,
                                         std::string_view why) {
  if (transaction.newest_mark() == 0) return {};
  leader->marks_dropped_reason = why;
  STATOR_TRY(leader->marks_dropped, storage::all_marks(transaction));
  STATOR_CHECK(storage::forget_all_marks(transaction));
  return leader->batch.enter_purges(transaction);
}

Result<void> Engine::Impl::bound_marks(storage::WriteTransaction& transaction) {
  constexpr auto kUndo = storage::Database::Undo;
  if (transaction.newest_mark() == 0) return {};
  if (transaction.occupied_bytes(kUndo) <= settings.marks_bytes_max &&
      transaction.record_count(kUndo) <= settings.marks_records_max)
    return {};
  return give_up_marks(transaction, "their undo log exceeds its limit");
}

// Called after a batch. After a rollback, lets readers use the tables that it published.
void Engine::Impl::marks_ended(const Error* failure) noexcept {
  const auto back = std::exchange(leader->went_back, std::nullopt);
  goes_back_with = 0;
  const std::string why = std::exchange(leader->marks_dropped_reason, {});
  const std::vector<storage::Mark> dropped = std::exchange(leader->marks_dropped, {});
  if (failure == nullptr) {
    if (!why.empty()) note_lost_marks(dropped, why);
    if (back) enter_all_chores();
    return;
  }
  if (back && back->from) {
    movable->go_on(back->from->time, back->from->rate);
    clock.follow_back(back->from->time);
  }
  const bool lacks_room = environment->room() == storage::FreeSpace::None;
  if (lacks_room && environment->has_marks() && !must_give_up_marks.exchange(true) && log_due)
    log_due(Timestamp::min());
}

void Engine::Impl::note_lost_marks(const std::vector<storage::Mark>& dropped,
                                   const std::string& reason) {
  warnings.tell("all marks were dropped: " + reason);
  for (const storage::Mark& mark : dropped) {
    forget_lost_mark(mark.name);
    const auto state = decode_mark_state(mark.state);
    const std::scoped_lock lock(lost_marks_mutex);
    lost_marks.push_back({{mark.name, state ? state->made : Timestamp{}}, reason});
    if (lost_marks.size() > kMarksMax) lost_marks.erase(lost_marks.begin());
  }
}

bool Engine::Impl::forget_lost_mark(std::string_view name) {
  const std::scoped_lock lock(lost_marks_mutex);
  return std::erase_if(lost_marks,
                       [name](const LostMark& lost) { return lost.mark.name == name; }) > 0;
}

void Engine::Impl::enter_all_chores() noexcept {
  maintenance.forget_all();
  if (const auto found = find_chores(); !found)
    warnings.tell("cannot read the pending background jobs: " + found.error().message());
  if (log_due) log_due(Timestamp::min());
  if (job_ready) job_ready();
  if (journal_grew) journal_grew(/*went_back=*/true);
  if (kinesis_work) kinesis_work();
}

}  // namespace stator
