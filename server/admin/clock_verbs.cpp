// /_stator/clock: shows and moves the engine's time.
#include <charconv>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "engine/api/control.h"
#include "engine/api/engine.h"
#include "engine/seams/clock.h"
#include "engine/seams/iso_time.h"
#include "server/admin/verbs.h"
#include "server/options/duration.h"
#include "server/threads/maintainer.h"
#include "server/threads/use_sampler.h"
#include "server/triggers/delivery/triggers.h"

namespace stator {

namespace {

constexpr std::string_view kOneMember =
    "the body is to have one member: advance, set, rate or mode, as in {\"advance\": \"1h30m\"}";

constexpr std::string_view kTimeEnds = "time ends with the year 9999";

Timestamp now_of(const AdminRequest& request) { return request.parts.engine.clock().now(); }

std::string_view mode_text(double rate) {
  if (rate == 1) return "real";
  return rate == 0 ? "manual" : "scaled";
}

void add_clock(const AdminRequest& request, JsonWriter& json) {
  const double rate = request.parts.clock.pace().rate;
  json.member("time", iso_extended(now_of(request)));
  json.member("mode", mode_text(rate));
  json.key("rate");
  if (rate == std::floor(rate)) {
    json.integer(static_cast<std::int64_t>(rate));
  } else {
    json.decimal(rate);
  }
}

AdminResponse failure(const AdminRequest& request, std::uint16_t status, const std::string& why) {
  const std::string text = why + ", it is " + iso_extended(now_of(request));
  return admin_error(status, text, [&](JsonWriter& json) { add_clock(request, json); });
}

void wait_for_triggers(AdminRequest& request, triggers::Triggers::Until until) {
  constexpr std::chrono::seconds kPatience{10};
  if (request.parts.triggers == nullptr) return;
  request.parts.triggers->settle(until, kPatience, request.stop_condition);
}

// Advances time to `target` and does all work that becomes due until then.
AdminResponse go_to(AdminRequest& request, Timestamp target) {
  using Until = triggers::Triggers::Until;
  // So that a batching window of what was written before begins before the move, too.
  wait_for_triggers(request, Until::TakenUp);
  AdvanceOutcome end{};
  {
    const Maintainer::Pause pause(request.parts.maintainer);
    end = steer(request.parts.engine, request.parts.clock, target, request.stop_condition);
  }
  switch (end) {
    case AdvanceOutcome::Arrived:
      wait_for_triggers(request, Until::CalledOnce);
      break;
    case AdvanceOutcome::Cancelled:
      return failure(request, 503,
                     "time has not come to " + iso_extended(target) +
                         " while this request could wait: ask again to go on");
    case AdvanceOutcome::WriteFailed:
      return failure(request, 500, "what is due could not be stored, see the log");
  }
  return show_clock(request);
}

AdminResponse set_rate(AdminRequest& request, double rate) {
  request.parts.clock.go_on(now_of(request), rate);
  if (!store_clock(request.parts.engine))
    return failure(request, 500, "the clock could not be stored, see the log");
  return show_clock(request);
}

AdminResponse advance(AdminRequest& request, const JsonNode& value) {
  if (value.kind() != JsonNode::Kind::String)
    return admin_error(400, "advance must be a duration such as \"1h30m\"");
  const auto duration = parse_duration(value.text());
  if (!duration) return admin_error(400, "advance: " + duration.error());
  const Timestamp target = now_of(request).plus(*duration);
  if (target > MovableClock::kEnd) return admin_error(400, kTimeEnds);
  return go_to(request, target);
}

// Sets the clock to the system's time and lets it follow that.
AdminResponse return_to_now(AdminRequest& request) {
  constexpr std::chrono::seconds kNearly{1};  // an unmoved clock is at most this far ahead
  const Timestamp system_now = SystemClock{}.now();
  const Timestamp now = now_of(request);
  if (now > system_now.plus(kNearly)) {
    return admin_error(400, "the clock does not move back: it is " + iso_extended(now) +
                                ", ahead of the system's " + iso_extended(system_now) +
                                ". A rollback to a mark from before the move takes time back, or "
                                "a start with an empty folder");
  }
  if (system_now > now) {
    AdminResponse moved = go_to(request, system_now);
    if (moved.status != 200) return moved;
  }
  return set_rate(request, 1);
}

AdminResponse set(AdminRequest& request, const JsonNode& value) {
  const bool is_text = value.kind() == JsonNode::Kind::String;
  if (is_text && value.text() == "now") return return_to_now(request);
  const auto target = is_text ? parse_iso_extended(value.text()) : std::nullopt;
  if (!target)
    return admin_error(400, "set is to be a time such as \"2027-01-01T00:00:00Z\", or \"now\"");
  if (*target > MovableClock::kEnd) return admin_error(400, kTimeEnds);
  const Timestamp now = now_of(request);
  if (*target < now)
    return admin_error(400,
                       "the clock does not move back: it is " + iso_extended(now) + " already");
  return go_to(request, *target);
}

AdminResponse rate(AdminRequest& request, const JsonNode& value) {
  const bool is_number =
      value.kind() == JsonNode::Kind::Integer || value.kind() == JsonNode::Kind::Decimal;
  const std::string_view text = is_number ? value.text() : std::string_view();
  double number = -1;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || !(number >= 0 && number <= ClockPace::kRateMax))
    return admin_error(400, "rate is to be a number from 0 to 1000000: seconds for each real one");
  return set_rate(request, number);
}

AdminResponse mode(AdminRequest& request, const JsonNode& value) {
  const std::string_view text =
      value.kind() == JsonNode::Kind::String ? value.text() : std::string_view();
  if (text == "real") return set_rate(request, 1);
  if (text == "manual") return set_rate(request, 0);
  return admin_error(400, "mode is to be \"real\" or \"manual\"");
}

}  // namespace

AdminResponse show_clock(AdminRequest& request) {
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  add_clock(request, json);
  json.end_object();
  return answer;
}

AdminResponse move_clock(AdminRequest& request) {
  if (request.body == nullptr || request.body->members().size() != 1)
    return admin_error(400, kOneMember);
  const JsonMember& member = request.body->members().front();
  constexpr std::pair<std::string_view, AdminResponse (*)(AdminRequest&, const JsonNode&)>
      kMoves[] = {{"advance", advance}, {"set", set}, {"rate", rate}, {"mode", mode}};
  for (const auto& [name, move] : kMoves) {
    if (member.name != name) continue;
    AdminResponse moved = move(request, member.value);
    if (request.parts.sampler != nullptr) request.parts.sampler->sample_now();
    return moved;
  }
  return admin_error(400, kOneMember);
}

}  // namespace stator
