#include "server/cli/trigger_command/trigger_command.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "engine/seams/clock.h"
#include "engine/seams/iso_time.h"
#include "protocol/json/json_reader.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"
#include "server/access/signing/signing.h"
#include "server/client/admin_client.h"
#include "server/client/local_client.h"
#include "server/client/signature.h"
#include "server/data/formats/input_file.h"
#include "server/data/transfer/json_text.h"
#include "server/log/say.h"
#include "server/options/server_address.h"

namespace stator {

namespace {

using data::count_in;
using data::text_in;
using Verb = TriggerCommandOptions::Verb;
using Line = std::string (*)(const JsonNode& entry);

constexpr std::string_view kTriggersPath = "/_stator/triggers";
// The server answers after its own time, and the answer needs a moment.
constexpr std::chrono::seconds kSettleMargin{5};

// The name in arn:aws:lambda:REGION:ACCOUNT:function:NAME[:QUALIFIER].
std::string name_of(std::string_view arn) {
  constexpr std::string_view kBefore = ":function:";
  const std::size_t at = arn.find(kBefore);
  return std::string(at == std::string_view::npos ? arn : arn.substr(at + kBefore.size()));
}

// The Region in the same.
std::string_view region_of(std::string_view arn) {
  constexpr std::string_view kBefore = ":lambda:";
  const std::size_t at = arn.find(kBefore);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = arn.substr(at + kBefore.size());
  return rest.substr(0, rest.find(':'));
}

std::string count_text(const JsonNode& entry, std::string_view member) {
  return std::to_string(count_in(entry, member));
}

// Appends " separator text" unless the text is empty.
void append_part(std::string& line, std::string_view separator, std::string_view text) {
  if (!text.empty()) line.append(separator).append(text);
}

void append_status(std::string& line, const JsonNode& mapping) {
  line.append(text_in(mapping, "status"));
  append_part(line, ": ", text_in(mapping, "reason"));
  append_part(line, ", until ", text_in(mapping, "until"));
}

// The largest of all lanes.
std::uint64_t lag_of_mapping(const JsonNode& mapping) {
  std::uint64_t lag_s = 0;
  const JsonNode* const shards = data::member_in(mapping, "shards", JsonNode::Kind::Array);
  if (shards == nullptr) return 0;
  for (const JsonNode& shard : shards->elements()) {
    const JsonNode* const lanes = data::member_in(shard, "lanes", JsonNode::Kind::Array);
    if (lanes == nullptr) continue;
    for (const JsonNode& lane : lanes->elements()) lag_s = std::max(lag_s, count_in(lane, "lag_s"));
  }
  return lag_s;
}

// "UUID orders: Enabled, 12 delivered, 3 filtered, 0 discarded, lag 0 s, idle"
std::string mapping_line(const JsonNode& mapping) {
  std::string line(text_in(mapping, "mapping"));
  line.append(" ").append(name_of(text_in(mapping, "function"))).append(": ");
  line.append(text_in(mapping, "state"));
  for (const std::string_view count : {"delivered", "filtered", "discarded"})
    line.append(", ").append(count_text(mapping, count)).append(" ").append(count);
  line.append(", lag ").append(std::to_string(lag_of_mapping(mapping))).append(" s, ");
  append_status(line, mapping);
  return line;
}

// "7 orders: 3 records, attempt 1, 12 ms, failed: reason, again at TIME"; "an event" of Invoke
std::string call_line(const JsonNode& call) {
  std::string line = count_text(call, "number");
  line.append(" ").append(name_of(text_in(call, "function"))).append(": ");
  const bool is_event = text_in(call, "mapping").empty();
  line.append(is_event ? "an event" : count_text(call, "records") + " records");
  line.append(", attempt ").append(count_text(call, "attempt")).append(", ");
  line.append(count_text(call, "duration_ms")).append(" ms, ").append(text_in(call, "outcome"));
  append_part(line, ": ", text_in(call, "error"));
  append_part(line, ", again at ", text_in(call, "nextRetry"));
  return line;
}

// "3 orders: 100 in shardId-…: dynamodb.NewImage.n.N: reason; …"
std::string filtered_line(const JsonNode& record) {
  std::string line = count_text(record, "number");
  line.append(" ").append(name_of(text_in(record, "function"))).append(": ");
  line.append(text_in(record, "sequenceNumber")).append(" in ").append(text_in(record, "shardId"));
  const JsonNode* const filters = data::member_in(record, "filters", JsonNode::Kind::Array);
  if (filters == nullptr) return line;
  std::string_view separator = ": ";
  for (const JsonNode& filter : filters->elements()) {
    line.append(separator).append(text_in(filter, "field"));
    append_part(line, ": ", text_in(filter, "reason"));
    separator = "; ";
  }
  return line;
}

// "2 MAPPING: delivery, {message}"
std::string failure_line(const JsonNode& failure) {
  std::string line = count_text(failure, "number");
  line.append(" ").append(text_in(failure, "mapping")).append(": ");
  line.append(text_in(failure, "delivery")).append(", ");
  if (const JsonNode* const message = failure.find("message")) append_node_json(line, *message);
  return line;
}

int ask_triggers(const HealthOptions& server, const std::string& path, const std::string& body,
                 const std::function<int(const JsonNode&)>& use) {
  int status = 0;
  const auto asked = ask_admin(server, std::string(kTriggersPath) + path, body,
                               [&](const JsonNode& reply) { status = use(reply); });
  return asked ? status : fail(asked.error());
}

// Prints the entries of a list, each on a line.
int show_entries(const TriggerCommandOptions& options, const std::string& path,
                 std::string_view member, Line line_of) {
  return ask_triggers(options.server, path, {}, [&](const JsonNode& reply) {
    const JsonNode* const entries = data::member_in(reply, member, JsonNode::Kind::Array);
    if (entries == nullptr) return fail("the answer has no list of " + std::string(member));
    for (const JsonNode& entry : entries->elements()) {
      std::string text;
      if (options.is_json) append_node_json(text, entry);
      std::fputs(((options.is_json ? text : line_of(entry)) + "\n").c_str(), stdout);
    }
    return 0;
  });
}

// "UUID orders: idle"; "event orders: blocked: reason"
void show_status(const JsonNode& mapping, bool is_json) {
  std::string line;
  if (is_json) {
    append_node_json(line, mapping);
  } else {
    const std::string_view uuid = text_in(mapping, "mapping");
    line.append(uuid.empty() ? "event" : uuid).append(" ");
    line.append(name_of(text_in(mapping, "function"))).append(": ");
    append_status(line, mapping);
  }
  std::fputs((line + "\n").c_str(), stdout);
}

// Posts to a verb that waits for calls, and passes the answer to `show`.
int wait_for_calls(const TriggerCommandOptions& options, const std::string& path,
                   const std::function<int(const JsonNode&)>& show) {
  HealthOptions server = options.server;
  server.timeout += kSettleMargin;
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(options.server.timeout);
  const std::string body = "{\"timeout_ms\":" + std::to_string(time.count()) + "}";
  return ask_triggers(server, path, body, [&](const JsonNode& reply) {
    const int status = show(reply);
    return data::is_true(reply, "settled") ? status : fail("not settled: a call is left to make");
  });
}

int show_statuses(const TriggerCommandOptions& options, const JsonNode& reply) {
  const JsonNode* const mappings = data::member_in(reply, "mappings", JsonNode::Kind::Array);
  if (mappings == nullptr) return fail("the answer has no list of mappings");
  for (const JsonNode& mapping : mappings->elements()) show_status(mapping, options.is_json);
  const JsonNode* const events = data::member_in(reply, "events", JsonNode::Kind::Array);
  if (events == nullptr) return 0;
  for (const JsonNode& event : events->elements()) show_status(event, options.is_json);
  return 0;
}

int make_step(const TriggerCommandOptions& options) {
  return wait_for_calls(options, "/step", [&](const JsonNode& reply) {
    const JsonNode* const call = data::member_in(reply, "invocation", JsonNode::Kind::Object);
    if (call == nullptr) return show_statuses(options, reply);
    std::string text;
    if (options.is_json) append_node_json(text, *call);
    std::fputs(((options.is_json ? text : call_line(*call)) + "\n").c_str(), stdout);
    return 0;
  });
}

// Calls the function with `event` by the Lambda API, as any client does.
int invoke_again(const HealthOptions& server, std::string_view function_arn,
                 std::string_view event) {
  const std::string path = "/2015-03-31/functions/" + name_of(function_arn) + "/invocations";
  const std::int64_t now_s = SystemClock{}.now().unix_s();
  std::vector<HttpField> fields{{"content-type", "application/json"},
                                {"host", host_text(server)},
                                {"x-amz-date", iso_basic(now_s)}};
  fields.emplace_back(
      "authorization",
      data::authorization({.method = "POST",
                           .path = path,
                           .fields = fields,
                           .payload_sha256 = access::sha256_hex(event),
                           .region = region_of(function_arn),
                           .service = "lambda",
                           .unix_s = now_s},
                          {.access_key = "replay", .secret_key = "replay", .session_token = {}}));
  add_console_token(fields);
  const auto answer = HttpConnection{server, CertificateCheck::None}.ask(
      {.path = path, .fields = fields, .body = event});
  if (!answer) return fail(address_text(server) + ": " + answer.error().why);
  std::fputs((answer->body + "\n").c_str(), stdout);
  const std::string_view error = answer->field("X-Amz-Function-Error");
  if (answer->status != 200)
    return fail("the call was refused: status " + std::to_string(answer->status));
  return error.empty() ? 0 : fail("the function failed: " + std::string(error));
}

int replay_call(const TriggerCommandOptions& options) {
  const std::string number = std::to_string(options.call);
  const std::string path = "/invocations?since=" + std::to_string(options.call - 1);
  std::string event;
  std::string function;
  const int status = ask_triggers(options.server, path, {}, [&](const JsonNode& reply) {
    const JsonNode* const calls = data::member_in(reply, "invocations", JsonNode::Kind::Array);
    if (calls == nullptr || calls->elements().empty() ||
        count_in(calls->elements().front(), "number") != options.call)
      return fail("the server has no call " + number);
    const JsonNode& call = calls->elements().front();
    event = text_in(call, "event");
    function = text_in(call, "function");
    return 0;
  });
  if (status != 0) return status;
  std::string copy = event;
  Arena arena;
  if (!read_json(copy, arena))
    return fail("the server has only a part of the event of call " + number);
  return invoke_again(options.server, function, event);
}

// JSON, or with @ in front the content of a file.
tl::expected<std::string, std::string> json_argument(const std::string& text) {
  return text.starts_with('@') ? data::read_file(text.substr(1)) : text;
}

int explain_match(const TriggerCommandOptions& options) {
  auto pattern = json_argument(options.pattern);
  if (!pattern) return fail(pattern.error());
  auto record = json_argument(options.record);
  if (!record) return fail(record.error());
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.member("Pattern", *pattern);
  json.key("record");
  json.raw(*record);
  json.end_object();
  return ask_triggers(options.server, "/explain", body, [&](const JsonNode& reply) {
    if (options.is_json) {
      std::string text;
      append_node_json(text, reply);
      std::fputs((text + "\n").c_str(), stdout);
    }
    if (data::is_true(reply, "matches")) {
      if (!options.is_json) say("matches");
      return 0;
    }
    std::string reason = data::is_true(reply, "valid") ? "no match" : "the pattern is wrong";
    append_part(reason, ": ", text_in(reply, "field"));
    append_part(reason, ": ", text_in(reply, "reason"));
    return fail(reason);
  });
}

int run_verb(const TriggerCommandOptions& options) {
  const std::string since = "?since=" + std::to_string(options.since);
  switch (options.verb) {
    case Verb::Calls:
      return show_entries(options, "/invocations" + since, "invocations", call_line);
    case Verb::Filtered:
      return show_entries(options, "/filtered" + since, "records", filtered_line);
    case Verb::Failures:
      return show_entries(options, "/failures" + since, "failures", failure_line);
    case Verb::Settle:
    case Verb::Pause:
      return wait_for_calls(options, options.verb == Verb::Pause ? "/pause" : "/settle",
                            [&](const JsonNode& reply) { return show_statuses(options, reply); });
    case Verb::Step:
      return make_step(options);
    case Verb::Resume:
      return ask_triggers(options.server, "/resume", "{}", [](const JsonNode&) { return 0; });
    case Verb::Replay:
      return replay_call(options);
    case Verb::Explain:
      return explain_match(options);
    case Verb::List:
      break;
  }
  return show_entries(options, "", "mappings", mapping_line);
}

}  // namespace

int run_triggers(TriggerCommandOptions options, const FindServer& find) {
  if (!options.server.is_chosen) options.server = find(std::move(options.server));
  return run_verb(options);
}

}  // namespace stator
