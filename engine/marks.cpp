#include "engine/marks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/engine_impl.h"
#include "engine/state/loading.h"
#include "engine/state/mark_state.h"
#include "engine/state/throughput.h"
#include "engine/storage/headroom.h"
#include "engine/storage/keys.h"
#include "engine/storage/undo_log.h"

namespace stator {
namespace {

using storage::WaitedJob;

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

MarkEnd Engine::change_marks(const std::function<Result<MarkEnd>(storage::WriteTransaction&)>& work,
                             bool only_shrinks) {
  MarkEnd end{};
  WaitedJob job(
      [&](storage::WriteTransaction& transaction) -> Result<void> {
        STATOR_TRY(end, work(transaction));
        return {};
      },
      only_shrinks);
  return job.run_in(impl_->queue) ? end : MarkEnd::CouldNotStore;
}

MarkEnd Engine::set_mark(const std::string& name) {
  return change_marks(
      [&](storage::WriteTransaction& transaction) -> Result<MarkEnd> {
        STATOR_TRY(const auto earlier, find_mark(transaction, name));
        if (!earlier && transaction.record_count(storage::Database::Marks) >= kMarksMax)
          return MarkEnd::TooMany;
        STATOR_CHECK(impl_->batch.write_gathered(transaction));
        if (earlier) STATOR_CHECK(storage::forget_mark(transaction, earlier->number));
        const ClockPace pace = impl_->movable != nullptr ? impl_->movable->pace() : ClockPace();
        STATOR_TRY(const auto next_space,
                   storage::next_number(transaction, storage::MetaKey::NextSpace));
        const MarkState state{impl_->clock.now(), pace,
                              storage::SpaceId{static_cast<std::uint32_t>(next_space)},
                              throttling_of(*impl_->batch.catalog())};
        STATOR_CHECK(storage::add_mark(transaction, {0, name, encode_mark_state(state)}));
        return MarkEnd::Done;
      },
      /*only_shrinks=*/false);
}

MarkEnd Engine::forget_mark(const std::string& name) {
  return change_marks(
      [&](storage::WriteTransaction& transaction) -> Result<MarkEnd> {
        STATOR_TRY(const auto mark, find_mark(transaction, name));
        if (!mark) return MarkEnd::Unknown;
        if (transaction.record_count(storage::Database::Marks) == 1) {
          STATOR_CHECK(impl_->give_up_marks(transaction, {}));
        } else {
          STATOR_CHECK(storage::forget_mark(transaction, mark->number));
        }
        return MarkEnd::Done;
      },
      /*only_shrinks=*/true);
}

// Transactions in flight land before, and those that took off meanwhile behind it: the time for
// which they waited may not come again.
MarkEnd Engine::go_back(const std::string& name) {
  const auto land_all = [this] {
    impl_->land(impl_->flights.take_due(Timestamp::max()), WriteJob::Phase::Landing);
  };
  land_all();
  const MarkEnd end = change_marks(
      [&](storage::WriteTransaction& transaction) -> Result<MarkEnd> {
        STATOR_TRY(const auto mark, find_mark(transaction, name));
        if (!mark) return MarkEnd::Unknown;
        STATOR_CHECK(impl_->go_back(*mark, transaction));
        return MarkEnd::Done;
      },
      /*only_shrinks=*/true);
  land_all();
  // The mark may be of a process with other delays.
  if (end == MarkEnd::Done && !set_delays()) return MarkEnd::CouldNotStore;
  return end;
}

Result<std::vector<ToldMark>> Engine::marks() const {
  storage::ReadTransaction transaction(*impl_->environment);
  STATOR_CHECK(transaction.acquire());
  STATOR_TRY(const auto marks, storage::all_marks(transaction));
  std::vector<ToldMark> told;
  for (const storage::Mark& mark : marks) {
    STATOR_TRY(const MarkState state, decode_mark_state(mark.state));
    told.push_back({mark.name, state.made});
  }
  return told;
}

// What the process knows of the data is read anew from the transaction, as at a start.
Result<void> Engine::Impl::go_back(const storage::Mark& mark,
                                   storage::WriteTransaction& transaction) {
  STATOR_TRY(const MarkState state, decode_mark_state(mark.state));
  STATOR_CHECK(batch.write_gathered(transaction));
  STATOR_CHECK(storage::roll_back(transaction, mark.number));
  STATOR_TRY(const std::shared_ptr<const Catalog> tables, read_catalog(transaction));
  STATOR_TRY(auto consumers, Consumers::load(transaction));
  turn_clock_back(state);
  const Timestamp now = clock.now();
  Result<void> loaded;
  tables->for_each([&](const Table& table) {
    if (!loaded) return;
    loaded = stator::load_throughput(table, transaction, settings, std::nullopt, now,
                                     &throughput_keeper);
  });
  STATOR_CHECK(std::move(loaded));
  for (const auto& [space, throttling] : state.throttling) {
    const Table* const table = tables->find(space);
    if (table == nullptr || table->runtime->throughput == nullptr) continue;
    table->runtime->throttling = throttling;
    table->runtime->is_throttling_set = true;
  }
  batch.go_back(tables, std::move(consumers));
  return {};
}

// A clock that nobody has moved since goes on as it does.
void Engine::Impl::turn_clock_back(const MarkState& state) {
  if (!went_back) went_back.emplace();
  if (movable == nullptr) return;
  const ClockPace pace = movable->pace();
  if (pace.rate == 1 && pace == state.pace) return;
  if (!went_back->from) went_back->from = WentBack::From{clock.now(), pace.rate};
  if (state.pace.rate == 1) {
    movable->resume(state.pace);
  } else {
    movable->go_on(state.made, state.pace.rate);
  }
  clock.follow_back(state.made);
  kept_time.forget();
}

Result<void> Engine::Impl::give_up_marks(storage::WriteTransaction& transaction,
                                         std::string_view why) {
  if (transaction.newest_mark() == 0) return {};
  why_marks_went = why;
  STATOR_CHECK(storage::forget_all_marks(transaction));
  return batch.enter_purges(transaction);
}

Result<void> Engine::Impl::bound_marks(storage::WriteTransaction& transaction) {
  constexpr auto kUndo = storage::Database::Undo;
  if (transaction.newest_mark() == 0) return {};
  if (transaction.occupied_bytes(kUndo) <= settings.marks_bytes_max &&
      transaction.record_count(kUndo) <= settings.marks_records_max)
    return {};
  return give_up_marks(transaction, "what they remember takes too much room");
}

// Behind a batch. Readers go on with the tables that it left.
void Engine::Impl::marks_ended(const Error* failure) noexcept {
  const auto back = std::exchange(went_back, std::nullopt);
  goes_back_with = 0;
  const std::string why = std::exchange(why_marks_went, {});
  if (failure == nullptr) {
    if (!why.empty()) warnings.tell("all marks were given up: " + why);
    if (back) enter_all_chores();
    return;
  }
  if (back && back->from) {
    movable->go_on(back->from->time, back->from->rate);
    clock.follow_back(back->from->time);
  }
  const bool lacks_room = environment->room() == storage::Room::None;
  if (lacks_room && environment->has_marks() && !must_give_up_marks.exchange(true) && tell_due)
    tell_due(Timestamp::min());
}

void Engine::Impl::enter_all_chores() noexcept {
  maintenance.forget_all();
  if (const auto found = find_chores(); !found)
    warnings.tell("cannot read what is left to do: " + found.error().message());
  if (tell_due) tell_due(Timestamp::min());
}

}  // namespace stator
