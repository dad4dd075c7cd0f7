#include "server/triggers/invocation/invocation_request.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"
#include "protocol/text/base64.h"

namespace stator::triggers {

namespace {

constexpr std::size_t kPayloadBytesMax = 6'291'456;
constexpr std::size_t kEventPayloadBytesMax = 1'048'576;
constexpr std::size_t kClientContextBytesMax = 3'583;  // in Base64
constexpr std::string_view kTail = "Tail";

// In the order of the model's enumeration.
constexpr std::array<std::pair<std::string_view, InvocationType>, 3> kTypes = {{
    {"Event", InvocationType::Event},
    {"RequestResponse", InvocationType::RequestResponse},
    {"DryRun", InvocationType::DryRun},
}};

bool is_json(std::string text) {
  Arena arena;
  return read_json(text, arena).has_value();
}

// Empty if the text names none. Without a text: RequestResponse.
std::optional<InvocationType> type_of(std::string_view text) {
  if (text.empty()) return InvocationType::RequestResponse;
  for (const auto& [name, type] : kTypes) {
    if (name == text) return type;
  }
  return {};
}

LambdaResult<InvocationRequest> read_kinds(const HttpRequest& request) {
  const std::string_view type = request.header(Header::XAmzInvocationType);
  const std::string_view log = request.header(Header::XAmzLogType);
  const auto known = type_of(type);
  ConstraintList violations;
  if (!known)
    violations.add("invocationType", type,
                   "Member must satisfy enum value set: [Event, RequestResponse, DryRun]");
  if (!log.empty() && log != kTail && log != "None")
    violations.add("logType", log, "Member must satisfy enum value set: [None, Tail]");
  if (!violations.empty()) return violations.refusal();
  return InvocationRequest{*known, log == kTail, {}, {}};
}

// A header of the runtime has it, so it has one line.
LambdaResult<std::string> client_context_of(const HttpRequest& request) {
  const std::string_view packed = request.header(Header::XAmzClientContext);
  if (packed.empty()) return {};
  std::string context;
  Arena arena;
  if (packed.size() <= kClientContextBytesMax && check_base64(packed) == Base64Error::None)
    context = decode_base64(packed, arena);
  const bool has_control = std::any_of(context.begin(), context.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7F;
  });
  if (has_control || !is_json(context))
    return unreadable_body("Client context must be a valid Base64-encoded JSON object.");
  return context;
}

LambdaResult<std::string> event_of_request(const HttpRequest& request, InvocationType type) {
  const bool is_async = type == InvocationType::Event;
  const std::string& body = request.body();
  const std::size_t bytes_max = is_async ? kEventPayloadBytesMax : kPayloadBytesMax;
  if (body.size() > bytes_max)
    return too_large_payload(body.size(), is_async ? "Event" : "RequestResponse", bytes_max);
  if (!body.empty() && !is_json(body))
    return unreadable_body("Could not parse request body into json: it is no JSON");
  return body.empty() ? std::string("{}") : body;
}

}  // namespace

bool is_async_invocation(const HttpRequest& request) {
  return type_of(request.header(Header::XAmzInvocationType)) == InvocationType::Event;
}

LambdaResult<InvocationRequest> read_invocation(const HttpRequest& request) {
  auto asked = read_kinds(request);
  if (!asked) return asked;
  auto event = event_of_request(request, asked->type);
  if (!event) return tl::unexpected(std::move(event).error());
  auto context = client_context_of(request);
  if (!context) return tl::unexpected(std::move(context).error());
  asked->event = *std::move(event);
  asked->client_context = *std::move(context);
  return asked;
}

}  // namespace stator::triggers
