#include "server/triggers/batches/batch_run.h"

#include <algorithm>
#include <utility>

#include "server/triggers/mapping.h"

namespace stator::triggers {

std::chrono::milliseconds retry_pause(std::chrono::milliseconds first, unsigned failures) {
  constexpr std::chrono::milliseconds kPauseMax{60'000};
  constexpr unsigned kDoublingsMax = 17;  // half a millisecond would be over a minute
  if (first.count() <= 0 || failures == 0) return std::chrono::milliseconds{0};
  const std::int64_t factor = std::int64_t{1} << std::min(failures - 1, kDoublingsMax);
  return std::min(std::min(first, kPauseMax) * factor, kPauseMax);
}

std::string_view to_text(DiscardReason reason) {
  return reason == DiscardReason::RecordAgeExceeded ? "RecordAgeExceeded"
                                                    : "RetryAttemptsExhausted";
}

// The batch may have lost records since the notes, or have more. What has none of them is left out.
BatchRun::BatchRun(std::vector<TriggerRecord> records, std::span<const PieceNote> notes)
    : records_(std::move(records)), pieces_{{records_.size(), 0}} {
  for (const TriggerRecord& record : records_) bytes_ += record.json.size();
  for (const PieceNote& note : notes) {
    const auto after =
        std::find_if(records_.begin(), records_.end(),
                     [&note](const TriggerRecord& record) { return record.number >= note.end; });
    const auto end = static_cast<std::size_t>(after - records_.begin());
    if (end == pieces_.back().end) {
      pieces_.back().calls = note.calls;
    } else if (end > 0 && end < pieces_.back().end) {
      pieces_.push_back({end, note.calls});
    }
  }
}

std::vector<PieceNote> BatchRun::notes() const {
  std::vector<PieceNote> notes;
  const bool is_new = pieces_.size() == 1 && pieces_.back().calls == 0;
  if (is_new) return notes;
  for (const Piece& piece : pieces_)
    notes.push_back({piece.end == 0 ? 0 : records_[piece.end - 1].number + 1, piece.calls});
  return notes;
}

std::span<const TriggerRecord> BatchRun::current() const {
  return std::span(records_).subspan(begin_, pieces_.back().end - begin_);
}

std::optional<std::uint64_t> BatchRun::first_number() const {
  if (begin_ == records_.size()) return {};
  return records_[begin_].number;
}

void BatchRun::advance(std::size_t count) {
  begin_ += count;
  failures_ = 0;
  if (begin_ == pieces_.back().end) end_piece();
}

void BatchRun::end_piece() {
  begin_ = pieces_.back().end;
  pieces_.pop_back();
}

std::optional<Discard> BatchRun::discard_old(Timestamp now, const MappingSettings& settings,
                                             std::uint64_t horizon) {
  const std::int32_t age_max_s = settings.record_age_max_s;
  const Timestamp oldest =
      age_max_s < 0 ? Timestamp::min() : now.plus(-std::chrono::seconds(age_max_s));
  const auto records = current();
  const auto first_young =
      std::find_if(records.begin(), records.end(), [&](const TriggerRecord& record) {
        return record.written >= oldest && record.number >= horizon;
      });
  const auto count = static_cast<std::size_t>(first_young - records.begin());
  if (count == 0) return {};
  const Discard discard{DiscardReason::RecordAgeExceeded, records.first(count),
                        std::max(calls(), 1U)};
  pieces_.back().calls = 0;
  advance(count);
  return discard;
}

// The first half is next. Both inherit the count.
void BatchRun::divide() {
  const Piece whole = pieces_.back();
  pieces_.push_back({begin_ + (whole.end - begin_) / 2, whole.calls});
}

std::optional<Discard> BatchRun::use_retry(const MappingSettings& settings) {
  const std::int32_t retries_max = settings.retry_attempts_max;
  if (retries_max < 0 || calls() <= static_cast<unsigned>(retries_max)) return {};
  const Discard discard{DiscardReason::RetryAttemptsExhausted, current(), calls()};
  failures_ = 0;
  end_piece();
  return discard;
}

BatchRun::Outcome BatchRun::settle(const CallResult& result, const MappingSettings& settings,
                                   bool has_window) {
  Outcome outcome;
  if (result.kind == CallResult::Kind::ServiceError) {
    ++failures_;
    outcome.has_failed = true;
    outcome.why = result.why;
    return outcome;
  }
  BatchAnswer answer;
  if (result.kind == CallResult::Kind::Answered) {
    answer = read_answer(result, current(), {settings.reports_item_failures, has_window});
  } else {
    answer.has_failed = true;
    answer.why = result.why;
  }
  outcome.done = answer.done;
  outcome.has_failed = answer.has_failed;
  outcome.state = std::move(answer.state);
  outcome.why = std::move(answer.why);
  if (!answer.has_failed) {
    advance(answer.done);
    return outcome;
  }
  const bool has_moved = answer.done > 0;
  if (has_moved) advance(answer.done);
  ++failures_;
  Piece& piece = pieces_.back();
  // What the function reported is where a batch is divided.
  if (has_moved) piece.calls = 0;
  if (settings.bisects_on_error && has_moved) return outcome;
  if (settings.bisects_on_error && piece.end - begin_ > 1) {
    divide();
    failures_ = 0;
    return outcome;
  }
  ++piece.calls;
  outcome.discard = use_retry(settings);
  return outcome;
}

}  // namespace stator::triggers
