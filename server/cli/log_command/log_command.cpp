#include "server/cli/log_command/log_command.h"

#include <unistd.h>

#include <chrono>
#include <utility>

#include "server/cli/output/standard_output.h"
#include "server/client/admin_client.h"
#include "server/data/transfer/interrupt.h"
#include "server/data/transfer/json_text.h"
#include "server/explain/explain_text.h"
#include "server/log/say.h"
#include "server/options/server_address.h"

namespace stator {

namespace {

using Form = LogOptions::Form;

// Between two looks at a server that had nothing new.
constexpr std::chrono::milliseconds kLookPause{100};

// The target that lists the last requests, or all after the cursor `after`.
std::string target_of(const LogOptions& options, const std::string& after) {
  std::string target = "/_stator/requests?show=all";
  if (!options.table.empty()) target += "&table=" + options.table;
  return target + (after.empty() ? "&last=" + std::to_string(options.last) : "&after=" + after);
}

// A line for each request, oldest first. `is_oldest_first`: so does `told`.
std::string lines_of(const JsonNode& told, Form form, bool is_oldest_first) {
  const JsonNode* const list = told.find("requests");
  if (list == nullptr || list->kind() != JsonNode::Kind::Array) return {};
  const auto requests = list->elements();
  std::string lines;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const JsonNode& request = requests[is_oldest_first ? i : requests.size() - 1 - i];
    if (request.kind() != JsonNode::Kind::Object) continue;
    if (form == Form::Json) {
      append_node_json(lines, request);
    } else {
      lines += request_line(request);
    }
    lines += '\n';
  }
  return lines;
}

}  // namespace

int run_log(LogOptions options, const FindServer& find) {
  if (!options.server.is_chosen) options.server = find(std::move(options.server));
  if (options.form == Form::Auto)
    options.form = ::isatty(STDOUT_FILENO) != 0 ? Form::Text : Form::Json;
  client::begin_output();
  data::watch_interrupts();
  std::string after;  // empty: the server has not answered yet
  bool is_away = false;
  for (;;) {
    std::string lines;
    const auto asked =
        ask_admin(options.server, target_of(options, after), {}, [&](const JsonNode& told) {
          lines = lines_of(told, options.form, !after.empty());
          after = text_in(told, "cursor");
        });
    if (!asked && (!options.follows || after.empty())) return fail(asked.error());
    if (!asked && !is_away) complain(asked.error() + ", waiting for it");
    is_away = !asked;
    if (!lines.empty()) {
      if (const auto written = client::write_all(lines); !written)
        return written.error().problem.empty() ? 0 : fail(written.error().problem);
    }
    if (!options.follows) return 0;
    if (after.empty()) return fail(address_text(options.server) + ": it is too old for --follow");
    if (data::is_interrupted() || !client::has_reader()) return 0;
    if (lines.empty() && data::wait_interrupted(kLookPause)) return 0;
  }
}

}  // namespace stator
