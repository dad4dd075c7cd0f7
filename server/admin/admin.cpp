#include "server/admin/admin.h"

#include <algorithm>
#include <optional>

#include "protocol/json_reader.h"

namespace stator {

namespace {

constexpr std::string_view kPrefix = "/_stator/";
constexpr std::string_view kMetrics = "/metrics";  // where Prometheus looks when nothing is said

bool has_method(const AdminVerb& verb, Method method) {
  return verb.method == (method == Method::Head ? Method::Get : method);
}

// What stands for {name}, empty where there is none; nullopt: the path is not the verb's.
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

const AdminVerb* find_verb(const HttpRequest& request) {
  const auto verbs = admin_verbs();
  const auto found = std::find_if(verbs.begin(), verbs.end(), [&](const AdminVerb& verb) {
    return has_method(verb, request.method()) && match(verb, request.path());
  });
  return found == verbs.end() ? nullptr : &*found;
}

// The path or the method is unknown.
AdminAnswer answer_to_unknown(const HttpRequest& request) {
  std::string allow;
  for (const AdminVerb& verb : admin_verbs()) {
    if (!match(verb, request.path())) continue;
    if (!allow.empty()) allow += ", ";
    allow += verb.method == Method::Get ? "GET, HEAD" : "POST";
  }
  if (allow.empty()) return admin_error(404, "there is nothing at this path");
  AdminAnswer answer = admin_error(405, "this path takes " + allow);
  answer.allow = allow;
  return answer;
}

// Waits as long as somebody else does, for a time of its own, and until the process ends.
class Patience final : public Audience {
 public:
  Patience(Audience& other, std::chrono::milliseconds time, const std::atomic<bool>& is_ending)
      : other_(other), until_(std::chrono::steady_clock::now() + time), is_ending_(is_ending) {}

  bool is_waiting() noexcept override {
    return !is_ending_.load(std::memory_order_relaxed) &&
           std::chrono::steady_clock::now() < until_ && other_.is_waiting();
  }

 private:
  Audience& other_;
  const std::chrono::steady_clock::time_point until_;
  const std::atomic<bool>& is_ending_;
};

}  // namespace

bool Admin::is_meant(const HttpRequest& request) {
  const std::string_view path = request.path();
  return path.starts_with(kPrefix) || path == kMetrics;
}

bool Admin::is_long(const HttpRequest& request) {
  const AdminVerb* const verb = find_verb(request);
  return verb != nullptr && verb->is_long;
}

AdminAnswer Admin::answer(HttpRequest& request, Arena& arena, Audience& audience) {
  const AdminVerb* const verb = find_verb(request);
  if (verb == nullptr) return answer_to_unknown(request);
  std::optional<JsonNode> body;
  if (verb->method == Method::Post && !request.body().empty()) {
    body = read_json(request.body(), arena);
    if (!body || body->kind() != JsonNode::Kind::Object)
      return admin_error(400, "the body is not a JSON object");
  }
  Patience patience(audience, parts_.patience, is_ending_);
  AdminRequest asked{parts_, body ? &*body : nullptr, patience, *match(*verb, request.path())};
  return verb->answer(asked);
}

}  // namespace stator
