// Admin: the verbs below /_stator/, and /metrics, on the port of the AWS API. They are Stator's
// own, for tests and operators. Requests and responses are JSON except for the metrics;
// docs/admin-openapi.yaml describes them.
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
#include "protocol/json/json_tree.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"
#include "server/console/console.h"
#include "server/http/http_request.h"

namespace stator {

class Engine;
class LiveSettings;
class Maintainer;
class Metrics;
class OperationTable;
class RecentRequests;
class StreamReaders;
class UseSampler;
struct Options;
class AgentDoor;
namespace faults {
class FaultRules;
}
namespace access {
class AccessControl;
}
namespace triggers {
class MappingStore;
class Triggers;
}  // namespace triggers

// What verbs work on; must outlive them. The engine uses `clock`.
struct AdminParts {
  Engine& engine;
  MovableClock& clock;
  Maintainer& maintainer;
  const Settings& settings;  // of the start; `live` has those in force
  const Metrics& metrics;
  const RecentRequests* recent;  // nullptr: none are ever kept
  const Console& console;
  const Options& options;
  const OperationTable& operations;
  Timestamp started;  // of the process, by the system's clock
  // Time limit of a verb from its arrival. The verb reports what it has done by then.
  std::chrono::milliseconds patience;
  faults::FaultRules* faults = nullptr;        // nullptr: no request fails on demand
  access::AccessControl* access = nullptr;     // nullptr: --auth off
  triggers::MappingStore* mappings = nullptr;  // nullptr: there are none
  triggers::Triggers* triggers = nullptr;      // nullptr: no function is called
  UseSampler* sampler = nullptr;
  LiveSettings* live = nullptr;
  AgentDoor* agents = nullptr;  // nullptr: no agent is served
  StreamReaders* readers = nullptr;
};

struct AdminResponse;

// Answers agents that speak the Model Context Protocol (server/cli/mcp/mcp_door.h).
class AgentDoor {
 public:
  AgentDoor() = default;
  AgentDoor(const AgentDoor&) = delete;
  AgentDoor& operator=(const AgentDoor&) = delete;
  virtual ~AgentDoor() = default;

  // Any thread may call this. It may wait for answers of this server.
  virtual AdminResponse answer(const HttpRequest& request) = 0;
};

struct AdminResponse {
  std::uint16_t status = 200;
  std::string body;        // JSON unless content_type differs
  std::string allow = {};  // with status 405: the methods of this path
  std::string_view content_type = "application/json";
};

// {"error": text}; `add_more` may add members after it.
template <class More>
AdminResponse admin_error(std::uint16_t status, std::string_view text, const More& add_more) {
  AdminResponse answer{status, {}};
  JsonWriter json(answer.body);
  json.begin_object();
  json.member("error", text);
  add_more(json);
  json.end_object();
  return answer;
}
inline AdminResponse admin_error(std::uint16_t status, std::string_view text) {
  return admin_error(status, text, [](JsonWriter&) {});
}

// One request to a verb.
struct AdminRequest {
  AdminParts& parts;
  const JsonNode* body;               // an object; nullptr if there was no body
  StopCondition& stop_condition;      // of a verb that takes long
  std::string_view name = {};         // the path's part for {name}, as sent
  std::string_view query = {};        // of the target, as sent
  const HttpRequest* http = nullptr;  // of a verb for agents, with its body
};

// Where a verb runs.
enum class AdminPlace : std::uint8_t {
  AtOnce,   // on the connection's thread
  Reading,  // may take long, changes nothing: beside a verb that does
  Alone,    // may take long or wait for the disk, changes data: one at a time
  Agent,    // sends requests to this server and waits for them: beside all those
};

struct AdminVerb {
  std::string_view path;  // {name}, at most once, stands for any text without a slash
  Method method;          // Get stands for HEAD too
  AdminPlace place;
  AdminResponse (*answer)(AdminRequest& request);
};

class Admin {
 public:
  // `verbs` must outlive this.
  Admin(AdminParts parts, std::span<const AdminVerb> verbs) : parts_(parts), verbs_(verbs) {}

  const Console& console() const { return parts_.console; }
  // nullptr: no verb shows them.
  StreamReaders* readers() const { return parts_.readers; }
  // What a verb has made of the settings; nullptr if nothing.
  const Settings* changed_settings() const;

  // Tells where to call answer().
  AdminPlace place_of(const HttpRequest& request) const;

  // REQUIRES: the body is unpacked, and the path is not the console's. Any thread may call this,
  // but verbs with AdminPlace::Alone run one at a time. A long verb ends early when
  // `stop_condition` says so, and at AdminParts::patience after `queued`: waiting for other verbs
  // counts. The body is parsed in place into `arena`.
  AdminResponse answer(HttpRequest& request, Arena& arena,
                       std::chrono::steady_clock::time_point queued, StopCondition& stop_condition);

  // Makes long verbs end and report what they have done, because the process ends. Any thread.
  void end() { is_ending_.store(true, std::memory_order_relaxed); }

 private:
  AdminParts parts_;
  const std::span<const AdminVerb> verbs_;
  std::atomic<bool> is_ending_{false};
};

}  // namespace stator
