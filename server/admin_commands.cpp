#include "server/admin_commands.h"

#include <cstdio>
#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "protocol/arena.h"
#include "protocol/json_reader.h"
#include "protocol/json_writer.h"
#include "server/capacity_text.h"
#include "server/explain/explain_text.h"
#include "server/own_client.h"
#include "server/serving_process.h"

namespace stator {

namespace {

// Shows what `text_of` makes of the answer, a JSON object, or says what went wrong.
template <class TextOf>
int ask_and_tell(HealthOptions server, std::string_view path, const std::string& body,
                 const TextOf& text_of) {
  if (!server.is_chosen) server = aimed_at_serving_process(std::move(server));
  auto answer = ask_server(server, path, body);
  std::string why;
  if (answer) {
    Arena arena;
    const auto told = read_json(answer->body, arena);
    const bool is_object = told && told->kind() == JsonNode::Kind::Object;
    if (answer->status == 200 && is_object) {
      std::fputs((text_of(*told) + "\n").c_str(), stdout);
      return 0;
    }
    const JsonNode* const error = is_object ? told->find("error") : nullptr;
    why = error != nullptr ? std::string(error->text())
                           : "it answered status " + std::to_string(answer->status) +
                                 ", is it Stator with an admin path?";
  } else {
    why = answer.error();
  }
  std::fputs(("stator: " + address_text(server) + ": " + why + "\n").c_str(), stderr);
  return 1;
}

std::string text_in(const JsonNode& object, std::string_view name) {
  const JsonNode* const member = object.find(name);
  return member != nullptr ? std::string(member->text()) : std::string();
}

// {"advance":"25h"}; a rate is a number as it stands.
std::string move_text(const ClockOptions& options) {
  if (options.verb.empty()) return {};
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.key(options.verb);
  if (options.verb == "rate") {
    json.raw(options.value);
  } else {
    json.string(options.value);
  }
  json.end_object();
  return body;
}

}  // namespace

int run_clock(ClockOptions options) {
  const std::string body = move_text(options);
  return ask_and_tell(std::move(options.server), "/_stator/clock", body, [](const JsonNode& clock) {
    const std::string mode = text_in(clock, "mode");
    return text_in(clock, "time") + " " +
           (mode == "scaled" ? "rate " + text_in(clock, "rate") : mode);
  });
}

// One line for each mark, or for what was done.
int run_mark(MarkOptions options) {
  std::string path = "/_stator/marks";
  if (options.verb.empty()) {
    return ask_and_tell(std::move(options.server), path, {}, [](const JsonNode& told) {
      const JsonNode* const marks = told.find("marks");
      if (marks == nullptr || marks->elements().empty()) return std::string("no marks");
      std::string lines;
      for (const JsonNode& mark : marks->elements()) {
        if (!lines.empty()) lines += '\n';
        lines += text_in(mark, "name") + " " + text_in(mark, "time");
      }
      return lines;
    });
  }
  path += "/" + options.name + (options.verb == "set" ? "" : "/" + options.verb);
  return ask_and_tell(std::move(options.server), path, "{}", [&options](const JsonNode& mark) {
    return options.verb + " " + text_in(mark, "name") + ", it is " + text_in(mark, "time");
  });
}

int run_capacity(CapacityOptions options) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  if (!options.table.empty()) json.member("table", options.table);
  if (options.region) json.member("region", *options.region);
  json.end_object();
  const bool is_whole = !options.table.empty();
  return ask_and_tell(std::move(options.server), "/_stator/capacity", body,
                      [is_whole](const JsonNode& told) { return capacity_text(told, is_whole); });
}

int run_explain(ExplainOptions options) {
  const bool is_one = !options.request_id.empty();
  return ask_and_tell(std::move(options.server),
                      "/_stator/requests" + (is_one ? "/" + options.request_id : ""), {},
                      [&options, is_one](const JsonNode& told) {
                        return is_one ? request_text(told) : requests_text(told, options.wants_all);
                      });
}

int run_reset(ResetOptions options) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  if (options.region) json.member("region", *options.region);
  if (options.access_key) json.member("access_key", *options.access_key);
  json.end_object();
  return ask_and_tell(std::move(options.server), "/_stator/reset", body, [](const JsonNode& reset) {
    const std::string tables = text_in(reset, "tables");
    return tables + (tables == "1" ? " table removed" : " tables removed");
  });
}

}  // namespace stator
