#include "server/cli/access_command/access_report.h"

#include <cstdio>
#include <string_view>
#include <utility>

#include "server/client/admin_client.h"
#include "server/data/s3/url_text.h"
#include "server/data/transfer/json_text.h"
#include "server/log/say.h"

namespace stator {

namespace {

using data::count_in;
using data::text_in;

std::string report_path(const AccessReportOptions& options) {
  std::string path("/_stator/access/report");
  char separator = '?';
  const auto add = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    path += std::exchange(separator, '&');
    path.append(name).append("=").append(data::encode_url(value));
  };
  add("principal", options.principal);
  add("since", options.since);
  add("against", options.against);
  add("format", options.format);
  add("only", options.only_denied ? "denied" : "");
  add("resources", options.has_resources ? "" : "none");
  add("indexes", options.has_index_names ? "" : "all");
  add("attributes", options.has_attributes ? "list" : "");
  return path;
}

// The text of a format, or the reply itself.
void show_report(const JsonNode& reply) {
  if (reply.has("text")) {
    std::fputs(std::string(text_in(reply, "text")).c_str(), stdout);
    return;
  }
  std::string text;
  append_node_json(text, reply);
  std::fputs(text.append("\n").c_str(), stdout);
}

template <class Use>
void for_each_in(const JsonNode& object, std::string_view list, const Use& use) {
  const JsonNode* const found = data::member_in(object, list, JsonNode::Kind::Array);
  if (found == nullptr) return;
  for (const JsonNode& element : found->elements()) use(element);
}

// "arn:aws:iam::…:user/dev was denied dynamodb:Scan on arn:…, 3 times"
std::size_t tell_denied(const JsonNode& reply) {
  std::size_t count = 0;
  for_each_in(reply, "principals", [&](const JsonNode& principal) {
    for_each_in(principal, "uses", [&](const JsonNode& use) {
      ++count;
      std::string line(text_in(principal, "principal"));
      line.append(" was denied ").append(text_in(use, "action")).append(" on ");
      line.append(text_in(use, "resource")).append(", ");
      const std::uint64_t times = count_in(use, "denied");
      say(line.append(std::to_string(times)).append(times == 1 ? " time" : " times"));
    });
  });
  return count;
}

}  // namespace

int run_access_report(AccessReportOptions options, const FindServer& find) {
  if (!options.server.is_chosen) options.server = find(std::move(options.server));
  if (options.is_check) options.only_denied = true;
  std::size_t denied = 0;
  const auto asked =
      ask_admin(options.server, report_path(options), {}, [&](const JsonNode& reply) {
        if (options.is_check) {
          denied = tell_denied(reply);
        } else {
          show_report(reply);
        }
      });
  if (!asked) return fail(asked.error());
  if (options.is_check && denied == 0) say("nothing was denied");
  return denied == 0 ? 0 : 1;
}

}  // namespace stator
