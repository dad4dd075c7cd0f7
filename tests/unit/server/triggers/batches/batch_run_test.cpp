// Batches from their first call to their end: retries, halves, partial failures, age.
#include "server/triggers/batches/batch_run.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/triggers/batches/lane_note.h"
#include "server/triggers/mapping.h"
#include "streams/sequence_number.h"

namespace stator {
namespace {

using namespace triggers;
using namespace std::chrono_literals;

std::vector<TriggerRecord> records_from(std::uint64_t first, std::size_t count) {
  std::vector<TriggerRecord> records;
  for (std::uint64_t number = first; number < first + count; ++number) {
    records.push_back({number, Timestamp{static_cast<std::int64_t>(number) * 1'000'000}, "{}"});
  }
  return records;
}

CallResult answered(std::string body) {
  CallResult result;
  result.status = 200;
  result.body = std::move(body);
  return result;
}

CallResult failed() {
  CallResult result;
  result.kind = CallResult::Kind::FunctionError;
  result.error = "Unhandled";
  result.why = "failed";
  return result;
}

CallResult not_reached() {
  CallResult result;
  result.kind = CallResult::Kind::ServiceError;
  result.why = "refused";
  return result;
}

// "1-3" are the records of the next call; "done" if there is none.
std::string next_of(const BatchRun& run) {
  if (run.is_done()) return "done";
  const auto records = run.current();
  return std::to_string(records.front().number) + "-" + std::to_string(records.back().number);
}

std::string failure_of(std::uint64_t number) {
  return R"({"batchItemFailures":[{"itemIdentifier":")" + sequence_number(number) + R"("}]})";
}

TEST_CASE("batch run: a failing batch is called as often as the mapping says", "[server]") {
  MappingSettings settings;
  settings.retry_attempts_max = 3;
  BatchRun run(records_from(1, 5));
  for (unsigned call = 1; call <= 3; ++call) {
    CHECK_FALSE(run.settle(failed(), settings, false).discard);
    CHECK(run.calls() == call);
    CHECK(next_of(run) == "1-5");
  }
  const auto outcome = run.settle(failed(), settings, false);
  REQUIRE(outcome.discard);
  CHECK(outcome.discard->calls == 4);
  CHECK(outcome.discard->reason == DiscardReason::RetryAttemptsExhausted);
  CHECK(outcome.discard->records.size() == 5);
  CHECK(run.is_done());
}

TEST_CASE("batch run: calls that reach no function use up no retry", "[server]") {
  MappingSettings settings;
  settings.retry_attempts_max = 0;
  BatchRun run(records_from(1, 2));
  for (unsigned call = 1; call <= 20; ++call) {
    const auto outcome = run.settle(not_reached(), settings, false);
    CHECK(outcome.has_failed);
    CHECK(run.calls() == 0);
    CHECK(run.failures() == call);
  }
  CHECK_FALSE(run.settle(answered(""), settings, false).has_failed);
  CHECK(run.is_done());
}

TEST_CASE("batch run: halves find the bad record without a retry", "[server]") {
  MappingSettings settings;
  settings.bisects_on_error = true;
  settings.retry_attempts_max = 0;
  constexpr std::uint64_t kBad = 38;
  BatchRun run(records_from(1, 100));
  std::vector<std::uint64_t> delivered;
  std::vector<std::uint64_t> discarded;
  int calls = 0;
  while (!run.is_done()) {
    REQUIRE(++calls < 30);
    const auto records = run.current();
    const bool has_bad = records.front().number <= kBad && kBad <= records.back().number;
    if (!has_bad) {
      for (const TriggerRecord& record : records) delivered.push_back(record.number);
    }
    const auto outcome = run.settle(has_bad ? failed() : answered(""), settings, false);
    if (!outcome.discard) continue;
    for (const TriggerRecord& record : outcome.discard->records) discarded.push_back(record.number);
  }
  CHECK(discarded == std::vector<std::uint64_t>{kBad});
  REQUIRE(delivered.size() == 99);
  CHECK(std::is_sorted(delivered.begin(), delivered.end()));
}

TEST_CASE("batch run: from the first failed record on all come again", "[server]") {
  MappingSettings settings;
  settings.reports_item_failures = true;
  settings.retry_attempts_max = 1;
  BatchRun run(records_from(1, 6));
  const std::string two = R"({"batchItemFailures":[{"itemIdentifier":")" + sequence_number(5) +
                          R"("},{"itemIdentifier":")" + sequence_number(3) + R"("}]})";
  CHECK(run.settle(answered(two), settings, false).done == 2);
  CHECK(next_of(run) == "3-6");
  CHECK(run.settle(answered(failure_of(4)), settings, false).done == 1);
  CHECK(next_of(run) == "4-6");
  const auto outcome = run.settle(answered(failure_of(4)), settings, false);
  REQUIRE(outcome.discard);
  CHECK(outcome.discard->calls == 2);
  CHECK(run.is_done());
}

