#include "server/faults/effect_reader.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "server/faults/fault_answers.h"
#include "server/faults/member_reader.h"
#include "server/http/header_text.h"

namespace stator::faults {

namespace {

using Kind = JsonNode::Kind;

constexpr std::uint64_t kActionsMax = 100;  // of a transaction
constexpr std::uint64_t kPartsMax = 100;    // of a batch

constexpr std::pair<std::string_view, bool> kPlaces[] = {{"before", false}, {"after", true}};

constexpr std::pair<std::string_view, bool> kClocks[] = {{"wire", false}, {"engine", true}};
constexpr std::uint64_t kPageItemsMax = 1'000'000;
constexpr std::uint64_t kDripBytesMax = 1'000'000;
constexpr std::size_t kHttpHeadersMax = 20;
constexpr std::size_t kReasonsMax = capacity::kLimits * capacity::kDimensions * 2;

// They say how long the answer is, which its writer knows.
constexpr std::string_view kFramingHeaders[] = {"content-length", "transfer-encoding",
                                                "connection"};

std::chrono::microseconds bounded_delay(std::string_view what, const JsonNode& json) {
  const auto delay = duration_of(what, json);
  if (delay > kFaultDelayMax) refuse(std::string(what) + " is to be at most an hour");
  return delay;
}

FaultDelay read_delay(const JsonNode& json) {
  FaultDelay delay;
  if (json.kind() == Kind::String) {
    delay.low = bounded_delay("delay", json);
    return delay;
  }
  check_members("delay", json, {"uniform", "lognormal"});
  if (json.members().size() != 1) refuse("delay is to have one member");
  if (const JsonNode* const range = json.find("uniform")) {
    if (range->kind() != Kind::Array || range->elements().size() != 2)
      refuse("uniform is to be a list of two durations");
    delay.kind = FaultDelay::Kind::Uniform;
    delay.low = bounded_delay("uniform", range->elements()[0]);
    delay.high = bounded_delay("uniform", range->elements()[1]);
  } else if (const JsonNode* const shape = json.find("lognormal")) {
    check_members("lognormal", *shape, {"median", "p99"});
    const JsonNode* const median = shape->find("median");
    const JsonNode* const p99 = shape->find("p99");
    if (median == nullptr || p99 == nullptr) refuse("lognormal needs median and p99");
    delay.kind = FaultDelay::Kind::Lognormal;
    delay.low = bounded_delay("median", *median);
    delay.high = bounded_delay("p99", *p99);
    if (delay.low.count() == 0) refuse("median is to be more than nothing");
  }
  if (delay.low > delay.high) refuse("delay: the first duration is to be the shorter one");
  return delay;
}

ErrorCode code_of(const JsonNode& json) {
  const std::string_view name = text_of("type of error", json);
  const auto code = find_error(name);
  if (!code) refuse("no such error: " + in_quotes(name) + did_you_mean(name, error_names()));
  if (*code == ErrorCode::TransactionCanceled)
    refuse("TransactionCanceledException has reasons: write {\"cancel\": {\"0\": …}}");
  return *code;
}

NamedReason read_reason(const JsonNode& json) {
  NamedReason reason;
  const bool is_text = json.kind() == Kind::String;
  const JsonNode* name = &json;
  if (!is_text) {
    check_members("reasons", json, {"reason", "resource"});
    name = json.find("reason");
    if (name == nullptr) refuse("reasons: an entry has no reason");
    if (const JsonNode* const resource = json.find("resource"))
      reason.resource = text_of("resource", *resource);
  }
  const auto found = find_reason(text_of("reason", *name));
  if (!found) refuse("no such reason: " + in_quotes(name->text()));
  reason.reason = *found;
  return reason;
}

void check_reasons(const FaultError& error) {
  if (!has_reasons(error.code)) refuse("only errors of throttling have reasons");
  const ErrorCode code = code_of_reasons(error);
  if (code != error.code)
    refuse("the first reason belongs to " + std::string(error_info(code).name));
}

std::uint16_t read_status(const JsonNode& json) {
  constexpr std::array<std::uint64_t, 9> kStatuses = {400, 403, 404, 409, 429, 500, 502, 503, 504};
  const std::uint64_t status = count_of("status", json, 400, 599);
  if (std::find(kStatuses.begin(), kStatuses.end(), status) == kStatuses.end())
    refuse("status is to be one of 400, 403, 404, 409, 429, 500, 502, 503 and 504");
  return static_cast<std::uint16_t>(status);
}

FaultError read_error(const JsonNode& json) {
  FaultError error;
  if (json.kind() == Kind::String) {
    error.code = code_of(json);
  } else {
    check_members("error", json, {"type", "message", "status", "reasons", "after", "any"});
    const JsonNode* const type = json.find("type");
    if (type == nullptr) refuse("error needs a type");
    error.code = code_of(*type);
    if (const JsonNode* const message = json.find("message"))
      error.message = text_of("message", *message);
    if (const JsonNode* const status = json.find("status")) error.status = read_status(*status);
    if (const JsonNode* const after = json.find("after"))
      error.is_after = truth_of("after", *after);
    if (const JsonNode* const any = json.find("any")) error.is_any = truth_of("any", *any);
    if (const JsonNode* const reasons = json.find("reasons")) {
      if (reasons->kind() != Kind::Array || reasons->elements().empty() ||
          reasons->elements().size() > kReasonsMax)
        refuse("reasons is to be a list of 1 to " + std::to_string(kReasonsMax) + " reasons");
      for (const JsonNode& reason : reasons->elements())
        error.reasons.push_back(read_reason(reason));
      check_reasons(error);
    }
  }
  if (!error.message && !has_known_message(error.code))
    refuse(std::string(error_info(error.code).name) +
           " needs a message: {\"type\": …, \"message\": …}");
  return error;
}

FaultCancel read_cancel(const JsonNode& json) {
  FaultCancel cancel;
  if (json.kind() != Kind::Object || json.members().empty())
    refuse("cancel is to be an object such as {\"0\": \"TransactionConflict\"}");
  for (const JsonMember& member : json.members()) {
    const auto code = find_cancellation(text_of("reason", member.value));
    if (!code) refuse("no such reason of a cancellation: " + in_quotes(member.value.text()));
    if (member.name == "*") {
      cancel.of_all = code;
      continue;
    }
    const auto place = count_of("position in cancel", JsonNode::scalar(Kind::Integer, member.name),
                                0, kActionsMax - 1);
    if (!cancel.reasons.emplace(place, *code).second)
      refuse("cancel has two members " + in_quotes(member.name));
  }
  return cancel;
}

FaultUnprocessed read_unprocessed(const JsonNode& effect, const JsonNode& json) {
  FaultUnprocessed unprocessed;
  if (const JsonNode* const type = effect.find("type")) {
    unprocessed.error = find_member_error(text_of("type", *type));
    if (!unprocessed.error) refuse("no such error of a statement: " + in_quotes(type->text()));
  }
  if (json.kind() == Kind::String) {
    if (json.text() != "matching") refuse("unprocessed: the only word is matching");
    unprocessed.is_matching = true;
  } else if (json.kind() == Kind::Array) {
    if (json.elements().empty() || json.elements().size() > kPartsMax)
      refuse("unprocessed is to have 1 to " + std::to_string(kPartsMax) + " positions");
    for (const JsonNode& place : json.elements())
      unprocessed.places.push_back(count_of("position in unprocessed", place, 0, kPartsMax - 1));
  } else {
    check_members("unprocessed", json, {"count", "fraction"});
    if (json.members().size() != 1) refuse("unprocessed is to have one member");
    if (const JsonNode* const count = json.find("count"))
      unprocessed.count = count_of("count", *count, 1, kPartsMax);
    if (const JsonNode* const fraction = json.find("fraction"))
      unprocessed.fraction = share_of("fraction", *fraction);
    if (unprocessed.count == 0 && unprocessed.fraction == 0)
      refuse("fraction is to be more than 0");
  }
  return unprocessed;
}

FaultDrop read_drop(const JsonNode& effect, const JsonNode& json) {
  using How = FaultDrop::How;
  constexpr std::pair<std::string_view, How> kHows[] = {
      {"fin", How::Fin}, {"rst", How::Rst}, {"hang", How::Hang}};
  FaultDrop drop;
  drop.is_after = word_of("drop", json, kPlaces);
  if (const JsonNode* const how = effect.find("how")) drop.how = word_of("how", *how, kHows);
  return drop;
}

FaultCorrupt read_corrupt(const JsonNode& json) {
  using How = FaultCorrupt::How;
  constexpr std::pair<std::string_view, How> kHows[] = {{"crc", How::Crc},
                                                        {"byte", How::Byte},
                                                        {"cut", How::Cut},
                                                        {"empty", How::Empty},
                                                        {"json", How::Json}};
  return {word_of("corrupt", json, kHows)};
}

FaultPage read_page(const JsonNode& json) {
  check_members("page", json, {"items"});
  const JsonNode* const items = json.find("items");
  if (items == nullptr) refuse("page needs items");
  return {count_of("items", *items, 0, kPageItemsMax)};
}

FaultStream read_stream(const JsonNode& json) {
  constexpr std::pair<std::string_view, bool> kHows[] = {{"expired", false}, {"trimmed", true}};
  return {word_of("stream", json, kHows)};
}

FaultToken read_token(const JsonNode& json) {
  using How = FaultToken::How;
  constexpr std::pair<std::string_view, How> kHows[] = {
      {"forgotten", How::Forgotten}, {"running", How::Running}, {"mismatch", How::Mismatch}};
  return {word_of("token", json, kHows)};
}

FaultDrip read_drip(const JsonNode& json) {
  check_members("drip", json, {"bytes", "every"});
  const JsonNode* const bytes = json.find("bytes");
  const JsonNode* const every = json.find("every");
  if (bytes == nullptr || every == nullptr) refuse("drip needs bytes and every");
  return {count_of("bytes", *bytes, 1, kDripBytesMax), bounded_delay("every", *every)};
}

FaultStale read_stale(const JsonNode& json) {
  const auto age = bounded_delay("stale", json);
  if (age.count() == 0) refuse("stale is to be more than nothing");
  return {age};
}

bool is_token_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
         c == '_';
}

// As a line of an answer.
std::string header_line(const JsonMember& member) {
  const std::string_view name = member.name;
  const std::string_view value = text_of("a header's value", member.value);
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(),
                                                    [](char c) { return is_token_char(c); });
  const bool is_value = std::all_of(value.begin(), value.end(), [](unsigned char c) {
    return c == '\t' || (c >= ' ' && c != 0x7F);
  });
  if (!is_name || !is_value) refuse("no header of an answer: " + in_quotes(name));
  for (const std::string_view framing : kFramingHeaders)
    if (equals_ignoring_case(name, framing)) refuse("http sets the header " + std::string(framing));
  return std::string(name).append(": ").append(value).append("\r\n");
}

