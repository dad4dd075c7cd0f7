#include "server/cli/commands/admin_commands.h"

#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

#include "protocol/json/json_writer.h"
#include "server/cli/commands/capacity_text.h"
#include "server/cli/commands/serving_process.h"
#include "server/client/admin_client.h"
#include "server/data/transfer/json_text.h"
#include "server/explain/explain_text.h"
#include "server/log/log_text.h"
#include "server/log/say.h"
#include "server/options/server_address.h"

namespace stator {

namespace {

// Passes the response, a JSON object, to `use`, or reports a failure on stderr. Returns the exit
// status.
template <class Use>
int ask_and_use(const HealthOptions& server, std::string_view path, const std::string& body,
                const Use& use) {
  if (const auto asked = ask_admin(server, path, body, use); !asked) return fail(asked.error());
  return 0;
}

HealthOptions aimed(HealthOptions server) {
  return server.is_chosen ? server : aimed_at_serving_process(std::move(server));
}

// Prints the text that `text_of` makes of the response, a JSON object, or reports a failure.
template <class TextOf>
int ask_and_tell(HealthOptions server, std::string_view path, const std::string& body,
                 const TextOf& text_of) {
  return ask_and_use(aimed(std::move(server)), path, body, [&](const JsonNode& told) {
    std::fputs((text_of(told) + "\n").c_str(), stdout);
  });
}

// Writes the body, such as {"advance":"25h"}; a rate is a number.
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

// Calls `use` with the elements of a member, if it is an array.
template <class Use>
void for_each_element(const JsonNode& told, std::string_view name, const Use& use) {
  const JsonNode* const list = told.find(name);
  if (list == nullptr || list->kind() != JsonNode::Kind::Array) return;
  for (const JsonNode& element : list->elements()) use(element);
}

std::string due_text(const JsonNode& told) {
  std::string lines;
  for_each_element(told, "due", [&](const JsonNode& event) {
    const std::string index = text_in(event, "index");
    lines += (lines.empty() ? "" : "\n") + text_in(event, "time") + " " + text_in(event, "kind") +
             " " + text_in(event, "table") + (index.empty() ? "" : "/" + index) + " " +
             text_in(event, "what");
  });
  return lines.empty() ? "nothing is due" : lines;
}

void put_line(const std::string& line) { std::fputs((line + "\n").c_str(), stdout); }

std::string json_line(const JsonNode& node) {
  std::string line;
  append_node_json(line, node);
  return line;
}

std::string_view show_name(ExplainOptions::Show show) {
  if (show == ExplainOptions::Show::All) return "all";
  return show == ExplainOptions::Show::Hints ? "hints" : "failures";
}

// The target that lists the last requests, or all after the cursor `after`.
std::string list_path(const ExplainOptions& options, const std::string& after) {
  constexpr std::size_t kLast = 20;
  std::string path = "/_stator/requests?show=" + std::string(show_name(options.show));
  if (!options.table.empty()) path += "&table=" + options.table;
  const bool has_bound = options.last || options.show != ExplainOptions::Show::All;
  if (!after.empty()) {
    path += "&after=" + after;
  } else if (has_bound) {
    path += "&last=" + std::to_string(options.last.value_or(kLast));
  }
  return path;
}

std::string nothing_text(ExplainOptions::Show show) {
  if (show == ExplainOptions::Show::All) return "no requests";
  return std::string("no requests that failed") +
         (show == ExplainOptions::Show::Hints ? " or have a hint" : "") +
         ", --all shows the others too";
}

// Oldest first, as a list of later requests is already.
void show_list(const JsonNode& told, const ExplainOptions& options, bool is_oldest_first) {
  if (options.is_json) {
    const JsonNode* const requests = told.find("requests");
    const bool is_array = requests != nullptr && requests->kind() == JsonNode::Kind::Array;
    const std::size_t size = is_array ? requests->elements().size() : 0;
    for (std::size_t i = 0; i < size; ++i)
      put_line(json_line(requests->elements()[is_oldest_first ? i : size - 1 - i]));
  } else {
    const std::string lines = requests_text(told, is_oldest_first);
    if (!lines.empty()) {
      put_line(lines);
    } else if (!options.follows) {
      put_line(nothing_text(options.show));
    }
  }
  std::fflush(stdout);
}

void put_changes(const JsonNode& told, bool& has_any) {
  const auto put = [&](const std::string& line) {
    has_any = true;
    put_line(line);
  };
  for_each_element(told, "tables", [&](const JsonNode& change) {
    put("table " + text_in(change, "change") + ": " + text_in(change, "table"));
  });
  for_each_element(told, "changes", [&](const JsonNode& change) {
    const JsonNode* const key = change.find("key");
    const bool was_there = change.find("was") != nullptr;
    const bool is_there = change.find("is") != nullptr;
    put(std::string(!was_there ? "new"
                    : is_there ? "changed"
                               : "deleted") +
        " in " + text_in(change, "table") + ": " + (key == nullptr ? "" : json_line(*key)));
  });
}

// Prints a line for each table and item, over all pages.
int list_changes(MarkOptions options) {
  const HealthOptions server = aimed(std::move(options.server));
  const std::string path = "/_stator/marks/" + options.name + "/changes";
  bool has_any = false;
  std::string after;
  do {
    const int status = ask_and_use(server, path + (after.empty() ? "" : "?after=" + after), {},
                                   [&](const JsonNode& told) {
                                     put_changes(told, has_any);
                                     after = text_in(told, "next");
                                   });
    if (status != 0) return status;
  } while (!after.empty());
  if (!has_any) put_line("no changes");
  return 0;
}

// Pauses before the next request. Returns false if the reader of stdout has closed it.
bool waits_for_more() {
  constexpr int kPause_ms = 500;
  pollfd watched{STDOUT_FILENO, 0, 0};
  return poll(&watched, 1, kPause_ms) <= 0 && std::ferror(stdout) == 0;
}

}  // namespace

int run_clock(ClockOptions options) {
  if (options.verb == "due")
    return ask_and_tell(std::move(options.server), "/_stator/due?limit=100", {}, due_text);
  const std::string body = move_text(options);
  return ask_and_tell(std::move(options.server), "/_stator/clock", body, [](const JsonNode& clock) {
    const std::string mode = text_in(clock, "mode");
    return text_in(clock, "time") + " " +
           (mode == "scaled" ? "rate " + text_in(clock, "rate") : mode);
  });
}

// Prints one line for each mark, or for the change made.
int run_mark(MarkOptions options) {
  if (options.verb == "changes") return list_changes(std::move(options));
  std::string path = "/_stator/marks";
  if (options.verb.empty()) {
    return ask_and_tell(std::move(options.server), path, {}, [](const JsonNode& told) {
      const JsonNode* const marks = told.find("marks");
      if (marks == nullptr || marks->elements().empty()) return std::string("no marks");
      std::string lines;
      for (const JsonNode& mark : marks->elements()) {
        if (!lines.empty()) lines += '\n';
        lines += text_in(mark, "name") + " " + text_in(mark, "time");
        const std::string lost = text_in(mark, "lost");
        if (!lost.empty()) lines += " lost: " + lost;
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
  options.server = aimed(std::move(options.server));
  if (!options.request_id.empty()) {
    return ask_and_use(options.server, "/_stator/requests/" + options.request_id, {},
                       [&options](const JsonNode& told) {
                         put_line(options.is_json ? json_line(told) : request_text(told));
                       });
  }
  std::string after;
  for (;;) {
    const int status =
        ask_and_use(options.server, list_path(options, after), {}, [&](const JsonNode& told) {
          show_list(told, options, !after.empty());
          after = text_in(told, "cursor");
        });
    if (status != 0 || !options.follows) return status;
    if (after.empty()) return fail(address_text(options.server) + ": it is too old for --follow");
    if (!waits_for_more()) return 0;
  }
}

int run_reset(ResetOptions options) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  if (options.region) json.member("region", *options.region);
  if (options.access_key) json.member("access_key", *options.access_key);
  if (options.streams) json.member("streams", true);
  json.end_object();
  return ask_and_tell(std::move(options.server), "/_stator/reset", body, [](const JsonNode& reset) {
    const auto count = [&](std::string_view what) {
      const std::string number = text_in(reset, what);
      return number + " " + std::string(what.substr(0, what.size() - (number == "1" ? 1 : 0)));
    };
    const bool has_streams = reset.find("streams") != nullptr;
    return count("tables") + (has_streams ? " and " + count("streams") : "") + " removed";
  });
}

}  // namespace stator
