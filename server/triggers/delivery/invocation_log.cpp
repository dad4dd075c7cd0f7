#include "server/triggers/delivery/invocation_log.h"

#include <algorithm>
#include <utility>

#include "engine/seams/iso_time.h"

namespace stator::triggers {

namespace {

constexpr std::size_t kEntriesMax = 1000;
constexpr std::size_t kTextsBytesMax = std::size_t{16} << 20;  // of all events and answers

std::size_t texts_of(const Invocation& invocation) {
  return invocation.event.size() + invocation.answer.size() + invocation.log.size();
}

// An answer may be any bytes, and so may the output of a program.
std::string printable(const std::string& text) {
  const bool is_plain = std::all_of(text.begin(), text.end(),
                                    [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
  if (is_plain) return text;
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x80U ? c : '?';
  return out;
}

void write_invocation(JsonWriter& json, const Invocation& invocation) {
  json.begin_object();
  json.member("number", static_cast<std::int64_t>(invocation.number));
  json.member("requestId", invocation.request_id);
  json.member("mapping", invocation.uuid);
  json.member("function", invocation.function_arn);
  json.member("shardId", invocation.shard_id);
  json.member("lane", std::int64_t{invocation.lane});
  json.member("records", static_cast<std::int64_t>(invocation.records));
  if (invocation.records > 0) {
    json.member("first", invocation.first);
    json.member("last", invocation.last);
  }
  json.member("attempt", std::int64_t{invocation.attempt});
  json.member("time", iso_extended(invocation.at));
  json.member("duration_ms", static_cast<std::int64_t>(invocation.duration.count() / 1000));
  json.member("outcome", invocation.outcome);
  if (!invocation.why.empty()) json.member("error", printable(invocation.why));
  if (invocation.status != 0) json.member("status", std::int64_t{invocation.status});
  if (invocation.next_retry) json.member("nextRetry", iso_extended(*invocation.next_retry));
  json.member("event", invocation.event);
  json.member("answer", invocation.answer);
  if (!invocation.log.empty()) json.member("log", invocation.log);
  json.end_object();
}

void write_note(JsonWriter& json, const FailureNote& note) {
  json.begin_object();
  json.member("number", static_cast<std::int64_t>(note.number));
  json.member("mapping", note.uuid);
  json.member("destination", note.destination);
  json.member("delivery", printable(note.delivery));
  json.member("key", note.key);
  json.key("message");
  json.raw(note.message);
  json.end_object();
}

}  // namespace

void cut_text(std::string& text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
}

std::int64_t count_lost(std::uint64_t gone, std::uint64_t since) {
  return static_cast<std::int64_t>(gone > since ? gone - since : 0);
}

void InvocationLog::add(Invocation invocation) {
  invocation.number = ++last_invocation_;
  cut_text(invocation.event, kEventShownBytes);
  cut_text(invocation.answer, kEventShownBytes);
  cut_text(invocation.why, kEventShownBytes);
  invocation.answer = printable(invocation.answer);
  invocation.log = printable(invocation.log);
  text_bytes_ += texts_of(invocation);
  invocations_.push_back(std::move(invocation));
  while (invocations_.size() > kEntriesMax || text_bytes_ > kTextsBytesMax) {
    text_bytes_ -= texts_of(invocations_.front());
    invocations_.pop_front();
  }
}

std::uint64_t InvocationLog::add(FailureNote note) {
  note.number = ++last_note_;
  notes_.push_back(std::move(note));
  if (notes_.size() > kEntriesMax) notes_.pop_front();
  return last_note_;
}

void InvocationLog::set_delivery(std::uint64_t note, std::string delivery) {
  const auto found = std::find_if(notes_.begin(), notes_.end(),
                                  [note](const FailureNote& kept) { return kept.number == note; });
  if (found != notes_.end()) found->delivery = std::move(delivery);
}

void InvocationLog::write_next(JsonWriter& json, std::uint64_t since) const {
  json.key("invocation");
  const auto next =
      std::find_if(invocations_.begin(), invocations_.end(),
                   [since](const Invocation& invocation) { return invocation.number > since; });
  if (next == invocations_.end()) {
    json.null();
  } else {
    write_invocation(json, *next);
  }
}

void InvocationLog::write_invocations(JsonWriter& json, std::uint64_t since) const {
  json.key("invocations");
  json.begin_array();
  for (const Invocation& invocation : invocations_) {
    if (invocation.number > since) write_invocation(json, invocation);
  }
  json.end_array();
  json.member("last", static_cast<std::int64_t>(last_invocation_));
  json.member("lost", count_lost(last_invocation_ - invocations_.size(), since));
}

void InvocationLog::write_failures(JsonWriter& json, std::uint64_t since) const {
  json.key("failures");
  json.begin_array();
  for (const FailureNote& note : notes_) {
    if (note.number > since) write_note(json, note);
  }
  json.end_array();
  json.member("last", static_cast<std::int64_t>(last_note_));
  json.member("lost", count_lost(last_note_ - notes_.size(), since));
}

}  // namespace stator::triggers
