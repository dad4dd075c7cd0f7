#include "server/dispatch/admin.h"

#include <algorithm>
#include <optional>

#include "protocol/json/json_reader.h"
#include "server/dispatch/live_settings.h"

namespace stator {

namespace {

bool has_method(const AdminVerb& verb, Method method) {
  return verb.method == (method == Method::Head ? Method::Get : method);
}

// Returns the part of `path` that stands for {name}, empty if the verb has none; nullopt if the
// path is not the verb's.
std::optional<std::string_view> match(const AdminVerb& verb, std::string_view path) {
  constexpr std::string_view kName = "{name}";
  const std::size_t at = verb.path.find(kName);
  if (at == std::string_view::npos)
    return verb.path == path ? std::optional(std::string_view()) : std::nullopt;
  const std::string_view before = verb.path.substr(0, at);
  const std::string_view behind = verb.path.substr(at + kName.size());
  const bool is_framed = path.size() > before.size() + behind.size() && path.starts_with(before) &&
                         path.ends_with(behind);
  if (!is_framed) return std::nullopt;
  const std::string_view name =
      path.substr(before.size(), path.size() - before.size() - behind.size());
  return name.find('/') == std::string_view::npos ? std::optional(name) : std::nullopt;
}

const AdminVerb* find_verb(std::span<const AdminVerb> verbs, const HttpRequest& request) {
  const auto found = std::find_if(verbs.begin(), verbs.end(), [&](const AdminVerb& verb) {
    return has_method(verb, request.method()) && match(verb, request.path());
  });
  return found == verbs.end() ? nullptr : &*found;
}

// The response if no verb has this path and method.
AdminResponse answer_to_unknown(std::span<const AdminVerb> verbs, const HttpRequest& request) {
  std::string allow;
  for (const AdminVerb& verb : verbs) {
    if (!match(verb, request.path())) continue;
    if (!allow.empty()) allow += ", ";
    allow += verb.method == Method::Get ? "GET, HEAD" : "POST";
  }
  if (allow.empty()) return admin_error(404, "there is nothing at this path");
  AdminResponse answer = admin_error(405, "this path takes " + allow);
  answer.allow = allow;
  return answer;
}

// Stops with `other`, at `until`, or when the process ends.
class TimeLimit final : public StopCondition {
 public:
  TimeLimit(StopCondition& other, std::chrono::steady_clock::time_point until,
            const std::atomic<bool>& is_ending)
      : other_(other), until_(until), is_ending_(is_ending) {}

  bool should_stop() noexcept override {
    return is_ending_.load(std::memory_order_relaxed) ||
           std::chrono::steady_clock::now() >= until_ || other_.should_stop();
  }

 private:
  StopCondition& other_;
  const std::chrono::steady_clock::time_point until_;
  const std::atomic<bool>& is_ending_;
};

}  // namespace

const Settings* Admin::changed_settings() const {
  return parts_.live == nullptr ? nullptr : parts_.live->changed();
}

AdminPlace Admin::place_of(const HttpRequest& request) const {
  const AdminVerb* const verb = find_verb(verbs_, request);
  return verb == nullptr ? AdminPlace::AtOnce : verb->place;
}

AdminResponse Admin::answer(HttpRequest& request, Arena& arena,
                            std::chrono::steady_clock::time_point queued,
                            StopCondition& stop_condition) {
  const AdminVerb* const verb = find_verb(verbs_, request);
  if (verb == nullptr) return answer_to_unknown(verbs_, request);
  std::optional<JsonNode> body;
  const bool is_for_agent = verb->place == AdminPlace::Agent;
  if (!is_for_agent && verb->method == Method::Post && !request.body().empty()) {
    body = read_json(request.body(), arena);
    if (!body || body->kind() != JsonNode::Kind::Object)
      return admin_error(400, "the body is not a JSON object");
  }
  TimeLimit patience(stop_condition, queued + parts_.patience, is_ending_);
  AdminRequest asked{parts_,          body ? &*body : nullptr,
                     patience,        *match(*verb, request.path()),
                     request.query(), is_for_agent ? &request : nullptr};
  return verb->answer(asked);
}

}  // namespace stator