FaultHttp read_http(const JsonNode& json) {
  check_members("http", json, {"status", "body", "headers"});
  const JsonNode* const status = json.find("status");
  if (status == nullptr) refuse("http needs a status");
  FaultHttp http;
  http.status = read_status(*status);
  if (const JsonNode* const body = json.find("body")) http.body = text_of("body", *body);
  const JsonNode* const headers = json.find("headers");
  if (headers == nullptr) return http;
  if (headers->kind() != Kind::Object || headers->members().size() > kHttpHeadersMax)
    refuse("headers is to be an object of at most " + std::to_string(kHttpHeadersMax) + " members");
  for (const JsonMember& member : headers->members()) http.header_lines += header_line(member);
  return http;
}

void read_delay_of(const JsonNode& json, FaultEffect& effect) {
  if (const JsonNode* const delay = json.find("delay")) {
    effect.delay = read_delay(*delay);
    if (const JsonNode* const at = json.find("at"))
      effect.delay->is_after = word_of("at", *at, kPlaces);
    if (const JsonNode* const clock = json.find("clock"))
      effect.delay->is_engine = word_of("clock", *clock, kClocks);
  } else if (json.find("at") != nullptr || json.find("clock") != nullptr) {
    refuse("at and clock go with delay");
  }
}

}  // namespace

