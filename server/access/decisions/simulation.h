// Simulated decisions, explained statement by statement.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "engine/seams/clock.h"
#include "protocol/access/evaluation.h"
#include "protocol/json/json_tree.h"
#include "server/access/principals/directory.h"

namespace stator {
class JsonWriter;
}

namespace stator::access {

struct SimulatedRequest {
  std::string principal;  // ARN of a user, root, role, or of a session of the file
  std::string action;
  std::string resource;
  RequestContext context = {};  // keys beside those of the principal; replaces these
  std::string resource_policy = {};
  Timestamp now;
};

struct Simulation {
  Explanation explanation;
  std::string message;  // of the AccessDeniedException; empty if it is allowed
};

// Error: what is wrong with the request, in one line.
tl::expected<Simulation, std::string> simulate(const Directory& directory,
                                               const SimulatedRequest& request);

// Adds a key with one value, or with one more. Keys that are lists in requests are lists here.
void add_simulated_key(RequestContext& context, std::string_view key, std::string_view value);

// Reads
// {"principal":…,"action":…,"resource":…,"context":{"aws:SourceIp":"…","dynamodb:LeadingKeys":
// ["…"]}}.
tl::expected<SimulatedRequest, std::string> read_simulated_request(const JsonNode& json);

// Writes the members "decision", "reason", "message" (of a denial) and "statements".
void write_decision(JsonWriter& json, const Simulation& simulation);
// {"decision":"allowed","reason":…,"statements":[…]}
std::string simulation_json(const Simulation& simulation);
// As text, a line for each statement.
std::string simulation_text(const Simulation& simulation);

}  // namespace stator::access
