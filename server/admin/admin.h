// Admin: what is below /_stator/ on the port of the AWS API, and /metrics: verbs of this program's
// own, for tests and operators. JSON in and out but for the metrics, described in
// docs/admin-openapi.yaml.
//
// A verb is a function and a line in the table of verbs.cpp.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/call/settings.h"
#include "engine/call/work.h"
#include "engine/seams/movable_clock.h"
#include "protocol/arena.h"
#include "protocol/json_tree.h"
#include "protocol/json_writer.h"
#include "server/http_request.h"

namespace stator {

class Engine;
class Maintainer;
class Metrics;
class RecentRequests;

// What verbs work on; all of it outlives them. The engine was opened on the clock.
struct AdminParts {
  Engine& engine;
  MovableClock& clock;
  Maintainer& maintainer;
  const Settings& settings;
  const Metrics& metrics;
  const RecentRequests* recent;  // nullptr: none are kept
  // How long a verb may take; what it has done by then is told.
  std::chrono::milliseconds patience;
};

struct AdminAnswer {
  std::uint16_t status = 200;
  std::string body;        // JSON, unless its type says otherwise
  std::string allow = {};  // the methods there are, with status 405
  std::string_view content_type = "application/json";
};

// {"error": text}; `add_more` may add members behind it.
template <class More>
AdminAnswer admin_error(std::uint16_t status, std::string_view text, const More& add_more) {
  AdminAnswer answer{status, {}};
  JsonWriter json(answer.body);
  json.begin_object();
  json.member("error", text);
  add_more(json);
  json.end_object();
  return answer;
}
inline AdminAnswer admin_error(std::uint16_t status, std::string_view text) {
  return admin_error(status, text, [](JsonWriter&) {});
}

// One request of a verb.
struct AdminRequest {
  AdminParts& parts;
  const JsonNode* body;        // an object; nullptr: there was none
  Audience& audience;          // of a verb that takes long
  std::string_view name = {};  // what stands in the path for {name}, as it was sent
};

struct AdminVerb {
  std::string_view path;  // {name}, in one place at most, stands for what has no slash
  Method method;          // Get stands for HEAD too
  bool is_long;           // may wait for the disk, or work: not on a thread that serves connections
  AdminAnswer (*answer)(AdminRequest& request);
};

// All of them (verbs.cpp).
std::span<const AdminVerb> admin_verbs();

class Admin {
 public:
  explicit Admin(AdminParts parts) : parts_(parts) {}

  // Whether the path belongs to verbs, whether there is one or not.
  static bool is_meant(const HttpRequest& request);

  // Whether answer() may take long.
  static bool is_long(const HttpRequest& request);

  // Unpacked already. From any thread; but those that take long one at a time, and only for as long
  // as `audience` waits. The body is read in place, the tree lives in `arena`.
  AdminAnswer answer(HttpRequest& request, Arena& arena, Audience& audience);

  // From any thread: the process ends, what takes long tells what it has done.
  void end() { is_ending_.store(true, std::memory_order_relaxed); }

 private:
  AdminParts parts_;
  std::atomic<bool> is_ending_{false};
};

}  // namespace stator