FaultEffect read_effect(const JsonNode& json) {
  check_members("effect", json,
                {"delay", "at", "clock", "error", "cancel", "drop", "how", "corrupt", "unprocessed",
                 "type", "page", "stream", "token", "drip", "stale", "http", "and_on"});
  constexpr std::string_view kKinds =
      "error, cancel, drop, corrupt, unprocessed, page, stream, token, drip, stale, http";
  FaultEffect effect;
  int count = 0;
  const auto take = [&](std::string_view name, const auto& read) {
    const JsonNode* const found = json.find(name);
    if (found == nullptr) return;
    effect.rest = read(*found);
    ++count;
  };
  take("error", read_error);
  take("cancel", read_cancel);
  take("drop", [&json](const JsonNode& drop) { return read_drop(json, drop); });
  take("corrupt", read_corrupt);
  take("unprocessed", [&json](const JsonNode& parts) { return read_unprocessed(json, parts); });
  take("page", read_page);
  take("stream", read_stream);
  take("token", read_token);
  take("drip", read_drip);
  take("stale", read_stale);
  take("http", read_http);
  if (json.find("drop") == nullptr && json.find("how") != nullptr) refuse("how goes with drop");
  if (json.find("unprocessed") == nullptr && json.find("type") != nullptr)
    refuse("type goes with unprocessed");
  read_delay_of(json, effect);
  if (count > 1) refuse("effect is to have only one of " + std::string(kKinds));
  if (count == 0 && !effect.delay)
    refuse("effect is to have one of " + std::string(kKinds) + " and delay");
  if (const JsonNode* const and_on = json.find("and_on"))
    effect.goes_on = truth_of("and_on", *and_on);
  if (effect.goes_on && count > 0) refuse("and_on goes with a delay alone");
  return effect;
}

}  // namespace stator::faults