TEST_CASE("batch run: what the answer says about a batch", "[server]") {
  struct Row {
    std::string body;
    std::size_t done;
    bool has_failed;
  };
  const std::string own = sequence_number(2);
  for (const Row& row : {
           Row{R"({"batchItemFailures":[]})", 3, false},
           Row{R"({"batchItemFailures":null})", 3, false},
           Row{"{}", 3, false},
           Row{"null", 3, false},
           Row{"", 3, false},
           Row{R"({"batchItemFailures":[{"itemIdentifier":""}]})", 0, true},
           Row{R"({"batchItemFailures":[{"itemIdentifier":null}]})", 0, true},
           Row{R"({"batchItemFailures":[{"itemIdentifier":"12"}]})", 0, true},
           Row{R"({"batchItemFailures":[{"foo":")" + own + R"("}]})", 0, true},
           Row{R"({"batchItemFailures":[{"foo":null}]})", 0, true},
           Row{R"({"batchItemFailures":[{"itemIdentifier":")" + own + R"("},{"foo":1}]})", 0, true},
           Row{failure_of(2), 1, true},
           Row{"\"text\"", 0, true},
           Row{"no JSON", 0, true},
       }) {
    CAPTURE(row.body);
    const auto records = records_from(1, 3);
    const BatchAnswer answer = read_answer(answered(row.body), records, {true, false});
    CHECK(answer.done == row.done);
    CHECK(answer.has_failed == row.has_failed);
    CHECK_FALSE(read_answer(answered(row.body), records, {false, false}).has_failed);
  }
}

TEST_CASE("batch run: old records are discarded before a call", "[server]") {
  MappingSettings settings;
  settings.record_age_max_s = 60;
  BatchRun run(records_from(1, 4));
  CHECK_FALSE(run.discard_old(Timestamp{61'000'000}, settings, 0));
  const auto old = run.discard_old(Timestamp{63'000'000}, settings, 0);
  REQUIRE(old);
  CHECK(old->reason == DiscardReason::RecordAgeExceeded);
  CHECK(old->calls == 1);
  CHECK(old->records.size() == 2);
  CHECK(next_of(run) == "3-4");
  SECTION("the stream removed the others") {
    REQUIRE(run.discard_old(Timestamp{0}, settings, 9));
    CHECK(run.is_done());
  }
}

TEST_CASE("batch run: pauses double up to a minute", "[server]") {
  CHECK(retry_pause(500ms, 1) == 500ms);
  CHECK(retry_pause(500ms, 2) == 1000ms);
  CHECK(retry_pause(500ms, 7) == 32'000ms);
  CHECK(retry_pause(500ms, 8) == 60'000ms);
  CHECK(retry_pause(500ms, 1'000'000) == 60'000ms);
  CHECK(retry_pause(0ms, 5) == 0ms);
}

// What a process of its own makes of the notes.
BatchRun resumed(std::vector<TriggerRecord> records, const BatchRun& before) {
  const LaneNote note = read_lane_note(lane_note({{}, before.notes()}));
  CHECK(note.pieces == before.notes());
  return BatchRun(std::move(records), note.pieces);
}

TEST_CASE("batch run: another process continues to count the calls", "[server]") {
  MappingSettings settings;
  settings.retry_attempts_max = 3;
  BatchRun run(records_from(1, 5));
  CHECK(run.notes().empty());
  run.settle(not_reached(), settings, false);
  CHECK(run.notes().empty());
  run.settle(failed(), settings, false);
  run.settle(failed(), settings, false);
  SECTION("of the same records") {
    BatchRun next = resumed(records_from(1, 5), run);
    CHECK(next.calls() == 2);
    CHECK_FALSE(next.settle(failed(), settings, false).discard);
    CHECK(next.settle(failed(), settings, false).discard->calls == 4);
    CHECK(next.is_done());
  }
  SECTION("of fewer, because the mapping has changed or the stream has removed some") {
    CHECK(resumed(records_from(1, 2), run).calls() == 2);
    CHECK(resumed(records_from(4, 2), run).calls() == 2);
  }
  SECTION("but not of others") { CHECK(resumed(records_from(6, 2), run).calls() == 0); }
}

TEST_CASE("batch run: another process continues with the halves", "[server]") {
  MappingSettings settings;
  settings.bisects_on_error = true;
  settings.retry_attempts_max = 1;
  BatchRun run(records_from(1, 8));
  run.settle(failed(), settings, false);
  run.settle(failed(), settings, false);
  run.settle(failed(), settings, false);
  run.settle(failed(), settings, false);
  CHECK(next_of(run) == "1-1");
  CHECK(run.calls() == 1);
  BatchRun next = resumed(records_from(1, 8), run);
  CHECK(next_of(next) == "1-1");
  CHECK(next.settle(failed(), settings, false).discard);
  for (const char* const part : {"2-2", "3-4", "5-8"}) {
    CHECK(next_of(next) == part);
    CHECK(next.calls() == 0);
    next.settle(answered(""), settings, false);
  }
  CHECK(next.is_done());
}

TEST_CASE("batch run: another process continues with a call without records", "[server]") {
  MappingSettings settings;
  BatchRun run({});
  run.settle(failed(), settings, true);
  BatchRun next = resumed({}, run);
  CHECK(next.calls() == 1);
  CHECK_FALSE(next.is_done());
}

TEST_CASE("batch run: a window's call needs a state", "[server]") {
  MappingSettings settings;
  settings.retry_attempts_max = 5;
  BatchRun run(records_from(1, 1));
  CHECK(run.settle(answered("{}"), settings, true).has_failed);
  CHECK(run.settle(answered(""), settings, true).has_failed);
  CHECK(run.settle(answered(R"({"state":[]})"), settings, true).has_failed);
  const auto outcome = run.settle(answered(R"({"state":{"n":1}})"), settings, true);
  CHECK_FALSE(outcome.has_failed);
  CHECK(outcome.state == R"({"n":1})");
  BatchRun last({});
  CHECK_FALSE(last.is_done());
  CHECK_FALSE(last.discard_old(Timestamp::max(), settings, UINT64_MAX));
  CHECK_FALSE(last.settle(answered(R"({"state":{}})"), settings, true).has_failed);
  CHECK(last.is_done());
}

}  // namespace
}  // namespace stator
