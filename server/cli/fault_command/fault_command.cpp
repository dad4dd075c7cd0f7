#include "server/cli/fault_command/fault_command.h"

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "protocol/json/json_writer.h"
#include "server/client/admin_client.h"
#include "server/data/formats/input_file.h"
#include "server/data/s3/url_text.h"
#include "server/data/transfer/json_text.h"
#include "server/log/say.h"

namespace stator {

namespace {

using data::count_in;
using data::text_in;
using Verb = FaultOptions::Verb;

constexpr std::string_view kPath = "/_stator/faults";
constexpr int kPauseMs = 50;  // in milliseconds, between two looks at a rule

bool is_spent(const JsonNode& rule) {
  const JsonNode* const spent = rule.find("spent");
  return spent != nullptr && spent->kind() == JsonNode::Kind::True;
}

template <class Use>
void for_each_rule(const JsonNode& reply, const Use& use) {
  const JsonNode* const rules = reply.find("rules");
  if (rules == nullptr || rules->kind() != JsonNode::Kind::Array) return;
  for (const JsonNode& rule : rules->elements()) use(rule);
}

std::string json_of(const JsonNode& node) {
  std::string text;
  append_node_json(text, node);
  return text;
}

// "busy: fired 1 of 3 that fit, spent: {"effect":…}"
std::string rule_line(const JsonNode& rule) {
  const JsonNode* const text = rule.find("rule");
  return std::string(text_in(rule, "name")) + ": fired " + std::to_string(count_in(rule, "fired")) +
         " of " + std::to_string(count_in(rule, "matched")) + " that fit" +
         (is_spent(rule) ? ", spent" : "") + ": " + (text != nullptr ? json_of(*text) : "");
}

void show_rules(const JsonNode& reply, bool is_json) {
  bool has_rules = false;
  for_each_rule(reply, [&](const JsonNode& rule) {
    has_rules = true;
    if (is_json) {
      std::fputs((json_of(rule) + "\n").c_str(), stdout);
    } else {
      say(rule_line(rule));
    }
  });
  if (!has_rules && !is_json) say("no rules");
}

void show_names(const JsonNode& reply) {
  for_each_rule(reply,
                [](const JsonNode& rule) { say("added " + std::string(text_in(rule, "name"))); });
}

std::string preset_body(const FaultOptions& options) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  if (!options.argument.empty()) json.member("argument", options.argument);
  json.end_object();
  return body;
}

template <class Use>
int ask(const FaultOptions& options, const std::string& path, const std::string& body,
        const Use& use) {
  const auto asked = ask_admin(options.server, std::string(kPath) + path, body, use);
  return asked ? 0 : fail(asked.error());
}

int add(const FaultOptions& options) {
  if (options.file.empty()) return ask(options, "", options.rule, show_names);
  auto text = data::read_file(options.file);
  if (!text) return fail(text.error());
  const std::size_t begin = text->find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return fail(options.file + " is empty");
  const bool is_list = (*text)[begin] == '[';
  return ask(options, "", is_list ? "{\"rules\":" + *text + "}" : *text, show_names);
}

// Looks at the rule until it has fired often enough, or for --timeout.
int wait(const FaultOptions& options) {
  const auto end = std::chrono::steady_clock::now() + options.server.timeout;
  for (;;) {
    std::uint64_t fired = 0;
    bool has_ended = false;
    const int status = ask(options, "/" + options.name, {}, [&](const JsonNode& rule) {
      fired = count_in(rule, "fired");
      has_ended = is_spent(rule);
    });
    if (status != 0) return status;
    const std::string what = options.name + " fired " + std::to_string(fired) + " times";
    if (fired >= options.fired) {
      say(what);
      return 0;
    }
    if (has_ended) return fail(what + " and is spent");
    if (std::chrono::steady_clock::now() >= end)
      return fail(what + ", not " + std::to_string(options.fired));
    poll(nullptr, 0, kPauseMs);
  }
}

int run(const FaultOptions& options) {
  const auto show_removed = [](const JsonNode& reply) {
    const std::uint64_t count = count_in(reply, "removed");
    say(std::to_string(count) + (count == 1 ? " rule removed" : " rules removed"));
  };
  switch (options.verb) {
    case Verb::Add:
      return add(options);
    case Verb::Remove:
      return ask(options, "/" + options.name + "/remove", "{}", show_removed);
    case Verb::Clear:
      return ask(options, "/clear", "{}", show_removed);
    case Verb::Preset:
      return ask(options, "/presets/" + data::encode_url(options.name), preset_body(options),
                 show_names);
    case Verb::Wait:
      return wait(options);
    case Verb::List:
      break;
  }
  return ask(options, "", {}, [&](const JsonNode& reply) { show_rules(reply, options.is_json); });
}

}  // namespace

int run_fault(FaultOptions options, const FindServer& find) {
  if (!options.server.is_chosen) options.server = find(std::move(options.server));
  return run(options);
}

}  // namespace stator
